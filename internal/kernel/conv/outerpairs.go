package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
)

// For filters with three rows, outerPlan sums pairs of output rows. It takes 4 products for each column of a filter
// instead of 6: the gradient of the way of pairPlan. From the four input rows d0 to d3 under a pair, and the gradients
// e0 and e1 of its two output rows, with s0 to s3 summed over pixels and examples:
//
//	s0 = (d0 - d2)·e0    s1 = (d1 + d2)·(e0 + e1)    s2 = (d2 - d1)·(e0 - e1)    s3 = (d3 - d1)·e1
//	dg0 = s0 + (s1 + s2)/2    dg1 = (s1 - s2)/2    dg2 = s3 + (s1 + s2)/2
//
// The second row of a last, single row is 0.

// rowsOfPairs returns the number of floats in the even and the odd input rows under a band.
func (f *outerPlan) rowsOfPairs() int {
	if !f.pairs {
		return 0
	}
	return 2 * (f.lines + 1) * f.width * f.block
}

// stagePairs stages the combinations of the input rows under a band of some channels. The rows go to spare first.
func (f *outerPlan) stagePairs(p *Plan, dst, spare, x []float32, c0, row, rows int) {
	lines, size := ceil(rows, 2), f.width*f.block
	even, odd := spare[:(lines+1)*size], spare[(lines+1)*size:][:(lines+1)*size]
	f.stageRows(p, even, x, c0, row-p.PadTop, 2, lines+1)
	f.stageRows(p, odd, x, c0, row-p.PadTop+1, 2, lines+1-rows%2)
	if rows%2 > 0 {
		clear(odd[lines*size:])
	}
	n, s := lines*size, vector.For(p.variant)
	d0, d1, d2, d3 := even[:n], odd[:n], even[size:], odd[size:]
	s.Sub(dst[:n], d0, d2)
	s.Add(dst[f.image():][:n], d1, d2)
	s.Sub(dst[2*f.image():][:n], d2, d1)
	s.Sub(dst[3*f.image():][:n], d3, d1)
}

// packPairs writes the combinations of n filters' rows of dy.
func (f *outerPlan) packPairs(p *Plan, dst, dy []float32, n, rows int) {
	line := n * p.OutW
	image := p.OutC * f.pixels(p)
	size := ceil(rows, 2) * line
	e0, e1 := dst[:size], dst[3*image:][:size]
	for r := range rows {
		to := e0
		if r%2 > 0 {
			to = e1
		}
		gemm.Transpose(p.variant, to[r/2*line:][:line], n, dy[r*p.OutW:], p.pixels(), n, p.OutW)
	}
	if rows%2 > 0 {
		clear(e1[size-line:])
	}
	s := vector.For(p.variant)
	s.Add(dst[image:][:size], e0, e1)
	s.Sub(dst[2*image:][:size], e0, e1)
}

// sumPairs computes the gradient of a filter from its sums.
func (f *outerPlan) sumPairs(p *Plan, dst, sums []float32) {
	row := f.blocks * f.block
	for v := range p.KW {
		var s [combinations][]float32
		for i := range s {
			s[i] = sums[(i*p.KW+v)*row:][:p.InC]
		}
		for c := range p.InC {
			s1, s2 := float64(s[1][c]), float64(s[2][c])
			at := c*3*p.KW + v
			dst[at] = float32(float64(s[0][c]) + (s1+s2)/2)
			dst[at+p.KW] = float32((s1 - s2) / 2)
			dst[at+2*p.KW] = float32(float64(s[3][c]) + (s1+s2)/2)
		}
	}
}
