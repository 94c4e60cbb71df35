//go:build (!amd64 && !arm64) || noasm

package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// Run computes the tile.
func (t *Tile) Run(kernel.Variant) { t.runPortable() }

// Transpose copies src [rows, cols] with row stride srcRow to dst [cols, rows] with row stride dstRow.
func Transpose(_ kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	transposePortable(dst, dstRow, src, srcRow, rows, cols)
}

// CopyRows copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows).
func CopyRows(_ kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, n int) {
	copyRowsPortable(dst, dstRow, src, srcRow, rows, n)
}

// multiplyRows computes y[r] = alpha*Σ w[r*wRow+i]*x[i*xStep] + beta*y[r], i in [0, k), r in [0, len(y)), with the
// roundings of a Tile. y has at most vectorRows elements.
func multiplyRows(_ kernel.Variant, y, w []float32, wRow int, x []float32, xStep, k int, alpha, beta float32) {
	multiplyRowsPortable(y, w, wRow, x, xStep, k, alpha, beta)
}

// multiplyColumns computes y[c] = alpha*Σ x[i*xStep]*w[i*wRow+c] + beta*y[c], i in [0, k), c in [0, len(y)). It rounds
// as a Tile does. y has vectorColumns elements.
func multiplyColumns(_ kernel.Variant, y, x []float32, xStep int, w []float32, wRow, k int, alpha, beta float32) {
	multiplyColumnsPortable(y, x, xStep, w, wRow, k, alpha, beta)
}

// multiplyStrips computes y[s*lane+c] = alpha*Σ x[i*xStep]*w[s][i*lane+c] + beta*y[s*lane+c], i in [0, k), for strips
// of lane columns. It rounds as a Tile does.
func multiplyStrips(_ kernel.Variant, y, x []float32, xStep int, w *[rowStrips][]float32, k int, alpha, beta float32) {
	multiplyStripsPortable(y, x, xStep, w, k, alpha, beta)
}
