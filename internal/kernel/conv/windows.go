package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// windowPlan is used if rows of the output fill vectors well. It computes their pixels from the staged input in place,
// without gathering patches. Bands of a few rows are staged at a time. Within a band, a tile of filters meets a few
// strips of pixels before the next tile does, so that both stay in the first-level cache.
type windowPlan struct {
	used   bool
	lanes  int // of a vector
	perRow int // vectors for a row of output pixels
	strips int // pairs of vectors
	band   int // strips that are staged at a time
	stage  stage
}

const (
	bandRows  = 8 // about as many rows of output pixels are staged at a time
	meetStrip = 4 // strips meet a tile of filters at a time
)

func newWindowPlan(p *Plan) windowPlan {
	w := windowPlan{lanes: p.lane / 2}
	w.perRow = ceil(p.OutW, w.lanes)
	w.strips = ceil(p.OutH*w.perRow, 2)
	w.used = p.stage.copied && 8*p.OutW >= 7*w.lanes*w.perRow
	w.band = ceil(bandRows*w.perRow, 2)
	if w.used {
		w.stage = p.stage.band(min(p.OutH, ceil(2*w.band, w.perRow)+1))
	}
	return w
}

// packFilters writes the filters of each tile in the order in which the kernel reads them.
type packFilters Plan

// Run packs one tile.
func (f *packFilters) Run(_, tile int) {
	p := (*Plan)(f)
	f.tile(p.call.packed, p.call.w, tile)
}

func (f *packFilters) tile(dst, w []float32, tile int) {
	p := (*Plan)(f)
	row, rows := p.filterTile(tile)
	n := p.patch()
	gemm.Transpose(p.variant, dst[row*n:][:rows*n], rows, w[row*n:], n, rows, n)
}

// filterTile returns the first filter of a tile, and the number of its filters.
func (p *Plan) filterTile(tile int) (first, n int) {
	first = p.strip.firstRows[tile]
	return first, p.strip.firstRows[tile+1] - first
}

// forwardWindows starts the computation of a call.
func (p *Plan) forwardWindows(pool *parallel.Pool) {
	forget(p, pool)
	n := packedWork(p)
	p.call.packed, p.call.work = p.call.work[:n], p.call.work[n:]
	p.call.parts = 1
	if p.Batch < 4*pool.Threads() {
		p.call.parts = min(p.windows.strips, ceil(4*pool.Threads(), p.Batch))
	}
	if p.packed {
		p.call.packed = p.call.w
	} else {
		pool.Do(p.strip.rowTiles, (*packFilters)(p))
	}
	pool.Do(p.Batch*p.call.parts, (*forwardWindows)(p))
}

// forget has each worker clear its staged input again.
func forget(p *Plan, pool *parallel.Pool) {
	if len(p.cleared) < pool.Threads() {
		p.cleared = make([]bool, pool.Threads())
	}
	clear(p.cleared)
}

type forwardWindows Plan

// Run computes some strips of one example.
func (f *forwardWindows) Run(worker, i int) {
	p := (*Plan)(f)
	w := &p.windows
	example, part := i/p.call.parts, i%p.call.parts
	strip0, strip1 := part*w.strips/p.call.parts, (part+1)*w.strips/p.call.parts
	scratch := p.call.work[worker*p.windowScratch():][:p.windowScratch()]
	if !p.cleared[worker] { // the padding's zeros stay from band to band
		clear(scratch)
		p.cleared[worker] = true
	}
	x, y := p.call.x[example*p.xSize():][:p.xSize()], p.call.y[example*p.ySize():][:p.ySize()]
	for s := strip0; s < strip1; s += w.band {
		last := min(s+w.band, strip1)
		row0, row1 := 2*s/w.perRow, (min(2*last, p.OutH*w.perRow)-1)/w.perRow
		at := row0 * p.StrideH
		w.stage.refill(p.variant, scratch, x, at, row1*p.StrideH+(p.KH-1)*p.DilH+1, at)
		for from := s; from < last; from += meetStrip {
			f.tiles(scratch, y, row0, from, min(from+meetStrip, last))
		}
		var cols int
		_, first := w.at(p, 2*s, 0, &cols)
		_, end := w.at(p, min(2*last, p.OutH*w.perRow)-1, 0, &cols)
		finished(p, worker, example, first, end+cols)
	}
}

// tiles computes the tiles of all filters for a few strips. Row row0 of the output is the band's first.
func (f *forwardWindows) tiles(scratch, y []float32, row0, strip0, strip1 int) {
	p := (*Plan)(f)
	w := &p.windows
	var all [meetStrip]window
	var places [meetStrip]int // of their pixels
	strips := all[:strip1-strip0]
	for i := range strips {
		d, s := &strips[i], strip0+i
		d.CRow = p.pixels()
		src, dst := w.at(p, 2*s, row0, &d.Cols[0])
		if 2*s+1 < p.OutH*w.perRow {
			nextSrc, nextDst := w.at(p, 2*s+1, row0, &d.Cols[1])
			d.BNext, d.CNext = nextSrc-src, nextDst-dst
		}
		d.B, places[i] = scratch[src:], dst
	}
	for kb := range p.strip.kBlocks {
		k0 := kb * p.strip.kLength
		for tile := range p.strip.rowTiles {
			row, rows := p.filterTile(tile)
			a := p.call.packed[row*p.patch()+k0*rows:]
			for i := range strips {
				d := &strips[i]
				d.A, d.Rows, d.K = a, rows, min(p.strip.kLength, p.patch()-k0)
				d.Offsets, d.Add = w.stage.offsets[k0:], min(kb, 1)
				d.C = y[row*p.pixels()+places[i]:]
				d.Start = nil
				if kb == 0 && p.call.bias != nil {
					d.Start = p.call.bias[row:]
				}
				d.run(p.variant)
			}
		}
	}
}

// at returns the place of a vector of output pixels: of its first window in the staged input of the band from output
// row row0 on, and in a channel of the output. It sets the number of its pixels.
func (w *windowPlan) at(p *Plan, vector, row0 int, cols *int) (src, dst int) {
	row, col := vector/w.perRow, vector%w.perRow*w.lanes
	*cols = min(w.lanes, p.OutW-col)
	return (row-row0)*w.stage.rowOffset + col, row*p.OutW + col
}

// windowScratch is the length of a worker's memory. The kernel reads beyond the staged input, but does not use those
// values.
func (p *Plan) windowScratch() int { return align(p.windows.stage.size(p.InC) + p.windows.lanes) }

func (p *Plan) windowWork(threads int) int {
	return packedWork(p) + threads*p.windowScratch()
}
