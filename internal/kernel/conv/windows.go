package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// windowPlan computes pixels of the output from the staged input in place, without gathering patches. If rows of the
// output fill vectors well, and the input is copied anyway, there is one copy of it, and vectors are parts of rows.
// With shifts, vectors cross the ends of rows. Bands of a few rows are staged at a time. Within a band, a tile of
// filters meets a few strips of pixels before the next tile does, so that both stay in the first-level cache.
type windowPlan struct {
	used    bool
	lanes   int // of a vector
	vectors int // of a channel of the output
	perRow  int // vectors for a row of output pixels; 0 if they cross rows
	strips  int // pairs of vectors
	band    int // strips that are staged at a time
	stage   stage
	shifts  shifts
	offsets []int32
}

const (
	bandRows  = 8 // about as many rows of output pixels are staged at a time
	meetStrip = 4 // strips meet a tile of filters at a time
)

func newWindowPlan(p *Plan) windowPlan {
	w := windowPlan{lanes: p.lane / 2}
	w.perRow = ceil(p.OutW, w.lanes)
	if p.stage.copied && 8*p.OutW >= 7*w.lanes*w.perRow {
		w.used = true
		w.vectors = p.OutH * w.perRow
		w.strips = ceil(w.vectors, 2)
		w.band = ceil(bandRows*w.perRow, 2)
		w.stage = p.stage.band(min(p.OutH, ceil(2*w.band, w.perRow)+1))
		w.offsets = w.stage.offsets
	} else if p.Geometry.shifts(p.OutH) {
		w.shift(p)
	}
	return w
}

// shift plans vectors that cross rows.
func (w *windowPlan) shift(p *Plan) {
	const (
		staged  = 64 << 10 // floats: within the second-level cache
		largest = 4 * staged
	)
	w.perRow, w.vectors = 0, ceil(p.pixels(), w.lanes)
	w.strips = ceil(w.vectors, 2)
	for w.band = w.strips; ; w.band = ceil(w.band, 2) {
		rows := min(p.OutH, ceil(2*w.lanes*w.band-1, p.OutW)+1)
		w.shifts = newShifts(p.Geometry, p.InC, rows)
		if w.band == 1 || w.shifts.size() <= staged {
			break
		}
	}
	if w.used = w.shifts.size() <= largest; !w.used {
		return
	}
	for c := range p.InC {
		for u := range p.KH {
			for v := range p.KW {
				w.offsets = append(w.offsets, int32(w.shifts.offset(c, u, v)))
			}
		}
	}
}

// fill stages rows [row0, row1) of the input.
func (w *windowPlan) fill(p *Plan, dst, x []float32, row0, row1 int) {
	if w.perRow == 0 {
		w.shifts.fill(p.variant, dst, x, p.InC, row0, row1)
	} else {
		w.stage.refill(p.variant, dst, x, p.InC, row0, row1)
	}
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
		var cols int
		_, first := w.at(p, 2*s, 0, &cols)
		_, end := w.at(p, min(2*last, w.vectors)-1, 0, &cols)
		end += cols
		row0, row1 := first/p.OutW, (end-1)/p.OutW
		w.fill(p, scratch, x, row0*p.StrideH, row1*p.StrideH+(p.KH-1)*p.DilH+1)
		for from := s; from < last; from += meetStrip {
			f.tiles(scratch, y, row0, from, min(from+meetStrip, last))
		}
		finished(p, worker, example, first, end)
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
		if 2*s+1 < w.vectors {
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
				d.Offsets, d.Add = w.offsets[k0:], min(kb, 1)
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
	if w.perRow == 0 {
		dst = vector * w.lanes
		*cols = min(w.lanes, p.pixels()-dst)
		return dst - row0*p.OutW, dst
	}
	row, col := vector/w.perRow, vector%w.perRow*w.lanes
	*cols = min(w.lanes, p.OutW-col)
	return (row-row0)*w.stage.rowOffset + col, row*p.OutW + col
}

// windowScratch is the length of a worker's memory. The kernel reads beyond the staged input, but does not use those
// values.
func (p *Plan) windowScratch() int {
	w := &p.windows
	if w.perRow == 0 {
		return align(w.shifts.size() + w.lanes)
	}
	return align(w.stage.size(p.InC) + w.lanes)
}

func (p *Plan) windowWork(threads int) int {
	return packedWork(p) + threads*p.windowScratch()
}
