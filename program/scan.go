package program

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/tensor"
)

// Scan is a loop over time. It runs Body once for each of Steps steps, from first to last, or with Reverse from last
// to first. The operands are Body's inputs, in that order. First come the invariants, which every step reads. Then
// come the states: the first step reads the given ones, and every other step those left by the step before. Then come
// sequences
// [Steps, …]: step t reads element t.
//
// The first results are the states of all steps, [Steps + 1, …]: step t reads element t and writes element t+1; with
// Reverse it reads t+1 and writes t. Then come Body's other outputs of all steps, [Steps, …]. Body's outputs are the
// new states, followed by the results of all its operations, so that gradients can read what a step computed.
// Executors only keep the results that are read.
type Scan struct {
	Body               *Program
	Steps              int
	Invariants, States int // numbers of Body's inputs
	Reverse            bool
}

// Name is "scan".
func (o Scan) Name() string { return "scan" }

// String returns the settings, and the operations of the body one after the other.
func (o Scan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{Steps:%d Reverse:%t Invariants:%d States:%d Body:(", o.Steps, o.Reverse, o.Invariants, o.States)
	for i, v := range o.Body.Inputs {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%v%v", v, v.Shape)
	}
	b.WriteString(")")
	for _, v := range o.Body.Values {
		if v.Kind == FromConst && len(v.Const) > 1 {
			fmt.Fprintf(&b, " %v = %v;", v, v.Const)
		}
	}
	for _, n := range o.Body.Nodes {
		b.WriteString(" " + n.String() + ";")
	}
	for _, s := range o.Body.Outputs[:o.States] {
		fmt.Fprintf(&b, " → %v", s.Value)
	}
	return b.String() + "}"
}

// Infer checks the operands against the body.
func (o Scan) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != len(o.Body.Inputs) {
		return nil, fmt.Errorf("takes %d operands", len(o.Body.Inputs))
	}
	if o.Steps < 1 {
		return nil, fmt.Errorf("there are %d steps: a sequence has at least one", o.Steps)
	}
	for i, v := range o.Body.Inputs {
		want := v.Shape
		if i >= o.Invariants+o.States {
			want = sequenceOf(o.Steps, v.Shape)
		}
		if !in[i].Equal(want) {
			return nil, fmt.Errorf("operand %d has the shape %v, a step takes %v", i, in[i], want)
		}
	}
	var out []tensor.Shape
	for i, n := range o.Body.Outputs {
		if i >= o.States {
			out = append(out, sequenceOf(o.Steps, n.Value.Shape))
			continue
		}
		if state := o.Body.Inputs[o.Invariants+i].Shape; !state.Equal(n.Value.Shape) {
			return nil, fmt.Errorf("state %d has the shape %v, and %v after a step", i, state, n.Value.Shape)
		}
		out = append(out, sequenceOf(o.Steps+1, n.Value.Shape))
	}
	return out, nil
}

func sequenceOf(steps int, s tensor.Shape) tensor.Shape { return append(tensor.Shape{steps}, s...) }

// before returns the states that each step reads, after those that it writes: [Steps, …].
func (o Scan) before(b *Builder, states *Value) *Value { return o.states(b, states, o.Reverse) }
func (o Scan) after(b *Builder, states *Value) *Value  { return o.states(b, states, !o.Reverse) }

func (o Scan) states(b *Builder, states *Value, later bool) *Value {
	if later {
		return b.Slice(states, 0, 1, o.Steps+1)
	}
	return b.Slice(states, 0, 0, o.Steps)
}

// Loop holds the settings of Builder.Scan.
type Loop struct {
	Steps   int
	Reverse bool // from the last step to the first
}

// Scan emits a loop. step emits the formula of one step. It is called once, with the operands as a step sees them, and
// returns the new states and further results. Values that are the same in every step are computed before the loop; so
// are the random numbers of all steps. Scan returns the states after each step, the further results of each step, and
// the final states. The first two have a first dimension of Steps.
func (b *Builder) Scan(l Loop, invariants, initial, sequences []*Value,
	step func(b *Builder, invariants, states, x []*Value) (next, results []*Value),
) (states, results, last []*Value) {
	raw := NewBuilder()
	t := newTracing(b, l)
	declare := func(list []*Value, what string, lead int) (out []*Value) {
		for i, v := range list {
			if len(v.Shape) < lead || lead == 1 && v.Shape[0] != l.Steps {
				panic(&ShapeError{Op: "scan", Shapes: []tensor.Shape{v.Shape},
					Reason: fmt.Sprintf("%s %d should have %d steps", what, i, l.Steps)})
			}
			out = append(out, raw.Input(fmt.Sprintf("%s%d", what, i), v.Shape[lead:]...))
		}
		return out
	}
	inv, state, x := declare(invariants, "invariant", 0), declare(initial, "state", 0), declare(sequences, "x", 1)
	next, outs := step(raw, inv, state, x)
	for i, v := range inv {
		t.known[v] = traced{invariant, invariants[i]}
	}
	for i, v := range x {
		t.known[v] = traced{sequence, sequences[i]}
	}
	for i, v := range state {
		t.state(v, initial[i])
	}
	n := t.emit(next, outs)
	for k := range state {
		states = append(states, t.op.after(b, n.Out[k]))
		at := l.Steps
		if l.Reverse {
			at = 0
		}
		last = append(last, b.Reshape(b.Slice(n.Out[k], 0, at, at+1), state[k].Shape...))
	}
	for _, v := range outs {
		results = append(results, t.result(v))
	}
	return states, results, last
}
