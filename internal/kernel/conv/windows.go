package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// windowPlan is used if rows of the output fill vectors well. It computes their pixels from the staged input in place,
// without gathering patches. The input of a strip of pixels stays in the first-level cache for all filters.
type windowPlan struct {
	used   bool
	lanes  int // of a vector
	perRow int // vectors for a row of output pixels
	strips int // pairs of vectors
}

func newWindowPlan(p *Plan) windowPlan {
	w := windowPlan{lanes: p.lane / 2}
	w.perRow = ceil(p.OutW, w.lanes)
	w.strips = ceil(p.OutH*w.perRow, 2)
	w.used = p.stage.copied && 8*p.OutW >= 7*w.lanes*w.perRow
	return w
}

// packFilters writes the filters of each tile in the order in which the kernel reads them.
type packFilters Plan

// Run packs one tile.
func (f *packFilters) Run(_, tile int) {
	p := (*Plan)(f)
	p.packTile(p.call.packed, p.call.w, tile)
}

func (p *Plan) packTile(dst, w []float32, tile int) {
	row, rows := p.filterTile(tile)
	n := p.patch()
	gemm.Transpose(p.variant, dst[row*n:][:rows*n], rows, w[row*n:], n, rows, n)
}

// filterTile returns the first filter of a tile, and the number of its filters.
func (p *Plan) filterTile(tile int) (first, n int) {
	first = tile * p.OutC / p.strip.rowTiles
	return first, (tile+1)*p.OutC/p.strip.rowTiles - first
}

// forwardWindows starts the computation of a call.
func (p *Plan) forwardWindows(pool *parallel.Pool) {
	n := p.packedWork()
	p.call.packed, p.call.work = p.call.work[:n], p.call.work[n:]
	p.call.parts = 1
	if p.Batch < 4*pool.Threads() {
		p.call.parts = min(p.windows.strips, ceil(4*pool.Threads(), p.Batch))
	}
	if p.Packed {
		p.call.packed = p.call.w
	} else {
		pool.Do(p.strip.rowTiles, (*packFilters)(p))
	}
	pool.Do(p.Batch*p.call.parts, (*forwardWindows)(p))
}

type forwardWindows Plan

// Run computes some strips of one example.
func (f *forwardWindows) Run(worker, i int) {
	p := (*Plan)(f)
	w := &p.windows
	example, part := i/p.call.parts, i%p.call.parts
	strip0, strip1 := part*w.strips/p.call.parts, (part+1)*w.strips/p.call.parts
	scratch := p.call.work[worker*p.windowScratch():][:p.windowScratch()]
	row0, row1 := 2*strip0/w.perRow, (min(2*strip1, p.OutH*w.perRow)-1)/w.perRow
	p.staged(worker, scratch, p.call.x[example*p.xSize():][:p.xSize()],
		row0*p.StrideH, min(p.stage.height, row1*p.StrideH+(p.KH-1)*p.DilH+1))
	y := p.call.y[example*p.ySize():][:p.ySize()]

	d := window{CRow: p.pixels()}
	_, first := w.at(p, 2*strip0, &d.Cols[0]) // the first pixel of which the follower has not heard
	for s := strip0; s < strip1; s++ {
		src, dst := w.at(p, 2*s, &d.Cols[0])
		last := dst + d.Cols[0]
		d.Cols[1] = 0
		if 2*s+1 < p.OutH*w.perRow {
			nextSrc, nextDst := w.at(p, 2*s+1, &d.Cols[1])
			d.BNext, d.CNext = nextSrc-src, nextDst-dst
			last = nextDst + d.Cols[1]
		}
		d.B = scratch[src:]
		p.windowTiles(&d, y[dst:])
		if last-first >= pixelsFinished || s == strip1-1 {
			p.finished(worker, example, first, last)
			first = last
		}
	}
}

// pixelsFinished is the number of output pixels of which a follower is told at a time. Those of all filters are in the
// second-level cache then.
const pixelsFinished = 512

// windowTiles computes the tiles of all filters for a window's pixels.
func (p *Plan) windowTiles(d *window, y []float32) {
	for kb := range p.strip.kBlocks {
		k0 := kb * p.strip.kLength
		d.K = min(p.strip.kLength, p.patch()-k0)
		d.Offsets, d.Add = p.stage.offsets[k0:], min(kb, 1)
		for tile := range p.strip.rowTiles {
			row, rows := p.filterTile(tile)
			d.Rows = rows
			d.A = p.call.packed[row*p.patch()+k0*rows:]
			d.C = y[row*p.pixels():]
			d.Start = nil
			if kb == 0 && p.call.bias != nil {
				d.Start = p.call.bias[row:]
			}
			d.run(p.variant)
		}
	}
}

// at returns the place of a vector of output pixels: of its first window in the staged input, and in a channel of the
// output. It sets the number of its pixels.
func (w *windowPlan) at(p *Plan, vector int, cols *int) (src, dst int) {
	row, col := vector/w.perRow, vector%w.perRow*w.lanes
	*cols = min(w.lanes, p.OutW-col)
	return row*p.stage.rowOffset + col, row*p.OutW + col
}

// windowScratch is the length of a worker's memory. The kernel reads beyond the staged input, but does not use those
// values.
func (p *Plan) windowScratch() int { return align(p.stage.size(p.InC) + p.windows.lanes) }

func (p *Plan) windowWork(threads int) int {
	return p.packedWork() + threads*p.windowScratch()
}
