// Package conv computes two-dimensional convolutions of float32 (cross-correlations, in fact) and their gradients.
// They are products of matrices; patches of the input are gathered a few at a time. A one-dimensional convolution has
// height 1.
package conv

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
)

// Geometry is the shape of a convolution:
//
//	y[n, o, i, j] = bias[o] + Σ_{c,u,v} w[o, c, u, v] *
//	    x[n, c, i*StrideH - PadTop + u*DilH, j*StrideW - PadLeft + v*DilW]
//
// x [Batch, InC, InH, InW], w [OutC, InC, KH, KW] → y [Batch, OutC, OutH, OutW]. x is zero outside; the padding at the
// bottom and on the right follows from OutH and OutW. (A zero of the padding times an infinite weight is NaN.)
type Geometry struct {
	Batch, InC, InH, InW int
	OutC, KH, KW         int
	StrideH, StrideW     int
	DilH, DilW           int
	PadTop, PadLeft      int
	OutH, OutW           int
}

func (g Geometry) patch() int   { return g.InC * g.KH * g.KW }
func (g Geometry) pixels() int  { return g.OutH * g.OutW }
func (g Geometry) xSize() int   { return g.InC * g.InH * g.InW }
func (g Geometry) ySize() int   { return g.OutC * g.pixels() }
func (g Geometry) filters() int { return g.OutC * g.patch() }

func (g Geometry) valid() bool {
	return g.Batch >= 0 && g.InC > 0 && g.InH > 0 && g.InW > 0 && g.OutC > 0 && g.KH > 0 && g.KW > 0 &&
		g.StrideH > 0 && g.StrideW > 0 && g.DilH > 0 && g.DilW > 0 && g.OutH > 0 && g.OutW > 0
}

// Check returns an error if a convolution, or its gradient, is too large: places within an example are counted in 32
// bits.
func (g Geometry) Check(gradient bool) error {
	product := func(of ...int) float64 {
		n := 1.0
		for _, x := range of {
			n *= float64(x)
		}
		return n
	}
	staged := func(c, h, w int) float64 { // input staged for h by w output pixels
		return float64(c) * (product(h-1, g.StrideH) + product(g.KH-1, g.DilH) + 1) * (product(w-1,
			g.StrideW) + product(g.KW-1, g.DilW) + float64(g.StrideW))
	}
	most := max(product(g.InC, g.InH, g.InW), staged(g.InC, g.OutH, g.OutW))
	if gradient {
		most = max(most, product(g.OutC, g.OutH, g.OutW), staged(g.InC, 1, g.OutW)*4/3)
		if g.turns() {
			most = max(most, staged(g.OutC, g.InH, g.InW))
		} else {
			most = max(most, product(g.KH, g.KW)*(product(g.OutH, g.OutW)+16))
		}
	}
	if most > math.MaxInt32 {
		return fmt.Errorf("a convolution counts %.3g numbers of an example, and at most 2³¹ − 1: use smaller images, fewer "+
			"channels or less padding", most)
	}
	return nil
}

// Plan computes convolutions of one geometry, one at a time. It belongs to one executor.
type Plan struct {
	Geometry
	gemm.Following // of Forward
	reading

	variant        kernel.Variant
	tileRows, lane int
	bf16           *channelPairs // terms of sums are pairs of channels as bfloat16; nil: they are float32

	stage   stage
	strip   stripPlan  // forward
	windows windowPlan // forward, if it is used
	pair    pairPlan   // forward, if it is used
	input   inputPlan  // gradient of the input
	dw      filterPlan // gradient of the filters
	outer   outerPlan  // gradient of the filters, if it is used

	call    call
	cleared []bool // each worker's staged input has the padding's zeros
}

// call holds the operands of the current computation.
type call struct {
	x, w, bias, y, work []float32
	packed              []float32 // filters, or sums
	wRow                int
	parts               int
}

// New plans the convolutions of one geometry. Don't run a convolution that Check refuses.
func New(v kernel.Variant, g Geometry) *Plan {
	if !g.valid() {
		panic(fmt.Sprintf("conv: impossible geometry %+v", g))
	}
	p := &Plan{Geometry: g, variant: v}
	p.tileRows, p.lane = gemm.Size(v)
	planForward(p)
	p.input = newInputPlan(p)
	p.dw = newFilterPlan(p)
	p.outer = newOuterPlan(p)
	return p
}

// planForward chooses the way of Forward.
func planForward(p *Plan) {
	p.stage = newStage(p.Geometry, vector.For(p.variant), p.bf16 != nil)
	p.strip = newStripPlan(p)
	if p.bf16 == nil { // pairs have no kernel that reads windows
		p.windows = newWindowPlan(p)
		p.pair = newPairPlan(p)
	}
}

// Workspace returns the length of the scratch memory that each of Forward, GradInput and GradFilter needs on the given
// number of threads.
func (p *Plan) Workspace(threads int) int {
	return max(p.forwardWork(threads), p.inputWork(threads), p.filterWork(threads))
}

// compute computes a tile of a plan.
func compute(p *Plan, t *gemm.Tile) {
	if p.bf16 != nil {
		t.RunPairs(p.variant)
	} else {
		t.Run(p.variant)
	}
}

func need(name string, x []float32, n int) {
	if len(x) < n {
		panic(fmt.Sprintf("conv: %s has %d floats, needs %d", name, len(x), n))
	}
}

func ceil(a, b int) int { return (a + b - 1) / b }

// align rounds up to whole cache lines.
func align(n int) int { return (n + 15) / 16 * 16 }
