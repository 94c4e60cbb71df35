//go:build arm64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

// Run computes the tile.
func (t *Tile) Run(v kernel.Variant) {
	if v == kernel.NEON {
		tileNEON((*byte)(unsafe.Pointer(t)))
	} else {
		t.runPortable()
	}
}

// Transpose copies src [rows, cols] with row stride srcRow to dst [cols, rows] with row stride dstRow.
func Transpose(v kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _ = dst[(cols-1)*dstRow+rows-1], src[(rows-1)*srcRow+cols-1]
	if v != kernel.NEON {
		transposePortable(dst, dstRow, src, srcRow, rows, cols)
		return
	}
	high, wide := rows&^3, cols&^3 // of whole blocks
	if high > 0 && wide > 0 {
		transposeNEON(&dst[0], dstRow, &src[0], srcRow, high, wide)
	}
	if wide < cols {
		transposePortable(dst[wide*dstRow:], dstRow, src[wide:], srcRow, high, cols-wide)
	}
	if high < rows {
		transposePortable(dst[high:], dstRow, src[high*srcRow:], srcRow, rows-high, cols)
	}
}

// CopyRows copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows).
func CopyRows(v kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, n int) {
	if rows == 0 || n == 0 {
		return
	}
	_, _ = dst[(rows-1)*dstRow+n-1], src[(rows-1)*srcRow+n-1]
	if v == kernel.NEON {
		copyRowsNEON(&dst[0], dstRow, &src[0], srcRow, rows, n)
	} else {
		copyRowsPortable(dst, dstRow, src, srcRow, rows, n)
	}
}

// multiplyRows computes y[r] = alpha*Σ w[r*wRow+i]*x[i*xStep] + beta*y[r], i in [0, k), r in [0, len(y)), with the
// roundings of a Tile. y has at most vectorRows elements.
func multiplyRows(v kernel.Variant, y, w []float32, wRow int, x []float32, xStep, k int, alpha, beta float32) {
	if k > 0 {
		_, _ = w[(len(y)-1)*wRow+k-1], x[(k-1)*xStep]
	}
	if v == kernel.NEON {
		vectorNEON(&y[0], unsafe.SliceData(w), wRow, unsafe.SliceData(x), xStep, len(y), k, alpha, beta)
	} else {
		multiplyRowsPortable(y, w, wRow, x, xStep, k, alpha, beta)
	}
}

// multiplyColumns computes y[c] = alpha*Σ x[i*xStep]*w[i*wRow+c] + beta*y[c], i in [0, k), c in [0, len(y)). It rounds
// as a Tile does. y has vectorColumns elements.
func multiplyColumns(v kernel.Variant, y, x []float32, xStep int, w []float32, wRow, k int, alpha, beta float32) {
	if k > 0 {
		_, _ = w[(k-1)*wRow+len(y)-1], x[(k-1)*xStep]
	}
	if v == kernel.NEON {
		columnsNEON(&y[0], unsafe.SliceData(x), xStep, unsafe.SliceData(w), wRow, k, alpha, beta)
	} else {
		multiplyColumnsPortable(y, x, xStep, w, wRow, k, alpha, beta)
	}
}

// multiplyStrips computes y[s*lane+c] = alpha*Σ x[i*xStep]*w[s][i*lane+c] + beta*y[s*lane+c], i in [0, k), for strips
// of lane columns. It rounds as a Tile does.
func multiplyStrips(_ kernel.Variant, y, x []float32, xStep int, w *[rowStrips][]float32, k int, alpha, beta float32) {
	multiplyStripsPortable(y, x, xStep, w, k, alpha, beta)
}
