// Package pool has two-dimensional max and average pooling of images, forward and backward.
//
//	y[p, oy, ox] = combine of x[p, oy·StrideH - PadTop + ky·DilH, ox·StrideW - PadLeft + kx·DilW] for ky < KH, kx < KW
//
// with x [planes, InH, InW] and y [planes, OutH, OutW]. A plane is one channel of one example. Planes are independent
// of each other and are distributed over the threads of a parallel.Pool.
package pool

import "fmt"

// Geometry is the shape of a pooling. Cells of a window outside the image (padding) are ignored.
type Geometry struct {
	Planes           int // batch · channels
	InH, InW         int
	KH, KW           int
	StrideH, StrideW int
	DilH, DilW       int // distance of neighbouring cells of a window; 1 is a dense window
	PadTop, PadLeft  int
	OutH, OutW       int  // windows may exceed the image: bottom and right padding
	IncludePad       bool // the average divides by KH·KW; otherwise by the number of cells inside the image
}

func (g Geometry) check() {
	if min(g.Planes, g.InH, g.InW, g.OutH, g.OutW, g.PadTop, g.PadLeft) < 0 ||
		min(g.KH, g.KW, g.StrideH, g.StrideW, g.DilH, g.DilW) < 1 {
		panic(fmt.Sprintf("pool: impossible geometry %+v", g))
	}
}

func (g Geometry) mustFit(in, out int) {
	if in != g.Planes*g.InH*g.InW || out != g.Planes*g.OutH*g.OutW {
		panic(fmt.Sprintf("pool: slices of %d and %d elements do not fit %+v", in, out, g))
	}
}

// window is the part of a row or column of windows that is inside the image: count cells, first, first+dil, …
type window struct{ first, count int }

// windows returns the inside part of each window along one dimension.
func windows(in, out, k, stride, dil, pad int) []window {
	w := make([]window, out)
	for o := range w {
		start := o*stride - pad
		skip := 0
		if start < 0 {
			skip = (-start + dil - 1) / dil
		}
		first := start + skip*dil
		count := min(k-skip, (in-first+dil-1)/dil)
		w[o] = window{first, max(count, 0)}
	}
	return w
}
