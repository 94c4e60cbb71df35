package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// tracing builds the body of a Scan from the operations of a step, which another builder holds.
type tracing struct {
	outer *Builder
	loop  Loop
	body  *Builder
	known map[*Value]traced // the step's values that the body reads
	of    map[*Value]*Value // maps the step's values to the body's

	invariants, states, sequences []*Value // the body's inputs
	operands                      [3][]*Value

	next []*Value
	op   Scan
	node *Node
}

// traced says where a value of a step comes from in the outer program.
type traced struct {
	role  role
	outer *Value
}

type role int

const (
	inner     role = iota // computed in the step
	invariant             // the same in every step
	sequence              // an element of a sequence
)

func newTracing(outer *Builder, l Loop) *tracing {
	return &tracing{outer: outer, loop: l, body: NewBuilder(), known: map[*Value]traced{}, of: map[*Value]*Value{}}
}

// state declares a state.
func (t *tracing) state(v, initial *Value) {
	in := t.body.Input(fmt.Sprintf("state%d", len(t.states)), v.Shape...)
	t.of[v] = in
	t.known[v] = traced{role: inner}
	t.states = append(t.states, in)
	t.operands[1] = append(t.operands[1], initial)
}

// trace classifies a value of the step. Values that only depend on invariants are computed by the outer program.
func (t *tracing) trace(v *Value) traced {
	if k, ok := t.known[v]; ok {
		return k
	}
	var k traced
	switch v.Kind {
	case FromConst:
		c := *v
		k = traced{invariant, t.outer.value(&c)}
		if len(v.Const) == 1 {
			k.outer = t.outer.Fill(v.Const[0], v.Shape...)
		}
	case FromNode:
		if r, random := v.Node.Op.(Random); random {
			k = traced{sequence, t.outer.Random(r.Stream, sequenceOf(t.loop.Steps, v.Shape)...)}
			break
		}
		var in []*Value
		for _, w := range v.Node.In {
			if x := t.trace(w); x.role == invariant {
				in = append(in, x.outer)
			}
		}
		if len(in) == len(v.Node.In) {
			k = traced{invariant, t.outer.ApplyAll(v.Node.Op, in...)[v.Index]}
		}
	default:
		panic(&ShapeError{Op: "scan", Shapes: []tensor.Shape{v.Shape},
			Reason: fmt.Sprintf("a step reads %v, which is none of its operands", v)})
	}
	t.known[v] = k
	return k
}

// copy returns the body's value for one of the step's.
func (t *tracing) copy(v *Value) *Value {
	if w := t.of[v]; w != nil {
		return w
	}
	k := t.trace(v)
	var w *Value
	switch {
	case v.Kind == FromConst && len(v.Const) == 1:
		w = t.body.Fill(v.Const[0], v.Shape...)
	case v.Kind == FromConst:
		w = t.body.Const(v.Const, v.Shape...)
	case k.role == invariant:
		if c := k.outer; c.Kind == FromConst && len(c.Const) == 1 {
			w = t.body.Fill(c.Const[0], v.Shape...)
			break
		}
		w = t.body.Input(fmt.Sprintf("invariant%d", len(t.invariants)), v.Shape...)
		t.invariants = append(t.invariants, w)
		t.operands[0] = append(t.operands[0], k.outer)
	case k.role == sequence:
		w = t.body.Input(fmt.Sprintf("x%d", len(t.sequences)), v.Shape...)
		t.sequences = append(t.sequences, w)
		t.operands[2] = append(t.operands[2], k.outer)
	default:
		in := make([]*Value, len(v.Node.In))
		for i, u := range v.Node.In {
			in[i] = t.copy(u)
		}
		w = t.body.ApplyAll(v.Node.Op, in...)[v.Index]
	}
	t.of[v] = w
	return w
}

// emit makes the loop, given the step's new states and other values wanted from it.
func (t *tracing) emit(next, wanted []*Value) *Node {
	if len(next) != len(t.states) {
		panic(&ShapeError{Op: "scan", Reason: fmt.Sprintf("a step gives %d states of %d", len(next), len(t.states))})
	}
	for i, v := range next {
		w := t.copy(v)
		t.next = append(t.next, w)
		t.body.Output(fmt.Sprintf("state%d", i), w)
	}
	for _, v := range wanted {
		if t.trace(v).role == inner {
			t.copy(v)
		}
	}
	for i, v := range t.body.p.Values {
		if v.Kind == FromNode {
			t.body.Output(fmt.Sprintf("result%d", i), v)
		}
	}
	p := t.body.Build()
	p.Inputs = append(append(append([]*Value(nil), t.invariants...), t.states...), t.sequences...)
	t.op = Scan{Body: p, Steps: t.loop.Steps, Invariants: len(t.invariants), States: len(t.states),
		Reverse: t.loop.Reverse}
	operands := append(append(append([]*Value(nil), t.operands[0]...), t.operands[1]...), t.operands[2]...)
	out := t.outer.ApplyAll(t.op, operands...)
	if len(out) == 0 {
		panic(&ShapeError{Op: "scan", Reason: "a step computes nothing"})
	}
	t.node = out[0].Node
	t.op = t.node.Op.(Scan) // an equal loop may already exist
	return t.node
}

// result returns the values, of all steps, of one of the step's results or known values.
func (t *tracing) result(v *Value) *Value {
	switch k := t.trace(v); k.role {
	case sequence:
		return k.outer
	case invariant:
		return t.outer.BroadcastTo(t.outer.Reshape(k.outer, sequenceOf(1, v.Shape)...), sequenceOf(t.loop.Steps, v.Shape)...)
	}
	w := t.of[v]
	for k := range t.states {
		switch w {
		case t.states[k]:
			return t.op.before(t.outer, t.node.Out[k])
		case t.next[k]:
			return t.op.after(t.outer, t.node.Out[k])
		}
	}
	for i, o := range t.op.Body.Outputs {
		if i >= t.op.States && o.Value.ID == w.ID {
			return t.node.Out[i]
		}
	}
	panic(&ShapeError{Op: "scan", Shapes: []tensor.Shape{v.Shape}, Reason: "the value is none of the step's"})
}
