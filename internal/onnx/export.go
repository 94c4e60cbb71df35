// Package onnx writes networks as ONNX models, and reads ONNX models as networks.
//
// [Write] writes any network. A layer for which ONNX has an operator becomes that operator. Any other layer becomes
// the operations of its formula, which are those of its program. So layers of other modules are written, too. The
// number of examples is open. So is the length of sequences if the layers allow it.
//
// [Read] makes a network of the operators for which there are layers and vertices. It can be trained further.
package onnx

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// leastOpset is the operator set version of models, unless an operator needs a newer one.
const leastOpset = 17

// dilatedAverageOpset is the first with dilation in average pooling.
const dilatedAverageOpset = 19

// Options are settings of [Write]. The zero value has the defaults.
type Options struct {
	// InputShapes are the shapes of one example of each input, without the batch dimension. They replace the
	// configuration's input types. −1 is an open length of sequences. Nil means the configuration's types.
	InputShapes [][]int
	// Masks gives the model an input for the mask of each input of sequences, [batch, time].
	Masks bool
	// NoNormalizer leaves out the network's normalizer and the scaling of its pipeline: the model takes normalized
	// features and returns outputs on the scale of normalized labels.
	NoNormalizer bool
}

// LayerError names a layer or vertex that cannot be written as ONNX, or a node of an ONNX model that cannot be read.
type LayerError struct {
	Name  string
	Class string // of the layer, or the operator of the node
	Err   error
}

// Error names the layer.
func (e *LayerError) Error() string { return fmt.Sprintf("%s (%s): %v", e.Name, e.Class, e.Err) }

func (e *LayerError) Unwrap() error { return e.Err }

// Write writes a network as an ONNX model for inference: IR version 8 and op set 17, or higher if an operator needs
// it. Inputs and outputs are float32, in the network's shapes, with the number of examples open. The model includes
// the network's normalizer, and its metadata holds the names of columns and classes. If a layer is at fault, the error
// is a [LayerError].
func Write(w io.Writer, net nn.AnyNetwork, o Options) error {
	m, err := export(net.Base(), o)
	if err != nil {
		return err
	}
	return m.Write(w)
}

// newer is the panic of an operator that needs a newer op set.
type newer int64

// need says that the model must have that op set at least.
func (g *graph) need(opset int64) {
	if g.opset < opset {
		panic(newer(opset))
	}
}

// export makes the model. If an operator needs a newer op set, it starts again in that op set.
func export(net *nn.Network, o Options) (*onnxfile.Model, error) {
	in, err := inputsOf(net, o)
	if err != nil {
		return nil, err
	}
	for opset := int64(leastOpset); ; {
		m, more, err := exportWith(net, o, in, opset)
		if more <= opset {
			return m, err
		}
		opset = more
	}
}

func exportWith(net *nn.Network, o Options, in []input, opset int64) (m *onnxfile.Model, more int64, err error) {
	defer func() {
		if v := recover(); v != nil {
			n, ok := v.(newer)
			if !ok {
				panic(v)
			}
			more = int64(n)
		}
	}()
	var first error
	for _, inputs := range openings(in) {
		lengths := 0
		for _, x := range inputs {
			lengths = max(lengths, x.symbol+1)
		}
		for _, further := range []bool{false, true} {
			e := &exporter{topology: topologyOf(net), net: net, options: o, graph: newGraph(points(lengths, further))}
			e.opset = opset
			if err = e.run(inputs); err == nil {
				return e.model(), opset, nil
			}
			if first == nil || errors.Is(first, errNoFormula) {
				first = err
			}
		}
	}
	return nil, opset, first
}

// mostOpen is the largest number of lengths for which every grouping is tried. For more, all are different or all are
// the same.
const mostOpen = 4

// openings lists the ways to leave lengths of sequences open: each input's separately, some equal, all equal, and then
// the same for those lengths only that are not known. The first way that the layers allow is used.
func openings(in []input) (list [][]input) {
	fixed := slices.Clone(in)
	var all, unknown []int
	for i, x := range in {
		if fixed[i].symbol = -1; x.timeAxis > 0 {
			if all = append(all, i); x.time == 0 {
				unknown = append(unknown, i)
			}
		}
	}
	add := func(open []int) {
		for _, groups := range groupings(len(open)) {
			inputs := slices.Clone(fixed)
			for k, i := range open {
				inputs[i].symbol = groups[k]
			}
			list = append(list, inputs)
		}
	}
	if add(all); len(unknown) < len(all) {
		add(unknown)
	}
	return list
}

// groupings lists the ways to put n things into groups, most groups first. Each holds the group of each thing.
func groupings(n int) (list [][]int) {
	if n > mostOpen {
		apart := make([]int, n)
		for i := range apart {
			apart[i] = i
		}
		return [][]int{apart, make([]int, n)}
	}
	list = [][]int{{}}
	for range n {
		var longer [][]int
		for _, g := range list {
			for k := range slices.Max(append([]int{-1}, g...)) + 2 {
				longer = append(longer, append(slices.Clone(g), k))
			}
		}
		list = longer
	}
	slices.SortStableFunc(list, func(a, b []int) int {
		return slices.Max(append([]int{-1}, b...)) - slices.Max(append([]int{-1}, a...))
	})
	return list
}

// exporter writes one network.
type exporter struct {
	*topology
	*graph
	net     *nn.Network
	options Options
	flows   []flow // output of each input, then of each step
	params  map[string][]float32
	stored  map[string]string // names of parameters in the graph, by key
}

func (e *exporter) run(in []input) error {
	e.params, e.stored = map[string][]float32{}, map[string]string{}
	for _, p := range e.net.ParamTable() {
		e.params[p.Key] = e.net.Params()[p.Offset : p.Offset+p.Size]
	}
	if err := e.declare(in); err != nil {
		return err
	}
	for _, s := range e.steps {
		if err := e.step(s); err != nil {
			return &LayerError{s.name, s.class(), err}
		}
	}
	return e.finish()
}

// step writes a layer or a vertex, with the preprocessor before it.
func (e *exporter) step(s *step) error {
	e.scope = s.name
	var in []flow
	for _, k := range s.in {
		at := k + len(e.inputs)
		if k < 0 {
			at = -1 - k
		}
		f := e.flows[at]
		if s.pre != nil {
			var err error
			if f, err = e.preprocess(s, f); err != nil {
				return err
			}
		}
		in = append(in, f)
	}
	types := make([]inputtype.Type, len(e.points)) // of the result, with the length of the input
	for i := range e.points {
		var of []inputtype.Type
		for _, f := range in {
			of = append(of, f.types[i])
		}
		t, err := s.outputType(of)
		if err != nil {
			return err
		}
		types[i] = t.Over(of[0])
	}
	rows := make(extent, len(e.points))
	for i := range e.points {
		var of []int
		for _, f := range in {
			of = append(of, f.rows[i])
		}
		rows[i] = s.rows(of)
	}
	l, err := lower(e.points, in, activationsOf(s.either()), func(b *program.Builder, i int,
		a []layer.Activation) layer.Activation {
		return s.forward(&layer.Context{Builder: b, Batch: in[0].rows[i], Params: views(b, s.params())}, a)
	})
	differs := err
	if _, pools := s.of.(layer.GlobalPooling); err != nil && !(pools && errors.Is(err, errDiffers)) {
		return err // the operators of a global pooling do without the formula, which has the number of steps
	}
	out := l.out
	out.types, out.rows = types, rows
	ok := false
	if s.of != nil && (in[0].mask == "" && l.out.maskShapes == nil || passesMasks(s.of)) {
		if out.name, ok, err = e.operator(s.of, s.key+"_", in[0], l); err != nil {
			return err
		}
		out.mask = in[0].mask
	}
	if s.at != nil && in[0].mask == "" && l.out.maskShapes == nil {
		out.name, ok = e.vertexOperator(s.at, in[0])
	}
	if !ok && differs != nil {
		return differs
	}
	if !ok {
		if err := e.formula(s, l, in, &out); err != nil {
			return err
		}
	}
	e.flows = append(e.flows, out)
	return nil
}

// either returns the layer or the vertex.
func (s *step) either() any {
	if s.at != nil {
		return s.at
	}
	return s.of
}

// views returns parameters as values of a program, one after the other in the vector.
func views(b *program.Builder, params []layer.Param) map[string]*program.Value {
	m := map[string]*program.Value{}
	at := 0
	for _, p := range params {
		m[p.Name] = b.View(program.Params, at, p.Stored()...)
		at += p.Shape.Size()
	}
	return m
}

// preprocess writes the preprocessor of a step.
func (e *exporter) preprocess(s *step, f flow) (flow, error) {
	l, err := lower(e.points, []flow{f}, nil, func(b *program.Builder, i int, a []layer.Activation) layer.Activation {
		x, mask := s.pre.Apply(b, a[0].Value, a[0].Mask, a[0].Type, f.rows[i])
		return layer.Activation{Value: x, Mask: mask}
	})
	if err != nil {
		return f, err
	}
	out := l.out
	out.rows, out.types = f.rows, make([]inputtype.Type, len(e.points))
	for i, t := range f.types {
		if out.types[i], err = s.pre.OutputType(t); err != nil {
			return f, err
		}
	}
	return out, e.formula(nil, l, []flow{f}, &out)
}

// formula writes the operations of a step's program. s is nil for a preprocessor.
func (e *exporter) formula(s *step, l *lowering, in []flow, out *flow) error {
	t := e.translation(l.programs, l.values, l.known)
	p := l.programs[0]
	for k, f := range in {
		t.names[p.Inputs[p.Input(fmt.Sprintf("x%d", k))].ID] = f.name
		if f.mask != "" {
			t.names[p.Inputs[p.Input(fmt.Sprintf("mask%d", k))].ID] = f.mask
		}
	}
	if s != nil {
		at := map[int]layer.Param{}
		offset := 0
		for _, q := range s.params() {
			at[offset] = q
			offset += q.Shape.Size()
		}
		for _, v := range p.Values {
			if v.Kind == program.FromVector {
				q := at[v.Offset]
				t.names[v.ID] = e.param(s.key+"_"+q.Name, q.Stored())
			}
		}
	}
	var err error
	if out.name, err = t.value(p.Outputs[0].Value); err == nil && len(p.Outputs) > 1 {
		out.mask, err = t.value(p.Outputs[1].Value)
	}
	return err
}

// param adds a parameter by its key, in the layout of the flat vector: a matrix of order f is transposed.
func (e *exporter) param(key string, stored tensor.Shape) string {
	name, ok := e.stored[key]
	if !ok {
		name = e.weights(key, e.params[key], stored...)
		e.stored[key] = name
	}
	return name
}
