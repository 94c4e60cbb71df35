package conv

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// inputPlan is the plan for the gradient of the input. If the stride is 1 and the cost is about the same (same
// padding), it is the convolution of dy with the rotated filters. Otherwise the products wᵀ·dy are computed, a block
// of channels at a time, and every pixel of the input collects its terms from their rows.
type inputPlan struct {
	turned           *Plan
	channels, blocks int // of the second method
	rowLength        int
	direct           bool // dy is read in place
	kBlocks, kLength int
	dyOffsets        []int32
	terms            []term // of the staged rows and remainders
	termsOf          []int32
}

// turns reports whether the filters are rotated.
func (g Geometry) turns() bool {
	return g.StrideH == 1 && g.StrideW == 1 && 4*g.InH*g.InW <= 5*g.pixels()
}

func newInputPlan(p *Plan) inputPlan {
	if p.turns() {
		g := p.Geometry
		g.InC, g.InH, g.InW, g.OutC, g.OutH, g.OutW = p.OutC, p.OutH, p.OutW, p.InC, p.InH, p.InW
		g.PadTop = (p.KH-1)*p.DilH - p.PadTop
		g.PadLeft = (p.KW-1)*p.DilW - p.PadLeft
		t := &Plan{Geometry: g, variant: p.variant, tileRows: p.tileRows, lane: p.lane}
		planForward(t)
		return inputPlan{turned: t}
	}
	// A block's products should stay in the first-level cache if dy does, too. Otherwise each block gathers dy, and the
	// second-level cache is enough.
	const inner, block = 8 << 10, 32 << 10
	in := inputPlan{rowLength: align(p.pixels()), direct: p.ySize() <= inner}
	size := block
	if in.direct {
		size = inner
	}
	in.channels = min(p.InC, max(1, size/(p.KH*p.KW*in.rowLength)))
	in.blocks = ceil(p.InC, in.channels)
	in.kBlocks, in.kLength = gemm.Blocks(p.OutC)
	for o := range p.OutC {
		in.dyOffsets = append(in.dyOffsets, int32(o*p.pixels()))
	}
	in.collects(p)
	return in
}

// collects lists, for every staged row and remainder of columns, the places of its terms in the products of a channel.
func (in *inputPlan) collects(p *Plan) {
	for row := range p.stage.height {
		for remainder := range p.StrideW {
			in.termsOf = append(in.termsOf, int32(len(in.terms)))
			for u := range p.KH {
				out := row - u*p.DilH
				if out < 0 || out%p.StrideH != 0 || out/p.StrideH >= p.OutH {
					continue
				}
				for v := range p.KW {
					if col := v * p.DilW; col%p.StrideW == remainder {
						shift := col / p.StrideW
						at := (u*p.KW+v)*in.rowLength + out/p.StrideH*p.OutW - shift
						in.terms = append(in.terms, term{int32(at), int32(shift)})
					}
				}
			}
		}
	}
	in.termsOf = append(in.termsOf, int32(len(in.terms)))
}

// tiles returns the number of tiles of the products of some channels.
func (in *inputPlan) tiles(p *Plan, channels int) int { return ceil(channels*p.KH*p.KW, p.tileRows) }

func (p *Plan) inputScratch() int {
	in := &p.input
	return p.stage.size(in.channels) + align(in.kLength*p.lane) + in.channels*p.KH*p.KW*in.rowLength
}

func (p *Plan) inputWork(threads int) int {
	if t := p.input.turned; t != nil {
		return align(p.filters()) + t.forwardWork(threads)
	}
	return align(p.filters()) + threads*p.inputScratch()
}

// GradInput computes the gradient dx of the input from dy, that of the output. It overwrites dx. An example's gradient
// only depends on that example.
func (p *Plan) GradInput(pool *parallel.Pool, dy, w, dx, work []float32) {
	needInput(p.Geometry, dy, w, dx)
	need("workspace", work, p.inputWork(pool.Threads()))
	if t := p.input.turned; t != nil {
		turned := work[:p.filters()]
		p.call = call{w: w, y: turned}
		pool.Do(ceil(p.InC, turnBlock), (*turn)(p))
		p.call = call{}
		t.Forward(pool, dy, turned, nil, dx, work[align(p.filters()):])
		return
	}
	p.call = call{x: dx, w: w, y: dy, packed: work[:p.filters()], work: work[align(p.filters()):]}
	pool.Do(p.input.blocks*p.input.tiles(p, p.input.channels), (*packInput)(p))
	pool.Do(p.Batch*p.input.blocks, (*gradInput)(p))
	p.call = call{}
}

func needInput(g Geometry, dy, w, dx []float32) {
	need("dy", dy, g.Batch*g.ySize())
	need("w", w, g.filters())
	need("dx", dx, g.Batch*g.xSize())
}

// turn swaps the filters' inputs and outputs and rotates them by 180 degrees.
type turn Plan

// turnBlock input channels are turned together, so that the filters are read in longer runs.
const turnBlock = 16

// Run rotates the filters of a block of input channels.
func (t *turn) Run(_, block int) {
	p := (*Plan)(t)
	area := p.KH * p.KW
	first, last := block*turnBlock, min((block+1)*turnBlock, p.InC)
	for o := range p.OutC {
		for c := first; c < last; c++ {
			src := p.call.w[(o*p.InC+c)*area:][:area]
			dst := p.call.y[(c*p.OutC+o)*area:][:area]
			for i, v := range src {
				dst[area-1-i] = v
			}
		}
	}
}

// packInput writes the filters of each tile in the order in which the kernel reads them.
type packInput Plan

// Run packs one tile of a block of channels.
func (t *packInput) Run(_, i int) {
	p := (*Plan)(t)
	in := &p.input
	most := in.tiles(p, in.channels)
	c0 := i / most * in.channels
	channels := min(in.channels, p.InC-c0)
	if tile := i % most; tile < in.tiles(p, channels) {
		rows, tiles := channels*p.KH*p.KW, in.tiles(p, channels)
		row := tile * rows / tiles
		n := (tile+1)*rows/tiles - row
		row += c0 * p.KH * p.KW
		gemm.CopyRows(p.variant, p.call.packed[row*p.OutC:], n, p.call.w[row:], p.patch(), p.OutC, n)
	}
}

type gradInput Plan

// Run computes a block of channels of one example.
func (f *gradInput) Run(worker, i int) {
	p := (*Plan)(f)
	in := &p.input
	example, c0 := i/in.blocks, i%in.blocks*in.channels
	channels := min(in.channels, p.InC-c0)
	scratch := p.call.work[worker*p.inputScratch():][:p.inputScratch()]
	n := p.stage.size(in.channels)
	staged, scratch := scratch[:n], scratch[n:]
	n = align(in.kLength * p.lane)
	panel, columns := scratch[:n], scratch[n:]

	p.columns(columns, panel, p.call.y[example*p.ySize():][:p.ySize()], c0, channels)

	dx := p.call.x[example*p.xSize()+c0*p.InH*p.InW:][:channels*p.InH*p.InW]
	target := dx
	if p.stage.copied {
		target = staged[:channels*p.stage.channelSize]
	}
	for row := range p.stage.height {
		for remainder := range p.StrideW {
			i := row*p.StrideW + remainder
			collect(p.variant, target[row*p.stage.width+remainder*p.stage.phase:], p.stage.channelSize, columns,
				p.KH*p.KW*in.rowLength, channels, in.terms[in.termsOf[i]:in.termsOf[i+1]], p.stage.phase, p.OutW)
		}
	}
	if p.stage.copied {
		p.stage.empty(dx, target, channels)
	}
}

// columns computes the rows of wᵀ·dy of some channels for one example.
func (p *Plan) columns(dst, panel, dy []float32, c0, channels int) {
	in := &p.input
	rows, tiles := channels*p.KH*p.KW, in.tiles(p, channels)
	packed := p.call.packed[c0*p.KH*p.KW*p.OutC:]
	t := gemm.Tile{ARow: 1, CRow: in.rowLength, Alpha: 1, B: panel, BRow: p.lane}
	for first := 0; first < p.pixels(); first += p.lane {
		t.Cols = min(p.lane, p.pixels()-first)
		for kb := range in.kBlocks {
			k0 := kb * in.kLength
			t.K = min(in.kLength, p.OutC-k0)
			if in.direct {
				t.B, t.BRow = dy[k0*p.pixels()+first:], p.pixels()
			} else {
				gather(p.variant, panel, p.lane, dy[first:], in.dyOffsets[k0:k0+t.K], t.Cols)
			}
			t.Beta = min(1, float32(kb))
			for tile, row := 0, 0; tile < tiles; tile++ {
				next := (tile + 1) * rows / tiles
				t.Rows = next - row
				t.A, t.ACol = packed[row*p.OutC+k0*t.Rows:], t.Rows
				t.C = dst[row*in.rowLength+first:]
				compute(p, &t)
				row = next
			}
		}
	}
}
