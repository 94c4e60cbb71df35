package program

import "github.com/dl4go/dl4go/tensor"

// Gradients emits the backward half of the program. For each value of wrt, it returns the gradient of the sum of y's
// elements, weighted by seed, which has y's shape; nil means ones. The gradient is nil if y does not depend on the
// value. Contributions are added in the reverse order of the operations that make them, so the order is fixed.
func (b *Builder) Gradients(y, seed *Value, wrt []*Value) []*Value {
	if seed == nil {
		seed = b.Fill(1, y.Shape...)
	}
	return b.gradients([]*Value{y}, []*Value{seed}, wrt)
}

// gradients is Gradients of several values whose weighted sums are added.
func (b *Builder) gradients(y, seed, wrt []*Value) []*Value {
	last := len(b.p.Nodes)
	depends := make([]bool, len(b.p.Values)) // whether each value depends on one of wrt
	for _, v := range wrt {
		depends[v.ID] = true
	}
	for _, n := range b.p.Nodes[:last] {
		any := false
		for _, v := range n.In {
			any = any || depends[v.ID]
		}
		for _, v := range n.Out {
			depends[v.ID] = depends[v.ID] || any
		}
	}
	outer := b.Scope
	defer func() { b.Scope = outer }()
	grads := map[*Value]*Value{}
	for i, v := range y {
		if old := grads[v]; old != nil {
			grads[v] = b.Add(old, seed[i])
		} else {
			grads[v] = seed[i]
		}
	}
	for i := last - 1; i >= 0; i-- {
		n := b.p.Nodes[i]
		dout := make([]*Value, len(n.Out))
		flows := false
		for k, v := range n.Out {
			if g := grads[v]; g != nil && depends[v.ID] {
				dout[k], flows = g, true
			}
		}
		if !flows {
			continue
		}
		b.Scope = Scope{n.Layer, Backward}
		for k, g := range n.Op.Grad(b, n, dout) {
			in := n.In[k]
			if g == nil || !depends[in.ID] {
				continue
			}
			if !g.Shape.Equal(in.Shape) {
				panic(&ShapeError{Op: "gradient of " + n.Op.Name(), Shapes: []tensor.Shape{in.Shape, g.Shape},
					Reason: "shapes differ"})
			}
			if old := grads[in]; old != nil {
				g = b.Add(old, g)
			}
			grads[in] = g
		}
	}
	out := make([]*Value, len(wrt))
	for i, v := range wrt {
		out[i] = grads[v]
	}
	return out
}

func noGradient(n *Node) *ShapeError {
	e := &ShapeError{Op: "gradient of " + n.Op.Name(), Reason: "there is no gradient of second order"}
	for _, v := range n.In {
		e.Shapes = append(e.Shapes, v.Shape)
	}
	return e
}

// sumTo sums v over the dimensions along which an operand of the given shape was broadcast.
func (b *Builder) sumTo(v *Value, shape tensor.Shape) *Value {
	if v == nil || v.Shape.Equal(shape) {
		return v
	}
	lead := len(v.Shape) - len(shape)
	var dims []int
	for i := range v.Shape {
		if i < lead || shape[i-lead] == 1 && v.Shape[i] != 1 {
			dims = append(dims, i)
		}
	}
	if len(dims) > 0 {
		v = b.Apply(Reduce{Kind: Sum, Dims: Dims(dims...), Keep: true}, v)
	}
	return b.Reshape(v, shape...)
}
