package conv

import "github.com/dl4go/dl4go/internal/kernel/gemm"

// band stages an example's band for blocks of channels, packs its dy after that of some pixels, and returns the number
// of its pixels.
func (f *outerPlan) band(p *Plan, staged, packed, spare []float32, e, block0, block1, row, after int) int {
	x := p.call.x[e*p.xSize():][:p.xSize()]
	rows := min(f.rows, p.OutH-row)
	lines := rows
	if f.pairs {
		lines = ceil(rows, 2)
	}
	for b := block0; b < block1; b++ {
		to := staged[(b-block0)*f.stagedBlock():][:f.stagedBlock()]
		if f.pairs {
			f.stagePairs(p, to, spare, x, b*f.block, row, rows)
		} else {
			f.stage(p, to, x, b*f.block, row, rows)
		}
	}
	pixels := lines * p.OutW
	for tile := range p.strip.rowTiles {
		o, n := p.filterTile(tile)
		to, dy := packed[o*f.pixels(p)+after*n:], p.call.y[e*p.ySize()+o*p.pixels()+row*p.OutW:]
		if f.pairs {
			f.packPairs(p, to, dy, n, rows)
		} else {
			gemm.Transpose(p.variant, to[:n*pixels], n, dy, p.pixels(), n, pixels)
		}
	}
	return pixels
}

// stage stages the input under a band of some channels.
func (f *outerPlan) stage(p *Plan, dst, x []float32, c0, row, rows int) {
	f.stageRows(p, dst, x, c0, row*p.StrideH-p.PadTop, 1, (rows-1)*p.StrideH+(p.KH-1)*p.DilH+1)
}

// stageRows stages rows of some channels with the channels innermost: row first of the input, and then every step-th.
func (f *outerPlan) stageRows(p *Plan, dst, x []float32, c0, first, step, rows int) {
	channels := min(f.block, p.InC-c0)
	size := f.width * f.block
	from := min(max(0, p.PadLeft), f.width)
	to := max(from, min(f.width, p.InW+p.PadLeft))
	for h := range rows {
		out := dst[h*size:][:size]
		in := first + h*step
		if in < 0 || in >= p.InH || from == to {
			clear(out)
			continue
		}
		if channels%f.lanes != 0 && channels < f.block {
			clear(out)
		} else {
			clear(out[:from*f.block])
			clear(out[to*f.block:])
		}
		gemm.Transpose(p.variant, out[from*f.block:], f.block, x[(c0*p.InH+in)*p.InW+from-p.PadLeft:],
			p.InH*p.InW, channels, to-from)
	}
}
