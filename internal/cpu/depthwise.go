package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// depthwise is a depthwise convolution, or a gradient of one. Its operands may be followed by the means, scales and
// shifts with which it normalises its result, after a bias or none.
type depthwise struct {
	node       *node
	plan       *conv.Depthwise
	work       *buffer
	bias       *operand      // nil for none
	normalises []operand     // means, scales and shifts; or none
	packed     *packedWeight // filters and bias, if the convolution normalises
}

func newDepthwise(x *Executable, n *node, m *memory) (instruction, error) {
	var w program.Window
	var image, filter, result tensor.Shape
	switch op := n.op.(type) {
	case program.DepthwiseConv2D:
		w, image, filter, result = op.Window, n.in[0].shape, n.in[1].shape, n.out[0].shape
	case program.DepthwiseConv2DGradInput:
		w, image, filter, result = op.Window, n.out[0].shape, n.in[1].shape, n.in[0].shape
	case program.DepthwiseConv2DGradFilter:
		w, image, filter, result = op.Window, n.in[0].shape, n.out[0].shape, n.in[1].shape
	}
	g := geometry(w, image, filter, result)
	g.OutC = result[1]
	if g.InC == 0 || g.OutC == 0 || g.InH == 0 || g.InW == 0 {
		return nil, fmt.Errorf("cpu: %s of images %v with filters %v: there is nothing to add up", n.op.Name(), image, filter)
	}
	if err := g.CheckDepthwise(); err != nil {
		return nil, fmt.Errorf("cpu: %s of images %v with filters %v: %w", n.op.Name(), image, filter, err)
	}
	d := &depthwise{node: n, plan: conv.NewDepthwise(x.executor.variant, g)}
	d.work = m.work(n.unit, d.plan.Workspace(x.executor.Threads()))
	if rest := n.in[2:]; len(rest) >= 3 {
		d.normalises = rest[len(rest)-3:]
		if len(rest) > 3 {
			d.bias = &rest[0]
		}
		d.packed = x.claimFilters(untransposed(n.in[1]), &d.normalises[0], filter.Size()+g.OutC, true)
	}
	return d, nil
}

// filters returns the filters, and the bias or nil.
func (d *depthwise) filters(x *Executable) (w, bias []float32) {
	w = x.read(d.node.in[1])
	if d.packed == nil {
		return w, nil
	}
	n := len(w)
	all := d.packed.get(n+d.plan.OutC, func(dst []float32) {
		by := normalisedFilters{nil, x.read(d.normalises[0]), x.read(d.normalises[1]), x.read(d.normalises[2])}
		if d.bias != nil {
			by.bias = x.read(*d.bias)
		}
		by.filters(dst, w)
		by.biases(dst[n:])
	})
	return all[:n], all[n : n+d.plan.OutC]
}

func (d *depthwise) run(x *Executable) {
	n, pool, work := d.node, x.executor.pool, x.work(d.work)
	a, b, y := x.read(n.in[0]), x.read(n.in[1]), x.elements(n.out[0])
	switch n.op.(type) {
	case program.DepthwiseConv2D:
		w, bias := d.filters(x)
		d.plan.Forward(pool, a, w, bias, y, work)
	case program.DepthwiseConv2DGradInput:
		d.plan.GradInput(pool, a, b, y, work)
	case program.DepthwiseConv2DGradFilter:
		d.plan.GradFilter(pool, a, b, y, work)
	}
}

func (d *depthwise) String() string {
	g := d.plan.Geometry
	s := fmt.Sprintf("%s %d channels, %d filters %dx%d each", d.node.op.Name(), g.InC, d.plan.Multiplier, g.KH, g.KW)
	if d.normalises != nil {
		s += ", normalised"
	}
	return s + describe(d.node)
}
