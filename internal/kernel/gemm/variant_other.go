//go:build (!amd64 && !arm64) || noasm

package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// Run computes the tile.
func (t *Tile) Run(kernel.Variant) { t.runPortable() }

// RunPairs computes the tile of pairs: elements of A and B hold two terms as bfloat16, the first one in the lower half.
// acc gets the product of the second ones and then that of the first ones. There is no Start. Denormals in A, B and acc
// are 0.
func (t *Tile) RunPairs(kernel.Variant) { t.runPairsPortable() }

// pairRows makes pairs of the elements of two rows.
func pairRows(_ kernel.Variant, dst, low, high []float32) { pairRowsPortable(dst, low, high) }

// pairNeighbours makes pairs of neighbours. If their number is odd, 0 follows.
func pairNeighbours(_ kernel.Variant, dst, src []float32) { pairNeighboursPortable(dst, src) }

// Transpose copies src [rows, cols] with row stride srcRow to dst [cols, rows] with row stride dstRow.
func Transpose(_ kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	transposePortable(dst, dstRow, src, srcRow, rows, cols)
}

// copyRows copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows).
func copyRows(_ kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, n int) {
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
