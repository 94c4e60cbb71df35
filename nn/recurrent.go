package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// sequencing holds the settings for sequences.
type sequencing struct {
	forward, back int      // lengths of truncated back-propagation; forward is 0 without it
	formats       []string // formats of the inputs that are sequences; empty: NCW
}

// recurrent continues sequences from call to call.
type recurrent struct {
	inference
	stored states // left by the last call
}

// states are those of recurrent layers, [rows, n] each.
type states map[stateKey]*tensor.Dense

type stateKey struct {
	node int
	name string
}

// backLength returns how many steps gradients go back in a segment of truncated back-propagation; 0 means all.
func (r *sequencing) backLength() int {
	if r.back < r.forward {
		return r.back
	}
	return 0
}

// carry gives a layer's context its states. They are inputs and outputs of the program, in the order of l.states.
func (l *lowered) carry(i int, c *layer.Context) {
	if !l.carries {
		return
	}
	if l.training {
		c.BackLength = l.n.backLength()
	}
	c.State = func(name string, rows, n int) *program.Value {
		l.states = append(l.states, stateKey{i, name})
		return l.Input(fmt.Sprintf("state%d", len(l.states)-1), rows, n)
	}
	c.KeepState = func(name string, v *program.Value) { l.kept[stateKey{i, name}] = v }
}

// emitStates makes the states that a run returns the last outputs of the program.
func (l *lowered) emitStates() {
	for i, k := range l.states {
		l.Output(fmt.Sprintf("state%d", i), l.kept[k])
	}
}

// bindStates sets the inputs that are states. States that do not exist yet are 0.
func (p *plan) bindStates(carried states) error {
	for i, in := range p.inputs {
		if in.what != 'S' {
			continue
		}
		v := p.program.Inputs[i]
		s := carried[p.states[in.index]]
		if s == nil {
			s = tensor.New(v.Shape...)
			carried[p.states[in.index]] = s
		}
		if !s.Shape.Equal(v.Shape) {
			return fmt.Errorf("the stored states are of %d sequences, now there are %d: clear them between sequences "+
				"(RnnClearPreviousState)", s.Shape[0], v.Shape[0])
		}
		p.bindings.Inputs[i] = s.Data
	}
	return nil
}

// keepStates copies the states that a run returned.
func (p *plan) keepStates(carried states) {
	first := len(p.program.Outputs) - len(p.states)
	for i, k := range p.states {
		copy(carried[k].Data, p.exe.Output(first+i))
	}
}

// RnnTimeStep continues sequences: it returns the network's outputs for further steps (Deeplearning4j: rnnTimeStep). It
// starts from the states after the last call, or from zeros in the first call and after RnnClearPreviousState. Features
// are [batch, size, time], or [batch, size] for one step; then outputs that are sequences are [batch, size], too.
// Layers that read sequences from their end, such as Bidirectional, return an error.
func (n *recurrent) RnnTimeStep(features ...*tensor.Dense) ([]*tensor.Dense, error) {
	if n.stored == nil {
		n.stored = states{}
	}
	m := &data.MultiDataSet{}
	flat := false
	for i, f := range features {
		if len(f.Shape) == 2 && n.takesSequences(i, f.Shape[1]) {
			flat = true
			shape := []int{f.Shape[0], f.Shape[1], 1}
			if n.timeDim(i) == 1 {
				shape = []int{f.Shape[0], 1, f.Shape[1]}
			}
			f = &tensor.Dense{Shape: shape, Data: f.Data}
		}
		m.Features = append(m.Features, f)
	}
	n.carried = n.stored
	defer func() { n.carried = nil }()
	out, err := n.activations(forOutput, m, false)
	if err != nil {
		return nil, err
	}
	for _, o := range out {
		if s := o.Shape; flat && len(s) == 3 && s[1]*s[2] == o.RowSize() && (s[1] == 1 || s[2] == 1) {
			o.Shape = tensor.Shape{s[0], s[1] * s[2]}
		}
	}
	return out, nil
}

// RnnClearPreviousState discards the states that RnnTimeStep left.
func (n *recurrent) RnnClearPreviousState() { n.stored = nil }

// takesSequences reports whether a layer reads sequences of vectors of that size from input i.
func (n *blueprint) takesSequences(i, size int) bool {
	for _, nd := range n.nodes {
		for _, k := range nd.in {
			if t := layer.InputOf(nd.layer); k == -1-i && nd.pre == nil && t.Kind == inputtype.RecurrentKind && t.Size == size {
				return true
			}
		}
	}
	return false
}

// timeDim returns the dimension of time of input i.
func (n *blueprint) timeDim(i int) int {
	if i < len(n.formats) && n.formats[i] == inputtype.NWC {
		return 1
	}
	for _, nd := range n.nodes {
		for _, k := range nd.in {
			if k == -1-i && nd.pre == nil && layer.InputOf(nd.layer).Format == inputtype.NWC {
				return 1
			}
		}
	}
	return 2
}
