package pool

import (
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// Plan runs poolings of one geometry. It belongs to one executor: its calls must not overlap. Results do not depend on
// the number of threads. It panics if the length of a slice does not fit the geometry.
type Plan struct {
	Geometry
	rows, cols []window
	do         operations
	call       call
}

// operations are kernels for any number of whole planes.
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

// Max sets y to the largest element of each window. It is NaN if the window has one, and -Inf if the whole window is
// outside the image.
func (p *Plan) Max(threads *parallel.Pool, x, y []float32) {
	p.mustFit(len(x), len(y))
	p.run(threads, call{kind: maximum, x: x, y: y})
}

// MaxGrad sets dx to the gradient of Max. Each dy goes to the first element of its window, in row-major order, that
// equals the maximum, or to the first NaN if there is one. An element that is the maximum of several windows gets
// their sum, added in row-major order of the windows. x and y are Max's operand and result.
func (p *Plan) MaxGrad(threads *parallel.Pool, x, y, dy, dx []float32) {
	p.mustFit(len(x), len(y))
	p.mustFit(len(dx), len(dy))
	p.run(threads, call{kind: maximumGrad, x: x, y: y, dy: dy, dx: dx})
}

// Average sets y to the mean of each window, or to 0 if the whole window is outside the image.
func (p *Plan) Average(threads *parallel.Pool, x, y []float32) {
	p.mustFit(len(x), len(y))
	p.run(threads, call{kind: average, x: x, y: y})
}

// AverageGrad sets dx to the gradient of Average. Each dy, divided like the mean, goes to all cells of its window.
// Sums are added in row-major order of the windows.
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

// call holds the operands of the current call.
type call struct {
	kind         kind
	x, y, dy, dx []float32
	grain        int // planes in a part
}

// cellsPerPart is the minimum number of cells of the image in a part, so that the cost of distributing parts is low.
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

// Run processes one part of the current call, for parallel.Pool.
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
