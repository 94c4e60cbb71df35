package onnx

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// flow is the output of a step: a value of the graph, and its shapes and types at every point.
type flow struct {
	name, mask string // mask is "" if there is none
	shapes     []tensor.Shape
	maskShapes []tensor.Shape
	types      []inputtype.Type
	rows       extent
}

// lowering is a step's formula as a program at every point. The programs have the same operations; only extents
// differ.
type lowering struct {
	programs []*program.Program
	values   [][]*program.Value   // of each program, aligned by align
	known    map[int]activationOf // values that are activations of other values, by ID
	out      flow                 // without a name
}

// activationOf says that a value is an activation of another one.
type activationOf struct {
	kind activation.Activation
	of   int
}

type found struct {
	kind activation.Activation
	of   *program.Value
}

// lower emits a formula at every point. emit gets the builder, the index of the point, and the inputs.
func lower(at []point, in []flow, kinds []activation.Activation,
	emit func(b *program.Builder, i int, in []layer.Activation) layer.Activation) (*lowering, error) {
	l := &lowering{}
	l.out.types, l.out.shapes = make([]inputtype.Type, len(at)), make([]tensor.Shape, len(at))
	for i := range at {
		b := program.NewBuilder()
		var values []layer.Activation
		for k, f := range in {
			a := layer.Activation{Value: b.Input(fmt.Sprintf("x%d", k), f.shapes[i]...), Type: f.types[i]}
			if f.mask != "" {
				a.Mask = b.Input(fmt.Sprintf("mask%d", k), f.maskShapes[i]...)
			}
			values = append(values, a)
		}
		var out layer.Activation
		var acts map[*program.Value]found
		if err := program.Try(func() {
			out = emit(b, i, values)
			acts = recognise(b, kinds, out)
		}); err != nil {
			return nil, err
		}
		l.out.types[i], l.out.shapes[i] = out.Type, out.Value.Shape
		b.Output("y", out.Value)
		if out.Mask != nil {
			b.Output("mask", out.Mask)
			l.out.maskShapes = append(l.out.maskShapes, out.Mask.Shape)
		}
		p := b.Build()
		l.programs = append(l.programs, p)
		if i == 0 {
			l.known = map[int]activationOf{}
			for v, f := range acts {
				l.known[v.ID] = activationOf{f.kind, f.of.ID}
			}
		}
	}
	var err error
	l.values, err = align(l.programs)
	return l, err
}

// recognise finds the values that are an activation of another value. A builder returns the same value for the same
// operations on the same operands, so emitting an activation again finds the existing one.
func recognise(b *program.Builder, kinds []activation.Activation, out layer.Activation) map[*program.Value]found {
	acts := map[*program.Value]found{}
	there := reachable(out.Value)
	for _, z := range there {
		if z.Kind == program.FromVector || z.Kind == program.FromConst {
			continue
		}
		for _, kind := range kinds {
			if y := kind.Apply(b, z, activation.Env{}); y != z && slices.Contains(there, y) {
				acts[y] = found{kind, z}
			}
		}
	}
	return acts
}

// reachable lists a value and the values from which it is computed.
func reachable(v *program.Value) []*program.Value {
	seen := map[*program.Value]bool{v: true}
	list := []*program.Value{v}
	for i := 0; i < len(list); i++ {
		if list[i].Kind != program.FromNode {
			continue
		}
		for _, w := range list[i].Node.In {
			if !seen[w] {
				seen[w] = true
				list = append(list, w)
			}
		}
	}
	return list
}

// align finds the corresponding values of programs: values[i][id] is the value of program i that corresponds to value
// id of the first program. A formula may emit its operations in another order.
func align(programs []*program.Program) (values [][]*program.Value, err error) {
	for _, p := range programs {
		a := alignment{make([]*program.Value, len(programs[0].Values))}
		for k, o := range programs[0].Outputs {
			if k >= len(p.Outputs) || !a.pair(o.Value, p.Outputs[k].Value) {
				return nil, errDiffers
			}
		}
		values = append(values, a.twins)
	}
	return values, nil
}

var errDiffers = errors.New("its operations depend on the number of examples, or on the length of the sequences")

type alignment struct{ twins []*program.Value }

// pair reports whether two values are computed in the same way, and records the pair.
func (a *alignment) pair(v, w *program.Value) bool {
	if twin := a.twins[v.ID]; twin != nil {
		return twin == w
	}
	if v.Kind != w.Kind || len(v.Shape) != len(w.Shape) {
		return false
	}
	a.twins[v.ID] = w
	switch v.Kind {
	case program.FromInput:
		return v.Name == w.Name
	case program.FromVector:
		return v.Offset == w.Offset
	case program.FromConst:
		return sameConstant(v.Const, w.Const)
	}
	n, m := v.Node, w.Node
	if reflect.TypeOf(n.Op) != reflect.TypeOf(m.Op) || len(n.In) != len(m.In) || v.Index != w.Index {
		return false
	}
	for i := range n.In {
		if !a.pair(n.In[i], m.In[i]) {
			return false
		}
	}
	for i := range n.Out {
		a.twins[n.Out[i].ID] = m.Out[i]
	}
	return true
}

// sameConstant reports whether constants are equal. Arithmetic progressions may differ in length.
func sameConstant(a, b []float64) bool {
	if len(a) == 1 || len(b) == 1 || len(a) == len(b) && slices.Equal(a, b) {
		return len(a) == len(b) && a[0] == b[0]
	}
	_, s, ok := progression(a)
	_, z, also := progression(b)
	return ok && also && s == z
}

// progression reports whether numbers are an arithmetic progression.
func progression(x []float64) (first, step float64, ok bool) {
	first, step = x[0], x[1]-x[0]
	for i := range x {
		if x[i] != first+float64(i)*step {
			return 0, 0, false
		}
	}
	return first, step, true
}
