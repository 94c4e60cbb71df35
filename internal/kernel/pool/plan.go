package pool

import (
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// Plan runs poolings of one geometry. It belongs to one executor: its calls must not overlap. Results do not depend on
// the number of threads. A slice whose length does not fit the geometry panics.
type Plan struct {
	Geometry
	rows, cols []window
	do         operations
	call       call
}

// operations treat any number of whole planes.
type operations struct {
	max         func(p *Plan, x, y []float32)
	maxGrad     func(p *Plan, x, y, dy, dx []float32)
	average     func(p *Plan, x, y []float32)
	averageGrad func(p *Plan, dy, dx []float32)
}

// New makes a plan with the kernels of a variant that kernel.Available lists.
func New(v kernel.Variant, g Geometry) *Plan {
	g.check()
	return &Plan{
		Geometry: g,
		rows:     windows(g.InH, g.OutH, g.KH, g.StrideH, g.DilH, g.PadTop),
		cols:     windows(g.InW, g.OutW, g.KW, g.StrideW, g.DilW, g.PadLeft),
		do:       choose(v, g),
	}
}

// Max sets y to the largest element of each window, to NaN where the window has one, to -Inf where the whole window
// lies outside the image.
func (p *Plan) Max(threads *parallel.Pool, x, y []float32) {
	p.mustFit(len(x), len(y))
	p.run(threads, call{kind: maximum, x: x, y: y})
}

// MaxGrad sets dx to the gradient of Max: each dy goes to the first element, in row-major order, of its window that is
// the maximum (the first NaN, if there is one); an element that is the maximum of several windows gets their sum,
// added in row-major order of the windows. x and y are Max's operand and result.
func (p *Plan) MaxGrad(threads *parallel.Pool, x, y, dy, dx []float32) {
	p.mustFit(len(x), len(y))
	p.mustFit(len(dx), len(dy))
	p.run(threads, call{kind: maximumGrad, x: x, y: y, dy: dy, dx: dx})
}

// Average sets y to the mean of each window, 0 where the whole window lies outside the image.
func (p *Plan) Average(threads *parallel.Pool, x, y []float32) {
	p.mustFit(len(x), len(y))
	p.run(threads, call{kind: average, x: x, y: y})
}

// AverageGrad sets dx to the gradient of Average: each dy, divided as the mean is, goes to all cells of its window,
// added in row-major order of the windows.
func (p *Plan) AverageGrad(threads *parallel.Pool, dy, dx []float32) {
	p.mustFit(len(dx), len(dy))
	p.run(threads, call{kind: averageGrad, dy: dy, dx: dx})
}

type kind int

const (
	maximum kind = iota
	maximumGrad
	average
	averageGrad
)

// call is the operands of the running call.
type call struct {
	kind         kind
	x, y, dy, dx []float32
	grain        int // planes to a part
}

// cellsPerPart is how many cells of the image a part has at least, so that handing it out costs little beside it.
const cellsPerPart = 16 << 10

func (p *Plan) run(threads *parallel.Pool, c call) {
	if p.Planes == 0 {
		return
	}
	c.grain = max(1, cellsPerPart/max(1, p.InH*p.InW))
	p.call = c
	threads.Do((p.Planes+c.grain-1)/c.grain, p)
	p.call = call{}
}

// Run treats one part of the running call; it is for parallel.Pool.
func (p *Plan) Run(_, part int) {
	c := &p.call
	from, to := part*c.grain, min(p.Planes, (part+1)*c.grain)
	in, out := p.InH*p.InW, p.OutH*p.OutW
	switch c.kind {
	case maximum:
		p.do.max(p, c.x[from*in:to*in], c.y[from*out:to*out])
	case maximumGrad:
		p.do.maxGrad(p, c.x[from*in:to*in], c.y[from*out:to*out], c.dy[from*out:to*out], c.dx[from*in:to*in])
	case average:
		p.do.average(p, c.x[from*in:to*in], c.y[from*out:to*out])
	case averageGrad:
		p.do.averageGrad(p, c.dy[from*out:to*out], c.dx[from*in:to*in])
	}
}
