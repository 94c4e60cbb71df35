package conv

import "github.com/dl4go/dl4go/internal/parallel"

// filterPlan is the plan for the gradient of the filters, a sum over pixels and examples. It is split into blocks of
// input channels and into groups of examples, whose sums are added at the end in order. Within a group, the sum is
// split into chunks of about a thousand pixels. All this depends on the geometry only.
type filterPlan struct {
	dotRows, dotCols int
	tiles            int // of filters
	channels, blocks int
	groups           int
	examples         int  // in a chunk
	rows             int  // output rows in a chunk; less than OutH only if examples is 1
	rowLength        int  // of gathered patches: a chunk's pixels for one position in the filter
	direct           bool // a 1x1 convolution that reads x directly
	shifted          bool // the input is staged by shifts; otherwise patches are gathered
	shifts           shifts
}

func newFilterPlan(p *Plan) filterPlan {
	const (
		chunk  = 1024
		block  = 36
		enough = 8 // tasks
	)
	f := filterPlan{rows: p.OutH, examples: 1}
	f.dotRows, f.dotCols = dotSize(p.variant)
	f.channels = min(p.InC, max(1, block/(p.KH*p.KW)))
	f.blocks = ceil(p.InC, f.channels)
	f.groups = max(1, min(p.Batch, ceil(enough, f.blocks)))
	if p.pixels() > 2*chunk {
		f.rows = max(1, chunk/p.OutW)
	} else {
		f.examples = max(1, min(ceil(p.Batch, f.groups), chunk/p.pixels()))
	}
	f.rowLength = f.examples*align(f.rows*p.OutW) + 16
	f.tiles = ceil(p.OutC, f.dotRows)
	f.direct = pointwise(p)
	if f.shifted = p.Geometry.shifts(f.rows); f.shifted {
		f.shifts = newShifts(p.Geometry, f.channels, f.rows)
	}
	return f
}

func (p *Plan) filterScratch() int {
	if p.dw.direct {
		return 0
	}
	if p.dw.shifted {
		return p.dw.examples * p.dw.shifts.size()
	}
	return p.stage.size(p.dw.channels) + p.dw.channels*p.KH*p.KW*p.dw.rowLength
}

func (p *Plan) filterWork(threads int) int {
	if p.outer.used {
		return p.outerWork(threads)
	}
	n := threads * align(p.filterScratch())
	if p.dw.groups > 1 {
		n += p.dw.groups * p.filters()
	}
	return n
}

// GradFilter computes the gradient dw of the filters from the input x and the gradient dy of the output. It overwrites
// dw.
func (p *Plan) GradFilter(pool *parallel.Pool, x, dy, dw, work []float32) {
	needFilter(p.Geometry, x, dy, dw)
	need("workspace", work, p.filterWork(pool.Threads()))
	if p.Batch == 0 {
		clear(dw[:p.filters()])
		return
	}
	if p.outer.used {
		p.call = call{x: x, w: dw, y: dy, work: work}
		p.gradOuter(pool)
		p.call = call{}
		return
	}
	p.call = call{x: x, w: dw, y: dy, work: work, wRow: pool.Threads() * align(p.filterScratch())}
	forget(p, pool)
	pool.Do(p.dw.groups*p.dw.blocks, (*gradFilter)(p))
	if p.dw.groups > 1 {
		pool.Do(p.OutC, (*sumFilters)(p))
	}
	p.call = call{}
}

func needFilter(g Geometry, x, dy, dw []float32) {
	need("x", x, g.Batch*g.xSize())
	need("dy", dy, g.Batch*g.ySize())
	need("dw", dw, g.filters())
}

type gradFilter Plan

// Run computes the sums of one group of examples for one block of input channels.
func (t *gradFilter) Run(worker, i int) {
	p := (*Plan)(t)
	f := &p.dw
	group, c0 := i/f.blocks, i%f.blocks*f.channels
	channels := min(f.channels, p.InC-c0)
	scratch := p.call.work[worker*align(p.filterScratch()):][:p.filterScratch()]
	out := p.call.w
	if f.groups > 1 {
		out = p.call.work[p.call.wRow+group*p.filters():][:p.filters()]
	}
	out = out[c0*p.KH*p.KW:]
	if f.shifted && !p.cleared[worker] { // the padding's zeros stay from chunk to chunk
		clear(scratch)
		p.cleared[worker] = true
	}

	d := dot{ARow: p.pixels(), AGroup: p.ySize(), CRow: p.patch()}
	last := (group + 1) * p.Batch / f.groups
	for e := group * p.Batch / f.groups; e < last; e += f.examples {
		d.Groups = min(f.examples, last-e)
		for row := 0; row < p.OutH; row += f.rows {
			rows := min(f.rows, p.OutH-row)
			d.N = rows * p.OutW
			x, dy := p.call.x[e*p.xSize()+c0*p.InH*p.InW:], p.call.y[e*p.ySize()+row*p.OutW:]
			switch {
			case f.direct:
				d.BRow, d.BGroup = p.pixels(), p.xSize()
				t.allDots(&d, x[row*p.OutW:], dy, out, channels)
			case f.shifted:
				t.shiftedDots(&d, scratch, x, dy, out, channels, row, rows)
			default:
				t.gatheredDots(&d, scratch, x, dy, out, channels, row, rows)
			}
			d.Add = 1
		}
	}
}

// gatheredDots computes the sums over a chunk from gathered patches.
func (t *gradFilter) gatheredDots(d *dot, scratch, x, dy, out []float32, channels, row, rows int) {
	p := (*Plan)(t)
	f := &p.dw
	panel, n := scratch[p.stage.size(f.channels):], channels*p.KH*p.KW
	d.BRow, d.BGroup = f.rowLength, align(f.rows*p.OutW)
	for g := range d.Groups {
		src := p.stage.fill(scratch, x[g*p.xSize():], channels, row*p.StrideH,
			min(p.stage.height, (row+rows-1)*p.StrideH+(p.KH-1)*p.DilH+1))
		p.gatherPixels(panel[g*d.BGroup:], f.rowLength, src, p.stage.offsets[:n], row*p.OutW, d.N)
	}
	t.allDots(d, panel, dy, out, n)
}

// shiftedDots computes the sums over a chunk from shifts of the input, for one row of a filter after the other.
func (t *gradFilter) shiftedDots(d *dot, scratch, x, dy, out []float32, channels, row, rows int) {
	p := (*Plan)(t)
	f := &p.dw
	d.BRow, d.BGroup = f.shifts.copied, f.shifts.size()
	for g := range d.Groups {
		f.shifts.fill(p.variant, scratch[g*d.BGroup:], x[g*p.xSize():], channels, row, row+rows+(p.KH-1)*p.DilH)
	}
	for tile := range f.tiles {
		sums := out[f.rowsOf(p, d, dy, tile)*p.patch():]
		for c := range channels {
			for u := range p.KH {
				t.dots(d, scratch[f.shifts.offset(c, u, 0):], sums[(c*p.KH+u)*p.KW:], p.KW)
			}
		}
	}
}

// allDots runs the micro-kernel over all filters and over rows of x.
func (t *gradFilter) allDots(d *dot, x, dy, out []float32, rows int) {
	p := (*Plan)(t)
	for tile := range p.dw.tiles {
		o := p.dw.rowsOf(p, d, dy, tile)
		t.dots(d, x, out[o*p.patch():], rows)
	}
}

// rowsOf sets d to a tile of filters, and returns the first one.
func (f *filterPlan) rowsOf(p *Plan, d *dot, dy []float32, tile int) int {
	o := tile * p.OutC / f.tiles
	d.Rows = (tile+1)*p.OutC/f.tiles - o
	d.A = dy[o*p.pixels():]
	return o
}

// dots runs the micro-kernel over rows of x. out has the sums of the first filter.
func (t *gradFilter) dots(d *dot, x, out []float32, rows int) {
	p := (*Plan)(t)
	tiles := ceil(rows, p.dw.dotCols)
	for i := range tiles {
		r := i * rows / tiles
		d.Cols = (i+1)*rows/tiles - r
		d.B, d.C = x[r*d.BRow:], out[r:]
		d.run(p.variant)
	}
}

type sumFilters Plan

// Run adds the groups' sums of one filter.
func (t *sumFilters) Run(_, o int) {
	p := (*Plan)(t)
	n := p.patch()
	dst := p.call.w[o*n:][:n]
	sums := p.call.work[p.call.wRow:]
	copy(dst, sums[o*n:])
	for g := 1; g < p.dw.groups; g++ {
		for i, v := range sums[g*p.filters()+o*n:][:n] {
			dst[i] += v
		}
	}
}
