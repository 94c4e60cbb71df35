package conv

import "github.com/dl4go/dl4go/internal/parallel"

// filterPlan is the plan for the gradient of the filters, a sum over pixels and examples. It is split into blocks of
// input channels and into groups of examples, whose sums are added at the end in order. Within a group, the sum is
// split into chunks of about a thousand pixels. All this depends on the geometry only.
type filterPlan struct {
	dotRows, dotCols int
	channels, blocks int
	groups           int
	examples         int  // in a chunk
	rows             int  // output rows in a chunk; less than OutH only if examples is 1
	rowLength        int  // of gathered patches: a chunk's pixels for one position in the filter
	direct           bool // a 1x1 convolution that reads x directly
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
	f.direct = pointwise(p)
	return f
}

func (p *Plan) filterScratch() int {
	if p.dw.direct {
		return 0
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
	panel := scratch[p.stage.size(f.channels):]
	out := p.call.w
	if f.groups > 1 {
		out = p.call.work[p.call.wRow+group*p.filters():][:p.filters()]
	}
	k0, k1 := c0*p.KH*p.KW, (c0+channels)*p.KH*p.KW

	d := dot{ARow: p.pixels(), AGroup: p.ySize(), BRow: f.rowLength, BGroup: align(f.rows * p.OutW), CRow: p.patch()}
	if f.direct {
		d.BRow, d.BGroup = p.pixels(), p.xSize()
	}
	last := (group + 1) * p.Batch / f.groups
	for e := group * p.Batch / f.groups; e < last; e += f.examples {
		d.Groups = min(f.examples, last-e)
		for row := 0; row < p.OutH; row += f.rows {
			rows := min(f.rows, p.OutH-row)
			d.N = rows * p.OutW
			if f.direct {
				p.dots(&d, p.call.x[e*p.xSize()+c0*p.pixels()+row*p.OutW:], p.call.y[e*p.ySize()+row*p.OutW:], out[k0:], k1-k0)
				d.Add = 1
				continue
			}
			for g := range d.Groups {
				x := p.call.x[(e+g)*p.xSize()+c0*p.InH*p.InW:][:channels*p.InH*p.InW]
				src := p.stage.fill(scratch, x, channels, row*p.StrideH,
					min(p.stage.height, (row+rows-1)*p.StrideH+(p.KH-1)*p.DilH+1))
				p.gatherPixels(panel[g*d.BGroup:], f.rowLength, src, p.stage.offsets[:k1-k0], row*p.OutW, d.N)
			}
			p.dots(&d, panel, p.call.y[e*p.ySize()+row*p.OutW:], out[k0:], k1-k0)
			d.Add = 1
		}
	}
}

// dots runs the micro-kernel over all filters and over rows of x.
func (p *Plan) dots(d *dot, x, dy, out []float32, rows int) {
	f := &p.dw
	outTiles, rowTiles := ceil(p.OutC, f.dotRows), ceil(rows, f.dotCols)
	for i := range outTiles {
		o := i * p.OutC / outTiles
		d.Rows = (i+1)*p.OutC/outTiles - o
		d.A = dy[o*p.pixels():]
		for j := range rowTiles {
			r := j * rows / rowTiles
			d.Cols = (j+1)*rows/rowTiles - r
			d.B = x[r*d.BRow:]
			d.C = out[o*p.patch()+r:]
			d.run(p.variant)
		}
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
