package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/pool"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// pooling is a pooling or its gradient.
type pooling struct {
	node *node
	op   program.Pool2D
	plan *pool.Plan
	// outside lists the cells of a plane of the result whose window has no cell of the image. They are 0.
	outside []int
}

func newPooling(x *Executable, n *node, _ *memory) (instruction, error) {
	p := &pooling{node: n}
	image, result := n.in[0].shape, n.out[0].shape
	if op, ok := n.op.(program.Pool2DGrad); ok {
		p.op, result = op.Pool, n.in[1].shape
	} else {
		p.op = n.op.(program.Pool2D)
	}
	g := poolGeometry(p.op, image, result)
	p.plan = pool.New(x.executor.variant, g)
	if p.op.Kind == program.MaxPool {
		p.outside = outside(g)
	}
	return p, nil
}

// poolGeometry returns the geometry of a pooling of images.
func poolGeometry(op program.Pool2D, image, result tensor.Shape) pool.Geometry {
	w := op.Window
	return pool.Geometry{Planes: image[0] * image[1], InH: image[2], InW: image[3], KH: op.KH, KW: op.KW,
		StrideH: w.StrideH, StrideW: w.StrideW, DilH: w.DilationH, DilW: w.DilationW, PadTop: w.PadTop, PadLeft: w.PadLeft,
		OutH: result[2], OutW: result[3], IncludePad: op.IncludePad}
}

// outside lists the cells of a plane of the result whose window has no cell of the image.
func outside(g pool.Geometry) (cells []int) {
	for i := range g.OutH {
		for j := range g.OutW {
			if !meets(i*g.StrideH-g.PadTop, g.KH, g.DilH, g.InH) || !meets(j*g.StrideW-g.PadLeft, g.KW, g.DilW, g.InW) {
				cells = append(cells, i*g.OutW+j)
			}
		}
	}
	return cells
}

// meets reports whether one of k cells, from first on, is in [0, n).
func meets(first, k, dilation, n int) bool {
	for i := range k {
		if c := first + i*dilation; c >= 0 && c < n {
			return true
		}
	}
	return false
}

func (p *pooling) run(x *Executable) {
	n, threads := p.node, x.executor.pool
	in, out := x.read(n.in[0]), x.elements(n.out[0])
	largest := p.op.Kind == program.MaxPool
	if _, backward := n.op.(program.Pool2DGrad); backward {
		if largest {
			p.plan.MaxGrad(threads, in, x.read(n.in[1]), x.read(n.in[2]), out)
		} else {
			p.plan.AverageGrad(threads, x.read(n.in[2]), out)
		}
		return
	}
	if !largest {
		p.plan.Average(threads, in, out)
		return
	}
	p.plan.Max(threads, in, out)
	if len(p.outside) > 0 {
		for plane := p.plan.OutH * p.plan.OutW; len(out) > 0; out = out[plane:] {
			for _, i := range p.outside {
				out[i] = 0
			}
		}
	}
}

func (p *pooling) String() string {
	return fmt.Sprintf("%s %s %dx%d", p.op.Kind, p.node.op.Name(), p.op.KH, p.op.KW) + describe(p.node)
}
