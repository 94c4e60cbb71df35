//go:build (amd64 || arm64) && !noasm

package pool

import "unsafe"

// halves reports whether windows have 2 by 2 cells and neither overlap nor leave the image.
func (g Geometry) halves() bool {
	return g.KH == 2 && g.KW == 2 && g.StrideH == 2 && g.StrideW == 2 && g.DilH == 1 && g.DilW == 1 &&
		g.PadTop == 0 && g.PadLeft == 0 && 2*g.OutH <= g.InH && 2*g.OutW <= g.InW
}

// rowPairs returns how many pairs of rows one call of a kernel can process, which must be contiguous in memory, and
// the number of their cells in x and in y.
func (p *Plan) rowPairs(planes []float32) (pairs, in, out int) {
	if p.InH == 2*p.OutH {
		return len(planes) / (2 * p.InW), len(planes), len(planes) / (2 * p.InW) * p.OutW
	}
	return p.OutH, p.InH * p.InW, p.OutH * p.OutW
}

func at(v []float32) *float32 { return unsafe.SliceData(v) }

func forward(f func(x, y *float32, rows, in, out int)) func(p *Plan, x, y []float32) {
	return func(p *Plan, x, y []float32) {
		for pairs, in, out := p.rowPairs(x); len(y) > 0; x, y = x[in:], y[out:] {
			f(at(x), at(y), pairs, p.InW, p.OutW)
		}
	}
}

func maxGradient(f func(x, y, dy, dx *float32, rows, in, out int)) func(p *Plan, x, y, dy, dx []float32) {
	return func(p *Plan, x, y, dy, dx []float32) {
		p.clearUncovered(dx)
		for pairs, in, out := p.rowPairs(x); len(y) > 0; x, y, dy, dx = x[in:], y[out:], dy[out:], dx[in:] {
			f(at(x), at(y), at(dy), at(dx), pairs, p.InW, p.OutW)
		}
	}
}

func averageGradient(f func(dy, dx *float32, rows, in, out int)) func(p *Plan, dy, dx []float32) {
	return func(p *Plan, dy, dx []float32) {
		p.clearUncovered(dx)
		for pairs, in, out := p.rowPairs(dx); len(dy) > 0; dy, dx = dy[out:], dx[in:] {
			f(at(dy), at(dx), pairs, p.InW, p.OutW)
		}
	}
}

// clearUncovered clears dx if there are cells in no window, since the kernels don't write them.
func (p *Plan) clearUncovered(dx []float32) {
	if p.InH != 2*p.OutH || p.InW != 2*p.OutW {
		clear(dx)
	}
}
