package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// ShapeError means that an operation does not accept its operands. The methods of [Builder] panic with it, so that
// formulas stay readable. [Try] turns it into an error.
type ShapeError struct {
	Op     string
	Shapes []tensor.Shape
	Reason string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s of %v: %s", e.Op, e.Shapes, e.Reason)
}

// Try runs a function that uses a [Builder]. If it panics with a *[ShapeError], Try returns that. Other panics pass
// through.
func Try(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(*ShapeError)
			if !ok {
				panic(v)
			}
			err = e
		}
	}()
	f()
	return nil
}

// Builder makes one program. The same operation on the same operands is emitted once, and returns the same value. If
// operands do not fit, the methods panic with a *[ShapeError]: see [Try].
type Builder struct {
	// Scope is the scope of the operations that are emitted from now on. An operation that Gradients emits has the layer
	// of the operation whose gradient it computes.
	Scope Scope

	p    Program
	seen map[string]*Node
}

// NewBuilder returns a builder with an empty program.
func NewBuilder() *Builder { return &Builder{seen: map[string]*Node{}} }

// value adds v, whose extents must not be negative.
func (b *Builder) value(v *Value) *Value {
	for _, d := range v.Shape {
		if d < 0 {
			op := v.Name
			if v.Kind == FromNode {
				op = v.Node.Op.Name()
			}
			panic(&ShapeError{Op: "value " + op, Shapes: []tensor.Shape{v.Shape}, Reason: "an extent is negative"})
		}
	}
	v.ID = len(b.p.Values)
	b.p.Values = append(b.p.Values, v)
	return v
}

// Input declares an input, which each run binds. The same name returns the same value.
func (b *Builder) Input(name string, shape ...int) *Value {
	if i := b.p.Input(name); i >= 0 {
		if v := b.p.Inputs[i]; v.Shape.Equal(shape) {
			return v
		}
		panic(&ShapeError{Op: "input " + name, Shapes: []tensor.Shape{b.p.Inputs[i].Shape, shape}, Reason: "declared twice"})
	}
	v := b.value(&Value{Kind: FromInput, Name: name, Shape: tensor.Shape(shape).Clone()})
	b.p.Inputs = append(b.p.Inputs, v)
	return v
}

// View reads a range of a vector as a tensor of this shape, in C order.
func (b *Builder) View(vec Vector, offset int, shape ...int) *Value {
	for _, v := range b.p.Values {
		if v.Kind == FromVector && v.Vector == vec && v.Offset == offset && v.Shape.Equal(shape) {
			return v
		}
	}
	return b.value(&Value{Kind: FromVector, Vector: vec, Offset: offset, Shape: tensor.Shape(shape).Clone()})
}

// Scalar is a constant of shape [].
func (b *Builder) Scalar(x float64) *Value { return b.Fill(x) }

// Fill is a constant tensor whose elements all are x.
func (b *Builder) Fill(x float64, shape ...int) *Value {
	for _, v := range b.p.Values {
		if v.Kind == FromConst && len(v.Const) == 1 && v.Const[0] == x && v.Shape.Equal(shape) {
			return v
		}
	}
	return b.value(&Value{Kind: FromConst, Const: []float64{x}, Shape: tensor.Shape(shape).Clone()})
}

// Const is a constant tensor. It keeps data.
func (b *Builder) Const(data []float64, shape ...int) *Value {
	s := tensor.Shape(shape).Clone()
	if s.Size() != len(data) {
		panic(&ShapeError{Op: "const", Shapes: []tensor.Shape{s}, Reason: fmt.Sprintf("%d values", len(data))})
	}
	return b.value(&Value{Kind: FromConst, Const: data, Shape: s})
}

// Apply emits an operation with one result, and returns that.
func (b *Builder) Apply(op Op, in ...*Value) *Value { return b.ApplyAll(op, in...)[0] }

// ApplyAll emits an operation and returns its results.
func (b *Builder) ApplyAll(op Op, in ...*Value) []*Value {
	key := fmt.Sprintf("%s%+v", op.Name(), op)
	shapes := make([]tensor.Shape, len(in))
	for i, v := range in {
		shapes[i] = v.Shape
		key += fmt.Sprintf(",%d", v.ID)
	}
	if n := b.seen[key]; n != nil {
		return n.Out
	}
	out, err := op.Infer(shapes)
	if err != nil {
		panic(&ShapeError{Op: op.Name(), Shapes: shapes, Reason: err.Error()})
	}
	n := &Node{ID: len(b.p.Nodes), Op: op, In: append([]*Value(nil), in...), Scope: b.Scope}
	for i, s := range out {
		n.Out = append(n.Out, b.value(&Value{Kind: FromNode, Node: n, Index: i, Shape: s.Clone()}))
	}
	b.p.Nodes = append(b.p.Nodes, n)
	b.seen[key] = n
	return n.Out
}

// Output names a value that runs return.
func (b *Builder) Output(name string, v *Value) {
	b.p.Outputs = append(b.p.Outputs, Named{name, v})
}

// Store writes v into the vector from offset on when the run ends. Ranges of one vector must not overlap.
func (b *Builder) Store(vec Vector, offset int, v *Value) {
	for _, s := range b.p.Stores {
		if s.Vector == vec && offset < s.Offset+s.Value.Shape.Size() && s.Offset < offset+v.Shape.Size() {
			panic(&ShapeError{Op: fmt.Sprintf("store into %v from %d and from %d", vec, s.Offset, offset),
				Shapes: []tensor.Shape{s.Value.Shape, v.Shape}, Reason: "the ranges overlap"})
		}
	}
	b.p.Stores = append(b.p.Stores, Store{vec, offset, v})
}

// Build returns the program, without values that neither an output nor a store needs. The builder must not be used
// afterwards.
func (b *Builder) Build() *Program {
	live := make([]bool, len(b.p.Values))
	var queue []*Value
	need := func(v *Value) {
		if !live[v.ID] {
			live[v.ID] = true
			queue = append(queue, v)
		}
	}
	for _, o := range b.p.Outputs {
		need(o.Value)
	}
	for _, s := range b.p.Stores {
		need(s.Value)
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if v.Kind == FromNode {
			for _, w := range v.Node.In {
				need(w)
			}
		}
	}
	p := b.p
	p.Values, p.Nodes, p.Inputs, p.Lengths = nil, nil, nil, [NumVectors]int{}
	for _, s := range p.Stores {
		p.Lengths[s.Vector] = max(p.Lengths[s.Vector], s.Offset+s.Value.Shape.Size())
	}
	keep := func(v *Value) {
		if v.Kind == FromVector {
			p.Lengths[v.Vector] = max(p.Lengths[v.Vector], v.Offset+v.Shape.Size())
		}
		v.ID = len(p.Values)
		p.Values = append(p.Values, v)
	}
	for _, v := range b.p.Values {
		if v.Kind != FromNode {
			if v.Kind == FromInput {
				p.Inputs = append(p.Inputs, v) // unused ones, too: callers bind by position
			} else if !live[v.ID] {
				continue
			}
			keep(v)
		}
	}
	for _, n := range b.p.Nodes {
		used := false
		for _, v := range n.Out {
			used = used || live[v.ID]
		}
		if !used {
			continue
		}
		n.ID = len(p.Nodes)
		p.Nodes = append(p.Nodes, n)
	}
	for _, n := range p.Nodes {
		for _, v := range n.Out {
			keep(v)
		}
	}
	return &p
}
