package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// convolution is a convolution, or a gradient of one. Its operands may be followed by a bias, and then by the means,
// scales and shifts with which it normalises its result.
type convolution struct {
	node       *node
	geometry   conv.Geometry
	plan       convolving
	bias       *operand  // nil for none
	normalises []operand // means, scales and shifts; or none
	work       *buffer

	group  *group        // attached to the convolution; or nil
	packed *packedWeight // the filters, and the bias if the convolution normalises; nil: they are read as they are
}

// convolving is a plan in float32 or in bfloat16.
type convolving interface {
	PackedSize() int
	Pack(dst, w []float32)
	ReadPacked()
	Workspace(threads int) int
	Follow(f gemm.Follower)
	Forward(pool *parallel.Pool, x, w, bias, y, work []float32)
	GradInput(pool *parallel.Pool, dy, w, dx, work []float32)
	GradFilter(pool *parallel.Pool, x, dy, dw, work []float32)
}

// convolving plans convolutions of one geometry.
func (p *parameters) convolving(g conv.Geometry) convolving {
	if p.factors == inPairs {
		return conv.NewBF16(p.variant, g)
	}
	return conv.New(p.variant, g)
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
	c := &convolution{node: n, geometry: g, plan: x.convolving(g)}
	if forward {
		c.pack(x)
	}
	c.work = m.work(n.unit, c.plan.Workspace(x.executor.Threads()))
	return c, nil
}

// pack finds the operands beside image and filters, and the place of packed filters.
func (c *convolution) pack(x *Executable) {
	rest := c.node.in[2:]
	if len(rest) >= 3 {
		c.normalises, rest = rest[len(rest)-3:], rest[:len(rest)-3]
	}
	if len(rest) == 1 {
		c.bias = &rest[0]
	}
	filters, size := c.node.in[1], c.plan.PackedSize()
	switch {
	case c.normalises != nil:
		c.packed = x.claimFilters(filters, &c.normalises[0], c.filterSize()+c.geometry.OutC, true)
	case x.inParams(filters) && size > 0:
		c.packed = x.claimFilters(filters, nil, size, false)
	}
	if c.packed != nil && size > 0 {
		c.plan.ReadPacked()
	}
}

// filterSize is the length of the filters in the form in which the plan reads them.
func (c *convolution) filterSize() int {
	if n := c.plan.PackedSize(); n > 0 {
		return aligned(n)
	}
	return aligned(c.node.in[1].shape.Size())
}

// filters returns the filters and the bias, nil for none, in the form in which the plan reads them.
func (c *convolution) filters(x *Executable) (w, bias []float32) {
	w = x.read(c.node.in[1])
	if c.bias != nil {
		bias = x.read(*c.bias)
	}
	switch {
	case c.packed == nil:
		return w, bias
	case c.normalises == nil:
		return c.packed.get(c.plan.PackedSize(), func(dst []float32) { c.plan.Pack(dst, w) }), bias
	}
	n := c.filterSize()
	all := c.packed.get(n+c.geometry.OutC, func(dst []float32) {
		by := normalisedFilters{bias, x.read(c.normalises[0]), x.read(c.normalises[1]), x.read(c.normalises[2])}
		by.biases(dst[n:])
		if c.plan.PackedSize() == 0 {
			by.filters(dst, w)
			return
		}
		scaled := make([]float32, len(w))
		by.filters(scaled, w)
		c.plan.Pack(dst, scaled)
	})
	return all[:n], all[n:]
}

// geometry returns the geometry of a convolution of images with filters.
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
	a, y := x.read(n.in[0]), x.elements(n.out[0])
	switch n.op.(type) {
	case program.Conv2D:
		w, bias := c.filters(x)
		c.plan.Forward(pool, a, w, bias, y, work)
	case program.Conv2DGradInput:
		c.plan.GradInput(pool, a, x.read(n.in[1]), y, work)
	case program.Conv2DGradFilter:
		c.plan.GradFilter(pool, a, x.read(n.in[1]), y, work)
	}
}

func (c *convolution) String() string {
	g := c.geometry
	s := fmt.Sprintf("%s %d filters %dx%dx%d", c.node.op.Name(), g.OutC, g.InC, g.KH, g.KW)
	if c.bias != nil {
		s += " with bias"
	}
	if c.normalises != nil {
		s += ", normalised"
	}
	if c.packed != nil {
		s += ", packed"
	}
	return s + describe(c.node) + c.group.attached()
}
