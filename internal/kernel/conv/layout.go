package conv

import (
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
)

// layout copies the channels of a depthwise convolution into phases and back. With a horizontal stride of more than 1,
// a channel's columns are first sorted by their remainder. A phase is then a block of rows of one remainder.
type layout struct {
	g       Geometry
	variant kernel.Variant
	vec     *vector.Set
	cols    int     // of a phase
	half    int     // columns of one remainder: a half for a stride of 2
	blocks  []block // of the phases that have pixels
	covered bool    // all pixels are in a phase
	phases  int     // elements of all phases
	split   int     // elements of a channel with sorted columns; 0 if its columns are in that order already
}

// block is the part of a phase that is in the image.
type block struct {
	at         int // index of its first pixel in phases
	from       int // index of its first pixel in the sorted channel
	rows, cols int
}

// newLayout returns the layout for phases of rows and columns.
func newLayout(v kernel.Variant, g Geometry, rows, cols int) layout {
	l := layout{g: g, variant: v, vec: vector.For(v), cols: cols, half: ceil(g.InW, g.StrideW)}
	l.phases = align(g.StrideH * g.StrideW * rows * cols)
	if g.StrideW > 1 {
		l.split = align(g.StrideW * g.InH * l.half)
	}
	pixels := 0
	for a := range g.StrideH {
		i, h, n := inside(g.InH, rows, g.StrideH, g.PadTop, a)
		for b := range g.StrideW {
			j, w, m := inside(g.InW, cols, g.StrideW, g.PadLeft, b)
			if n == 0 || m == 0 {
				continue
			}
			l.blocks = append(l.blocks, block{at: ((a*g.StrideW+b)*rows+i)*cols + j,
				from: (w%g.StrideW*g.InH+h)*l.half + w/g.StrideW, rows: n, cols: m})
			pixels += n * m
		}
	}
	l.covered = pixels == g.InH*g.InW
	return l
}

// inside returns which of the size rows, or columns, of a phase are in the image: the first one, its place in the
// image, and their number. Row i of the phase is row i*stride + phase - pad of the image.
func inside(image, size, stride, pad, phase int) (first, at, n int) {
	first = max(0, ceil(pad-phase, stride))
	at = first*stride + phase - pad
	if at < image {
		n = max(0, min(size-first, ceil(image-at, stride)))
	}
	return first, at, n
}

// layOut fills the phases with a channel.
func (l *layout) layOut(phases, split, x []float32) {
	clear(phases)
	if l.split > 0 {
		l.sort(split, x)
		x = split
	}
	for _, b := range l.blocks {
		gemm.CopyRows(l.variant, phases[b.at:], l.cols, x[b.from:], l.g.StrideH*l.half, b.rows, b.cols)
	}
}

// takeBack is the inverse of layOut. Pixels that are in no phase become 0.
func (l *layout) takeBack(x, split, phases []float32) {
	to := x
	if l.split > 0 {
		to = split
	}
	if !l.covered {
		clear(to)
	}
	for _, b := range l.blocks {
		gemm.CopyRows(l.variant, to[b.from:], l.g.StrideH*l.half, phases[b.at:], l.cols, b.rows, b.cols)
	}
	if l.split > 0 {
		l.unsort(x, split)
	}
}

// sort sorts the columns of a channel by their remainder.
func (l *layout) sort(split, x []float32) {
	if n := len(x) / 2; l.g.StrideW == 2 && l.g.InW%2 == 0 {
		l.vec.Unzip(split[:n], split[n:][:n], x)
		return
	}
	for i, v := range x {
		split[l.sorted(i)] = v
	}
}

// unsort is the inverse of sort.
func (l *layout) unsort(x, split []float32) {
	if n := len(x) / 2; l.g.StrideW == 2 && l.g.InW%2 == 0 {
		l.vec.Zip(x, split[:n], split[n:][:n])
		return
	}
	for i := range x {
		x[i] = split[l.sorted(i)]
	}
}

// sorted returns the place of a pixel in the sorted channel.
func (l *layout) sorted(pixel int) int {
	h, w := pixel/l.g.InW, pixel%l.g.InW
	return (w%l.g.StrideW*l.g.InH+h)*l.half + w/l.g.StrideW
}
