//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

// Run computes the tile.
func (t *Tile) Run(v kernel.Variant) {
	switch v {
	case kernel.AVX512:
		tileAVX512((*byte)(unsafe.Pointer(t)))
	case kernel.AVX2:
		tileAVX2((*byte)(unsafe.Pointer(t)))
	default:
		t.runPortable()
	}
}

// RunPairs computes the tile of pairs: elements of A and B hold two terms as bfloat16, the first one in the lower half.
// acc gets the product of the second ones and then that of the first ones. Denormals in A, B and acc are 0.
func (t *Tile) RunPairs(v kernel.Variant) {
	if v == kernel.AVX512 {
		tilePairsAVX512((*byte)(unsafe.Pointer(t)))
	} else {
		t.runPairsPortable()
	}
}

// PairRows makes pairs of the elements of two rows.
func PairRows(v kernel.Variant, dst, low, high []float32) {
	if len(dst) == 0 {
		return
	}
	_, _ = low[len(dst)-1], high[len(dst)-1]
	if v == kernel.AVX512 {
		pairRowsAVX512(&dst[0], &low[0], &high[0], len(dst))
	} else {
		pairRowsPortable(dst, low, high)
	}
}

// PairNeighbours makes pairs of neighbours. If their number is odd, 0 follows.
func PairNeighbours(v kernel.Variant, dst, src []float32) {
	if len(src) == 0 {
		return
	}
	_ = dst[(len(src)-1)/2]
	if v == kernel.AVX512 {
		pairNeighboursAVX512(&dst[0], &src[0], len(src))
	} else {
		pairNeighboursPortable(dst, src)
	}
}

// Transpose copies src [rows, cols] with row stride srcRow to dst [cols, rows] with row stride dstRow.
func Transpose(v kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _ = dst[(cols-1)*dstRow+rows-1], src[(rows-1)*srcRow+cols-1]
	switch v {
	case kernel.AVX512:
		transposeAVX512(&dst[0], dstRow, &src[0], srcRow, rows, cols)
	case kernel.AVX2:
		transposeAVX2(&dst[0], dstRow, &src[0], srcRow, rows, cols)
	default:
		transposePortable(dst, dstRow, src, srcRow, rows, cols)
	}
}

// CopyRows copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows). It is fast for n up to the columns of a
// tile.
func CopyRows(v kernel.Variant, dst []float32, dstRow int, src []float32, srcRow, rows, n int) {
	if rows == 0 || n == 0 {
		return
	}
	_, _ = dst[(rows-1)*dstRow+n-1], src[(rows-1)*srcRow+n-1]
	if _, columns := Size(v); n > columns {
		copyRowsPortable(dst, dstRow, src, srcRow, rows, n)
		return
	}
	switch v {
	case kernel.AVX512:
		copyRowsAVX512(&dst[0], dstRow, &src[0], srcRow, rows, n)
	case kernel.AVX2:
		copyRowsAVX2(&dst[0], dstRow, &src[0], srcRow, rows, n)
	default:
		copyRowsPortable(dst, dstRow, src, srcRow, rows, n)
	}
}

// multiplyRows computes y[r] = alpha*Σ w[r*wRow+i]*x[i*xStep] + beta*y[r], i in [0, k), r in [0, len(y)), with the
// roundings of a Tile. y has at most vectorRows elements.
func multiplyRows(v kernel.Variant, y, w []float32, wRow int, x []float32, xStep, k int, alpha, beta float32) {
	if k > 0 {
		_, _ = w[(len(y)-1)*wRow+k-1], x[(k-1)*xStep]
	}
	switch v {
	case kernel.AVX512:
		vectorAVX512(&y[0], unsafe.SliceData(w), wRow, unsafe.SliceData(x), xStep, len(y), k, alpha, beta)
	case kernel.AVX2:
		vectorAVX2(&y[0], unsafe.SliceData(w), wRow, unsafe.SliceData(x), xStep, len(y), k, alpha, beta)
	default:
		multiplyRowsPortable(y, w, wRow, x, xStep, k, alpha, beta)
	}
}

// multiplyColumns computes y[c] = alpha*Σ x[i*xStep]*w[i*wRow+c] + beta*y[c], i in [0, k), c in [0, len(y)). It rounds
// as a Tile does. y has vectorColumns elements.
func multiplyColumns(v kernel.Variant, y, x []float32, xStep int, w []float32, wRow, k int, alpha, beta float32) {
	if k > 0 {
		_, _ = w[(k-1)*wRow+len(y)-1], x[(k-1)*xStep]
	}
	switch v {
	case kernel.AVX512:
		columnsAVX512(&y[0], unsafe.SliceData(x), xStep, unsafe.SliceData(w), wRow, k, alpha, beta)
	case kernel.AVX2:
		columnsAVX2(&y[0], unsafe.SliceData(x), xStep, unsafe.SliceData(w), wRow, k, alpha, beta)
	default:
		multiplyColumnsPortable(y, x, xStep, w, wRow, k, alpha, beta)
	}
}

// multiplyStrips computes y[s*lane+c] = alpha*Σ x[i*xStep]*w[s][i*lane+c] + beta*y[s*lane+c], i in [0, k), for strips
// of lane columns. It rounds as a Tile does.
func multiplyStrips(v kernel.Variant, y, x []float32, xStep int, w *[rowStrips][]float32, k int, alpha, beta float32) {
	if k > 0 {
		lane := len(y) / rowStrips
		for _, w := range w {
			_ = w[k*lane-1]
		}
		_ = x[(k-1)*xStep]
	}
	at := func(x []float32) *float32 { return unsafe.SliceData(x) }
	switch v {
	case kernel.AVX512:
		stripsAVX512(&y[0], at(x), xStep, at(w[0]), at(w[1]), at(w[2]), at(w[3]), k, alpha, beta)
	case kernel.AVX2:
		stripsAVX2(&y[0], at(x), xStep, at(w[0]), at(w[1]), at(w[2]), at(w[3]), k, alpha, beta)
	default:
		multiplyStripsPortable(y, x, xStep, w, k, alpha, beta)
	}
}
