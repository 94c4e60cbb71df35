package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// convolution is a convolution, possibly with a bias, or a gradient of one.
type convolution struct {
	node *node
	plan *conv.Plan
	work *buffer

	group  *group        // attached to the convolution; or nil
	packed *packedWeight // the filters; nil: they are read as they are
}

func newConvolution(x *Executable, n *node, m *memory) (instruction, error) {
	var w program.Window
	var image, filter, result tensor.Shape
	switch op := n.op.(type) {
	case program.Conv2D:
		w, image, filter, result = op.Window, n.in[0].shape, n.in[1].shape, n.out[0].shape
	case program.Conv2DGradInput:
		w, image, filter, result = op.Window, n.out[0].shape, n.in[1].shape, n.in[0].shape
	case program.Conv2DGradFilter:
		w, image, filter, result = op.Window, n.in[0].shape, n.out[0].shape, n.in[1].shape
	}
	g := geometry(w, image, filter, result)
	if g.InC == 0 || g.OutC == 0 || g.InH == 0 || g.InW == 0 {
		return nil, fmt.Errorf("cpu: %s of images %v with filters %v: there is nothing to add up", n.op.Name(), image, filter)
	}
	_, forward := n.op.(program.Conv2D)
	if err := g.Check(!forward); err != nil {
		return nil, fmt.Errorf("cpu: %s of images %v with filters %v: %w", n.op.Name(), image, filter, err)
	}
	c := &convolution{node: n, plan: conv.New(x.executor.variant, g)}
	if forward {
		c.packed = x.claim(n.in[1], false, c.plan.PackedSize())
		c.plan.Packed = c.packed != nil
	}
	c.work = m.work(n.unit, c.plan.Workspace(x.executor.Threads()))
	return c, nil
}

// geometry is that of a convolution of images with filters to a result.
func geometry(w program.Window, image, filter, result tensor.Shape) conv.Geometry {
	return conv.Geometry{Batch: image[0], InC: image[1], InH: image[2], InW: image[3], OutC: filter[0],
		KH: filter[2], KW: filter[3],
		StrideH: w.StrideH, StrideW: w.StrideW, DilH: w.DilationH, DilW: w.DilationW, PadTop: w.PadTop, PadLeft: w.PadLeft,
		OutH: result[2], OutW: result[3]}
}

// lead attaches a group to the convolution.
func (c *convolution) lead(g *group) {
	c.group = g
	c.plan.Follow(g)
}

func (c *convolution) run(x *Executable) {
	if c.group != nil {
		c.group.begin(x)
		defer c.group.end()
	}
	n, pool, work := c.node, x.executor.pool, x.work(c.work)
	a, b, y := x.read(n.in[0]), x.read(n.in[1]), x.elements(n.out[0])
	switch n.op.(type) {
	case program.Conv2D:
		var bias []float32
		if len(n.in) == 3 {
			bias = x.read(n.in[2])
		}
		if c.packed != nil {
			b = c.packed.get(c.plan, c.plan.PackedSize(), b)
		}
		c.plan.Forward(pool, a, b, bias, y, work)
	case program.Conv2DGradInput:
		c.plan.GradInput(pool, a, b, y, work)
	case program.Conv2DGradFilter:
		c.plan.GradFilter(pool, a, b, y, work)
	}
}

func (c *convolution) String() string {
	g := c.plan.Geometry
	s := fmt.Sprintf("%s %d filters %dx%dx%d", c.node.op.Name(), g.OutC, g.InC, g.KH, g.KW)
	if len(c.node.in) == 3 {
		s += " with bias"
	}
	if c.packed != nil {
		s += ", packed"
	}
	return s + describe(c.node) + c.group.attached()
}
