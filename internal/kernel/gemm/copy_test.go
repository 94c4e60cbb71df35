package gemm_test

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
)

// TestCopies compares CopyRows and Transpose with plain loops, for rows with and without gaps. Nothing else is written.
func TestCopies(t *testing.T) {
	for _, v := range kernel.Available() {
		_, most := gemm.Size(v)
		for rows := 1; rows <= 20; rows++ {
			for cols := 1; cols <= 33; cols++ {
				for _, gap := range []int{0, 1, 9} {
					name := fmt.Sprintf("%v, %dx%d, gaps of %d", v, rows, cols, gap)
					srcRow := cols + gap
					src := make([]float32, (rows-1)*srcRow+cols)
					for i := range src {
						src[i] = float32(i)
					}
					if cols <= most {
						checkCopy(t, "copy: "+name, rows, cols, gap, func(dst []float32, dstRow int) {
							gemm.CopyRows(v, dst, dstRow, src, srcRow, rows, cols)
						}, func(r, c int) float32 { return src[r*srcRow+c] })
					}
					checkCopy(t, "transpose: "+name, cols, rows, gap, func(dst []float32, dstRow int) {
						gemm.Transpose(v, dst, dstRow, src, srcRow, rows, cols)
					}, func(r, c int) float32 { return src[c*srcRow+r] })
				}
			}
		}
	}
}

// checkCopy compares each element of a copy of [rows, cols], and what is between and around its rows.
func checkCopy(t *testing.T, what string, rows, cols, gap int, copies func(dst []float32, dstRow int),
	at func(r, c int) float32) {
	t.Helper()
	const guard, around = -1, 16
	dstRow := cols + gap
	n := (rows-1)*dstRow + cols
	all := make([]float32, around+n+around)
	for i := range all {
		all[i] = guard
	}
	copies(all[around:][:n:n], dstRow)
	for i, x := range all {
		want := float32(guard)
		if place := i - around; place >= 0 && place < n && place%dstRow < cols {
			want = at(place/dstRow, place%dstRow)
		}
		if x != want {
			t.Fatalf("%s: element %d is %v, want %v", what, i-around, x, want)
		}
	}
}
