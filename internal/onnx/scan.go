package onnx

import (
	"errors"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/program"
)

// scan writes a loop over time as ONNX's Scan, with all of its results that are read, and returns the one for v.
//
// A program's Scan returns the states of all steps, with the initial state before them; ONNX's only returns the last
// state. So the body also returns its states as results of the steps.
func (t *translation) scan(v *program.Value) (string, error) {
	n := v.Node
	op := n.Op.(program.Scan)
	in, err := t.values(n.In)
	if err != nil {
		return "", err
	}
	states := in[op.Invariants:][:op.States]
	sequences := in[op.Invariants+op.States:]
	if len(sequences) == 0 {
		return "", errors.New("its loop has no sequence, which ONNX's Scan needs")
	}
	body, results, err := t.body(n, op, in[:op.Invariants])
	if err != nil {
		return "", err
	}
	attributes := []*onnxfile.Attribute{
		{Name: "body", Type: onnxfile.GraphAttribute, Graph: body}, integer("num_scan_inputs", len(sequences))}
	if op.Reverse {
		attributes = append(attributes, integers("scan_input_directions", repeat(1, len(sequences))...),
			integers("scan_output_directions", repeat(1, len(results))...))
	}
	outs := t.nodes("Scan", append(append([]string{}, states...), sequences...), op.States+len(results), attributes...)
	for i, k := range results {
		name := outs[op.States+i]
		if k < op.States { // the initial state goes before the states of the steps, or after them if reversed
			first := t.node("Unsqueeze", []string{states[k], t.ints(0)})
			both := []string{first, name}
			if op.Reverse {
				both = []string{name, first}
			}
			name = t.node("Concat", both, integer("axis", 0))
		}
		t.names[n.Out[k].ID] = name
	}
	return t.names[v.ID], nil
}

// body writes the loop's body. results are the indices of the Scan's results that are read.
func (t *translation) body(n *program.Node, op program.Scan, invariants []string) (*onnxfile.Graph, []int, error) {
	var programs []*program.Program
	for _, o := range opsOf[program.Scan](t, n) {
		programs = append(programs, o.Body)
	}
	g := &onnxfile.Graph{Name: t.unique(t.scope + "/body")}
	outer := t.nested
	t.nested = g
	defer func() { t.nested = outer }()
	twins, err := align(programs)
	if err != nil {
		return nil, nil, err
	}
	b := t.translation(programs, twins, nil)
	value := func(v *program.Value, name string) *onnxfile.Value {
		out := &onnxfile.Value{Name: name, Type: onnxfile.Float, HasShape: true}
		for _, e := range b.extents(v) {
			d := onnxfile.Dim{Size: -1}
			if e.fixed() {
				d.Size = int64(e[0])
			}
			out.Dims = append(out.Dims, d)
		}
		return out
	}
	for i, v := range op.Body.Inputs {
		if i < op.Invariants {
			b.names[v.ID] = invariants[i]
			continue
		}
		name := t.unique(t.scope + "/" + v.Name)
		b.names[v.ID] = name
		g.Inputs = append(g.Inputs, value(v, name))
	}
	put := func(v *program.Value) error {
		name, err := b.value(v)
		if err == nil {
			name = b.node("Identity", []string{name}) // an output must be a value of its own
			g.Outputs = append(g.Outputs, value(v, name))
		}
		return err
	}
	var results []int
	for _, o := range op.Body.Outputs[:op.States] {
		if err := put(o.Value); err != nil {
			return nil, nil, err
		}
	}
	for k, out := range n.Out {
		if t.uses[out.ID] == 0 {
			continue
		}
		results = append(results, k)
		if err := put(op.Body.Outputs[k].Value); err != nil {
			return nil, nil, err
		}
	}
	return g, results, nil
}

func repeat(x, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = x
	}
	return out
}
