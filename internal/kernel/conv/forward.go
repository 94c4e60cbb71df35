package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// stripPlan divides the output pixels of an example into strips, and the filters into tiles.
type stripPlan struct {
	strips, rowTiles int
	firstRows        []int // of the tiles, and the number of filters
	group            int   // number of strips that are gathered at a time, and
	panelRow         int   // the row stride of the gathered pixels
	kBlocks, kLength int
	padded           int  // row length of the copy of w, or 0 if w can be used directly
	direct           bool // a 1x1 convolution that reads x directly
}

func newStripPlan(p *Plan) stripPlan {
	s := stripPlan{strips: ceil(p.pixels(), p.lane), rowTiles: ceil(p.OutC, p.tileRows)}
	for tile := range s.rowTiles + 1 {
		s.firstRows = append(s.firstRows, tile*p.OutC/s.rowTiles)
	}
	s.kBlocks, s.kLength = gemm.Blocks(p.patch())
	const gathered = 32 << 10 // floats: within the second-level cache
	s.group = ceil(s.strips, ceil(s.strips, max(1, gathered/(s.kLength*p.lane))))
	if s.panelRow = s.group * p.lane; gemm.Aliases(s.panelRow) {
		s.panelRow += 16
	}
	if gemm.Aliases(p.patch()) {
		s.padded = align(p.patch()) + 16
	} else if p.bf16 != nil {
		s.padded = p.patch()
	}
	s.direct = pointwise(p) && !gemm.Aliases(p.pixels())
	return s
}

// pointwise reports whether a filter has one cell, and the pixels of the output are those of the input.
func pointwise(p *Plan) bool {
	return p.KH == 1 && p.KW == 1 && p.PadTop == 0 && p.PadLeft == 0 && p.StrideH == 1 && p.StrideW == 1 &&
		p.OutH == p.InH && p.OutW == p.InW
}

func (p *Plan) forwardScratch() int {
	return p.stage.size(p.InC) + align(p.strip.kLength*p.strip.panelRow) + p.bf16.line(p)
}

func (p *Plan) forwardWork(threads int) int {
	if p.pair.used {
		return packedWork(p) + threads*p.pair.scratch(p)
	}
	if p.windows.used {
		return p.windowWork(threads)
	}
	return packedWork(p) + threads*p.forwardScratch()
}

// PackedSize returns the length of filters in the form in which Forward reads them fastest, or 0 if it reads them as
// they are.
func (p *Plan) PackedSize() int {
	if p.pair.used {
		return p.pair.filters(p)
	}
	if p.windows.used {
		return p.filters()
	}
	return p.OutC * p.strip.padded
}

// packedWork is the length of the scratch memory for packed filters.
func packedWork(p *Plan) int {
	if p.packed {
		return 0
	}
	return align(p.PackedSize())
}

// Pack writes the filters w to dst, of PackedSize elements, for plans with these filters and a Forward of the same
// stride, dilation and output height and width, whatever their batch.
func (p *Plan) Pack(dst, w []float32) {
	need("packed filters", dst, p.PackedSize())
	need("w", w, p.OutC*channels(p)*p.KH*p.KW)
	if p.pair.used {
		p.pair.pack(p, dst, w)
		return
	}
	if p.windows.used {
		for tile := range p.strip.rowTiles {
			(*packFilters)(p).tile(dst, w, tile)
		}
		return
	}
	for o := range p.OutC {
		(*packRows)(p).filter(dst, w, o)
	}
}

// reading says how Forward reads the filters.
type reading struct{ packed bool }

// ReadPacked says that Forward's filters are those of Pack.
func (r *reading) ReadPacked() { r.packed = true }

// packRows writes each filter to a row.
type packRows Plan

// Run packs one filter.
func (f *packRows) Run(_, o int) {
	p := (*Plan)(f)
	f.filter(p.call.packed, p.call.w, o)
}

func (f *packRows) filter(dst, w []float32, o int) {
	p := (*Plan)(f)
	n := channels(p) * p.KH * p.KW
	row, from := dst[o*p.strip.padded:][:p.patch()], w[o*n:][:n]
	if p.bf16 != nil {
		p.bf16.pack(p, row, from)
	} else {
		copy(row, from)
	}
}

// channels returns the number of channels of the input. With pairs of channels, it is not InC.
func channels(p *Plan) int {
	if p.bf16 != nil {
		return p.bf16.channels
	}
	return p.InC
}

// Forward computes y from x, w and bias [OutC] (nil for none). An example's output only depends on that example.
func (p *Plan) Forward(pool *parallel.Pool, x, w, bias, y, work []float32) {
	need("x", x, p.Batch*channels(p)*p.InH*p.InW)
	if p.packed {
		need("packed filters", w, p.PackedSize())
	} else {
		need("w", w, p.OutC*channels(p)*p.KH*p.KW)
	}
	need("y", y, p.Batch*p.ySize())
	need("workspace", work, p.forwardWork(pool.Threads()))
	if bias != nil {
		need("bias", bias, p.OutC)
	}
	if p.Batch == 0 {
		return
	}
	(*forward)(p).start(pool, call{x: x, w: w, bias: bias, y: y, work: work, wRow: p.patch(), parts: 1})
}

// forward computes Forward by strips of pixels.
type forward Plan

// start starts the computation of a call.
func (f *forward) start(pool *parallel.Pool, c call) {
	p := (*Plan)(f)
	if p.pair.used {
		p.call = c
		(*forwardPairs)(p).start(pool)
		p.call = call{}
		return
	}
	if p.windows.used {
		p.call = c
		p.forwardWindows(pool)
		p.call = call{}
		return
	}
	if n := p.strip.padded; n > 0 {
		if c.wRow = n; !p.packed {
			w := c.w
			c.w, c.work = c.work[:p.OutC*n], c.work[align(p.OutC*n):]
			p.call = call{packed: c.w, w: w}
			pool.Do(p.OutC, (*packRows)(p))
		}
	}
	if p.Batch < 4*pool.Threads() {
		c.parts = min(p.strip.strips, ceil(4*pool.Threads(), p.Batch))
	}
	const staged = 64 << 10 // floats of a part: within the second-level cache
	c.parts = min(p.strip.strips, max(c.parts, ceil(p.stage.size(p.InC), staged)))
	p.call = c
	pool.Do(p.Batch*c.parts, f)
	p.call = call{}
}

// Run computes some strips of one example.
func (f *forward) Run(worker, i int) {
	p := (*Plan)(f)
	example, part := i/p.call.parts, i%p.call.parts
	strip0, strip1 := part*p.strip.strips/p.call.parts, (part+1)*p.strip.strips/p.call.parts
	scratch := p.call.work[worker*p.forwardScratch():][:p.forwardScratch()]
	panel := scratch[p.stage.size(p.InC):]

	row0 := strip0 * p.lane / p.OutW
	row1 := (min(strip1*p.lane, p.pixels()) - 1) / p.OutW
	src := f.staged(scratch, example, row0*p.StrideH, min(p.stage.height, row1*p.StrideH+(p.KH-1)*p.DilH+1))
	y := p.call.y[example*p.ySize():][:p.ySize()]

	t := gemm.Tile{ARow: p.call.wRow, ACol: 1, CRow: p.pixels(), Alpha: 1}
	for s := strip0; s < strip1; s += p.strip.group {
		first, last := s*p.lane, min(min(s+p.strip.group, strip1)*p.lane, p.pixels())
		for kb := range p.strip.kBlocks {
			k0 := kb * p.strip.kLength
			t.K = min(p.strip.kLength, p.patch()-k0)
			t.Beta = min(1, float32(kb))
			b, from := panel, first
			if p.strip.direct {
				b, from, t.BRow = src[k0*p.pixels():], 0, p.pixels()
			} else {
				t.BRow = p.strip.panelRow
				p.gatherPixels(panel, t.BRow, src, p.stage.offsets[k0:k0+t.K], first, last-first)
			}
			for col := first; col < last; col += p.lane {
				t.Cols = min(p.lane, last-col)
				t.B = b[col-from:]
				p.filterTiles(&t, y[col:], k0)
			}
		}
		finished(p, worker, example, first, last)
	}
}

// staged returns the staged rows [row0, row1) of an example.
func (f *forward) staged(scratch []float32, example, row0, row1 int) []float32 {
	p := (*Plan)(f)
	if p.bf16 != nil {
		n := p.bf16.channels * p.InH * p.InW
		p.bf16.fill(p, scratch, p.call.x[example*n:][:n], row0, row1)
		return scratch
	}
	return p.stage.fill(scratch, p.call.x[example*p.xSize():][:p.xSize()], p.InC, row0, row1)
}

// finished tells the follower of the output pixels [first, last) of an example.
func finished(p *Plan, worker, example, first, last int) {
	if p.Follower == nil {
		return
	}
	at := example * p.ySize()
	if last-first == p.pixels() {
		p.Follower.Finished(worker, at, at+p.ySize())
		return
	}
	for c := range p.OutC {
		p.Follower.Finished(worker, at+c*p.pixels()+first, at+c*p.pixels()+last)
	}
}

// filterTiles computes the tiles of all filters for one strip of output pixels.
func (p *Plan) filterTiles(t *gemm.Tile, y []float32, k0 int) {
	pixels := p.pixels()
	for tile := range p.strip.rowTiles {
		var row int
		row, t.Rows = p.filterTile(tile)
		t.A = p.call.w[row*p.call.wRow+k0:]
		t.C = y[row*pixels:]
		t.Start = nil
		if k0 == 0 && p.call.bias != nil {
			t.Start = p.call.bias[row:]
		}
		compute(p, t)
	}
}

// gatherPixels writes rows of stride dstRow to dst: for each offset, the input pixels under the output pixels [first,
// first+count).
func (p *Plan) gatherPixels(dst []float32, dstRow int, src []float32, offsets []int32, first, count int) {
	for at := 0; at < count; {
		row, col := (first+at)/p.OutW, (first+at)%p.OutW
		n := min(count-at, p.OutW-col)
		gather(p.variant, dst[at:], dstRow, src[row*p.stage.rowOffset+col:], offsets, n)
		at += n
	}
}
