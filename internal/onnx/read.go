package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
)

// ReadOptions are settings of [Read]. The zero value has the defaults.
type ReadOptions struct {
	// Outputs are names of values of the model that become the network's outputs, in this order. Nodes that none of
	// them needs are left out. Nil means the model's own outputs.
	Outputs []string
}

// Read makes a network of an ONNX model: a [nn.MultiLayer] if the nodes are layers in a row, otherwise a [nn.Graph].
// Its inputs and outputs are those of the model, as float32. Layers have the names of the nodes.
//
// The network can be trained. An ONNX model for inference has neither losses nor updaters. An output layer gets the
// loss that fits its activation (cross entropy with softmax and sigmoid, otherwise the squared error), and the updater
// is Adam.
//
// If there is no layer for an operator or one of its settings, the error is a [LayerError] that names the node. Errors
// in the file's format are [dl4j.FormatError]s.
func Read(b []byte, o ReadOptions) (*nn.Network, error) {
	m, err := onnxfile.Parse(b)
	if err != nil {
		return nil, err
	}
	r := &reader{model: m, nodes: map[string]*onnxfile.Node{}, readers: map[string]int{},
		constants: map[string]*constant{}, first: map[string]*onnxfile.Node{},
		values: map[string]*value{}, stacks: map[string][]string{}, types: map[string]inputtype.Type{},
		at: map[string]int{}, taken: map[string]bool{}}
	r.budget, r.folds.left = len(b)+spareNumbers, 2*len(b)+spareNumbers
	net, err := r.read(o)
	if err == nil {
		return net, nil
	}
	if l := (*LayerError)(nil); errors.As(err, &l) {
		return nil, err
	}
	return nil, &dl4j.FormatError{Offset: -1, Err: err}
}

// The op sets that Read accepts.
const (
	oldestOpset = 7
	newestOpset = 26
)

// spareNumbers is how many numbers a network may have beyond the bytes of its file. A file whose nodes share their
// weights must not take more memory than its size justifies.
const spareNumbers = 1 << 20

// take counts stored numbers.
func (r *reader) take(n int) error {
	if r.budget -= n; r.budget < 0 {
		return errors.New("the nodes share weights, and the network would be several times as large as the file")
	}
	return nil
}

// mostNodes bounds the number of a model's nodes.
const mostNodes = 1 << 16

// reader makes a network of a model.
type reader struct {
	model     *onnxfile.Model
	opset     int64
	nodes     map[string]*onnxfile.Node // by the name of each result
	readers   map[string]int            // number of nodes and outputs that read a value
	first     map[string]*onnxfile.Node // the first node that reads more than a value's size
	known     map[*onnxfile.Node]activation.Activation
	constants map[string]*constant
	values    map[string]*value
	stacks    map[string][]string // last states of recurrent layers, one behind the other: the names of each
	outputs   []string

	inputs   []string // of the network
	types    map[string]inputtype.Type
	vertices []*made
	at       map[string]int // index of a vertex
	taken    map[string]bool
	budget   int // how many more numbers may be stored
	folds    folds
	rescaled rescaled
}

// made is a vertex with its parameters, in the order of the flat vector.
type made struct {
	nn.GraphVertex
	params map[string][]float32
	affine bool // it is a factor and a summand for each channel
}

func (r *reader) read(o ReadOptions) (*nn.Network, error) {
	if r.opset = r.model.Opset(""); r.opset < oldestOpset || r.opset > newestOpset {
		return nil, fmt.Errorf("the model is of op set %d: %d to %d are read; save it with another opset_version",
			r.opset, oldestOpset, newestOpset)
	}
	if err := r.index(o); err != nil {
		return nil, err
	}
	needed := r.needed()
	countReaders(r, needed)
	if err := r.declare(); err != nil {
		return nil, err
	}
	for _, n := range needed {
		if err := r.node(n); err != nil {
			return nil, &LayerError{placeOf(n), opOf(n), err}
		}
	}
	for i, name := range r.outputs {
		if err := r.output(i, name); err != nil {
			return nil, fmt.Errorf("output %q: %w", name, err)
		}
	}
	net, err := r.network()
	if err != nil {
		return nil, err
	}
	return net, r.attach(net)
}

// placeOf names a node in errors.
func placeOf(n *onnxfile.Node) string {
	if n.Name == "" && len(n.Outputs) > 0 {
		return "the node of " + n.Outputs[0]
	}
	return "node " + n.Name
}

func opOf(n *onnxfile.Node) string {
	if n.Domain != "" && n.Domain != "ai.onnx" {
		return n.Domain + "." + n.Op
	}
	return n.Op
}

// index finds the sources of values.
func (r *reader) index(o ReadOptions) error {
	g := r.model.Graph
	if len(g.Nodes) > mostNodes {
		return fmt.Errorf("the model has %d nodes: %d are read", len(g.Nodes), mostNodes)
	}
	for _, t := range g.Initializers {
		r.constants[t.Name] = &constant{tensor: t}
	}
	for _, v := range g.Outputs {
		r.outputs = append(r.outputs, v.Name)
	}
	if o.Outputs != nil {
		r.outputs = o.Outputs
	}
	if len(r.outputs) == 0 {
		return errors.New("the model has no outputs")
	}
	rewrite(r)
	for _, n := range g.Nodes {
		for _, out := range n.Outputs {
			if out == "" {
				continue
			}
			if r.nodes[out] != nil || r.constants[out] != nil {
				return &LayerError{placeOf(n), opOf(n), fmt.Errorf("its result %q is there already", out)}
			}
			r.nodes[out] = n
		}
	}
	return nil
}

// rewrite replaces nodes that compute a normalisation or an activation together.
func rewrite(r *reader) {
	g := r.model.Graph
	joinNormalizations(g)
	g.Nodes, r.known = compose(g, r.opset, r.outputs)
}

// needed lists the nodes that the outputs need, each after those that it reads.
func (r *reader) needed() []*onnxfile.Node {
	need := map[string]bool{}
	for _, name := range r.outputs {
		need[name] = true
	}
	var list []*onnxfile.Node
	nodes := r.model.Graph.Nodes // in an order that can be run
	for i := len(nodes) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(nodes[i].Outputs, func(name string) bool { return need[name] }) {
			continue
		}
		list = append(list, nodes[i])
		for _, in := range nodes[i].Inputs {
			need[in] = true
		}
	}
	slices.Reverse(list)
	return list
}

// countReaders counts the readers of each value, and finds the first one.
func countReaders(r *reader, needed []*onnxfile.Node) {
	for _, name := range r.outputs {
		r.readers[name]++
	}
	for _, n := range needed {
		for _, in := range n.Inputs {
			r.readers[in]++
			if r.first[in] == nil && n.Op != "Shape" && len(n.Outputs) > 0 {
				r.first[in] = n
			}
		}
	}
}

// declare makes the inputs. Older models also list their weights among the inputs.
func (r *reader) declare() error {
	for _, v := range r.model.Graph.Inputs {
		if r.constants[v.Name] != nil {
			continue
		}
		if err := readInput(r, v); err != nil {
			return fmt.Errorf("input %q: %w", v.Name, err)
		}
	}
	if len(r.inputs) == 0 {
		return errors.New("the model has no inputs")
	}
	return nil
}

// node reads one node.
func (r *reader) node(n *onnxfile.Node) error {
	if n.Domain != "" && n.Domain != "ai.onnx" {
		return errors.New("the operator is of another domain than ONNX's own, and has no layer")
	}
	if a := r.known[n]; a != nil {
		return addActivation(r, n, a)
	}
	if done, err := r.fold(n); done || err != nil {
		return err
	}
	read, ok := operators[n.Op]
	if !ok {
		return errors.New("the operator has no layer; --outputs (in Go, ReadOptions.Outputs) names a value " +
			"before it, if that is enough")
	}
	if len(n.Outputs) == 0 || n.Outputs[0] == "" && n.Op != "LSTM" && n.Op != "GRU" && n.Op != "RNN" {
		return errors.New("it has no result")
	}
	return read(r, n)
}

// operand returns the activation that a node reads.
func (r *reader) operand(n *onnxfile.Node, i int) (*value, error) {
	if i >= len(n.Inputs) || n.Inputs[i] == "" {
		return nil, fmt.Errorf("operand %d is missing", i)
	}
	if v := r.values[n.Inputs[i]]; v != nil {
		if v.groups > 0 && n.Op != "InstanceNormalization" && n.Op != "Reshape" && n.Op != "Shape" {
			return nil, fmt.Errorf("operand %d has its channels in groups: only a normalisation takes them so", i)
		}
		return v, nil
	}
	if r.constants[n.Inputs[i]] != nil {
		return nil, fmt.Errorf("operand %d, %q, is a constant: an activation should be here", i, n.Inputs[i])
	}
	if r.stacks[n.Inputs[i]] != nil {
		return nil, fmt.Errorf("operand %d, %q, has the last states of several layers: only one of them is taken", i,
			n.Inputs[i])
	}
	return nil, fmt.Errorf("operand %d, %q, is not there", i, n.Inputs[i])
}

// set stores a node's first result.
func (r *reader) set(n *onnxfile.Node, v *value) {
	if v == nil {
		return
	}
	w := *v
	w.shared = v.shared || r.readers[n.Outputs[0]] != 1
	r.values[n.Outputs[0]] = &w
}

// name gives a vertex the name of its node, without the operator if that is enough and whole is not set.
func (r *reader) name(n *onnxfile.Node, whole bool) string {
	name := strings.Trim(n.Name, "/")
	if name == "" {
		name = strings.ToLower(n.Op)
	}
	short := name
	if i := strings.LastIndex(name, "/"); i > 0 && !whole {
		short = name[:i]
	}
	clean := strings.NewReplacer("/", ".", ":", ".", " ", "_")
	for _, s := range []string{clean.Replace(short), clean.Replace(name)} {
		if !r.taken[s] {
			r.taken[s] = true
			return s
		}
	}
	for i := 1; ; i++ {
		if s := fmt.Sprintf("%s_%d", clean.Replace(name), i); !r.taken[s] {
			r.taken[s] = true
			return s
		}
	}
}

// defaults returns the defaults of the new network.
func (r *reader) defaults() layer.Defaults {
	return layer.Defaults{Activation: activation.Identity{}, ConvolutionMode: layer.Truncate, WeightInit: defaultInit,
		Updater: updater.NewAdam(), GradientNormalization: layer.NoNormalization, GradientNormalizationThreshold: 1}
}

// add makes a vertex from a layer over some inputs, and returns its name.
func (r *reader) add(n *onnxfile.Node, v nn.GraphVertex, params map[string][]float32) (string, error) {
	_, between := v.Vertex.(vertex.Preprocessor) // it will probably be merged into the layer behind it
	v.Name = r.name(n, between)
	for _, x := range params {
		if err := r.take(len(x)); err != nil {
			return "", err
		}
	}
	m := &made{GraphVertex: v, params: params}
	t, err := r.complete(m)
	if err != nil {
		return "", err
	}
	r.at[v.Name], r.types[v.Name] = len(r.vertices), t
	r.vertices = append(r.vertices, m)
	return v.Name, nil
}

// complete completes a vertex, and returns the type of its result.
func (r *reader) complete(m *made) (inputtype.Type, error) {
	var in []inputtype.Type
	for _, name := range m.Inputs {
		in = append(in, r.types[name])
	}
	if m.Vertex != nil {
		return m.Vertex.OutputType(in)
	}
	over := in[0]
	if m.Preprocessor == nil {
		m.Preprocessor = m.Layer.Preprocessor(in[0])
	}
	if m.Preprocessor != nil {
		var err error
		if in[0], err = m.Preprocessor.OutputType(in[0]); err != nil {
			return over, err
		}
	}
	d := r.defaults()
	d.Name = m.Name
	completed, err := layer.Complete(m.Layer, d, in)
	if err != nil {
		return over, err
	}
	t, err := completed.OutputType(in)
	if err != nil {
		return over, err
	}
	if err := checkParams(completed, m.params); err != nil {
		return over, err
	}
	m.Layer = completed
	return t.Over(in[0]), nil
}

// checkParams compares the sizes of weights with those of a layer.
func checkParams(l layer.Layer, params map[string][]float32) error {
	for _, p := range l.Params() {
		size, err := p.Shape.CheckedSize(1 << 31)
		if err != nil {
			return err
		}
		if got := len(params[p.Name]); got != size {
			return fmt.Errorf("the weights for its parameter %s have %d elements: the layer has %v", p.Name, got, p.Shape)
		}
	}
	return nil
}

// attach adds the metadata of dl4go's own models, and the scaling before and after them, to the network.
func (r *reader) attach(net *nn.Network) error {
	if err := r.rescaled.attach(net); err != nil {
		return err
	}
	s := &data.Schema{}
	for key, to := range map[string]*[]string{classesKey: &s.Classes, featuresKey: &s.Features, labelsKey: &s.Labels} {
		var names []string
		if json.Unmarshal([]byte(r.model.Property(key)), &names) == nil && len(names) > 0 {
			*to = names
		}
	}
	if s.Empty() {
		return nil
	}
	return net.SetSchema(s)
}
