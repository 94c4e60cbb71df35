package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// pending is a recurrent operator of two directions: how these are joined is not known before a later node.
type pending struct {
	node     *onnxfile.Node
	from     string
	fwd, bwd layer.Layer
	params   map[string][]float32
}

// readRecurrent reads an LSTM, a GRU or an RNN.
func readRecurrent(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	first := attributeInt(n, "layout", 0) == 1
	if want := map[bool]string{false: "tbf", true: "btf"}[first]; v.labels() != want ||
		r.types[v.from].Kind != inputtype.RecurrentKind {
		return fmt.Errorf("it reads the axes %q: those of sequences, %q, should be here; "+
			"save the model with the examples as "+
			"the first dimension (batch_first)", v.labels(), want)
	}
	if err := checkRecurrent(r, n); err != nil {
		return err
	}
	directions := 1
	direction := attributeText(n, "direction", "forward")
	switch direction {
	case "forward":
	case "bidirectional":
		directions = 2
	default:
		return fmt.Errorf("the direction is %q: forward and bidirectional have layers", direction)
	}
	layers, params, err := cells(r, n, directions, v.axes[2].size)
	if err != nil {
		return err
	}
	if directions == 2 {
		return bothDirections(r, n, v, layers, params, first)
	}
	if len(n.Outputs) > 2 && n.Outputs[2] != "" && r.readers[n.Outputs[2]] > 0 {
		return errors.New("its last cell state is read: no layer gives it")
	}
	steps, state := n.Outputs[0], ""
	if len(n.Outputs) > 1 {
		state = n.Outputs[1]
	}
	hasSteps, hasState := steps != "" && r.readers[steps] > 0, state != "" && r.readers[state] > 0
	if hasSteps && hasState {
		return errors.New("both its steps and its last state are read")
	}
	unit := axis{directionAxis, 1}
	if hasState {
		name, err := r.add(n, nn.GraphVertex{Layer: layer.LastTimeStep{Layer: layers[0]}, Inputs: []string{v.from}}, params)
		if err != nil {
			return err
		}
		axes := axesOf(r.types[name])
		if axes = append([]axis{unit}, axes...); first {
			axes[0], axes[1] = axes[1], axes[0]
		}
		r.values[state] = &value{from: name, axes: axes}
		return nil
	}
	name, err := r.add(n, nn.GraphVertex{Layer: layers[0], Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	if err != nil {
		return err
	}
	at := 1
	if first {
		at = 2
	}
	y.axes = slices.Insert(y.axes, at, unit)
	r.values[steps] = y
	return nil
}

// checkRecurrent refuses what no layer has.
func checkRecurrent(r *reader, n *onnxfile.Node) error {
	if given(n, 4) {
		return errors.New("it has sequence_lens: leave them out, and give a mask to the network")
	}
	for i := 5; i <= 6; i++ {
		if !given(n, i) || i == 6 && n.Op != "LSTM" {
			continue
		}
		if c := r.constants[n.Inputs[i]]; c == nil || !c.zero() {
			return errors.New("it begins with a state other than 0")
		}
	}
	if n.Attribute("clip") != nil || attributeInt(n, "input_forget", 0) != 0 {
		return errors.New("it has clip, or input_forget")
	}
	return nil
}

// cells makes a layer for each direction, and their parameters: those of two have an f or a b before their names.
func cells(r *reader, n *onnxfile.Node, directions, nIn int) ([]layer.Layer, map[string][]float32, error) {
	gates := map[string]int{"LSTM": 4, "GRU": 3, "RNN": 1}[n.Op]
	w, dims, err := r.weights(n, 1, 3)
	if err != nil {
		return nil, nil, err
	}
	size := dims[1] / gates
	rw, rdims, err := r.weights(n, 2, 3)
	if err != nil {
		return nil, nil, err
	}
	if want := []int{directions, gates * size, nIn}; size < 1 || !slices.Equal(dims, want) {
		return nil, nil, fmt.Errorf("W has the dimensions %v: %v should be there", dims, want)
	}
	if want := []int{directions, gates * size, size}; !slices.Equal(rdims, want) {
		return nil, nil, fmt.Errorf("R has the dimensions %v: %v should be there", rdims, want)
	}
	bias := make([]float32, 2*directions*gates*size)
	if given(n, 3) {
		b, bdims, err := r.weights(n, 3, 2)
		if want := []int{directions, 2 * gates * size}; err != nil || !slices.Equal(bdims, want) {
			return nil, nil, fmt.Errorf("B should have the dimensions %v, and has %v: %w", want, bdims, err)
		}
		bias = b
	}
	var peepholes []float32
	if n.Op == "LSTM" && given(n, 7) {
		p, pdims, err := r.weights(n, 7, 2)
		if want := []int{directions, 3 * size}; err != nil || !slices.Equal(pdims, want) {
			return nil, nil, fmt.Errorf("P should have the dimensions %v, and has %v: %w", want, pdims, err)
		}
		peepholes = p
	}
	kinds, err := stepActivations(n, directions)
	if err != nil {
		return nil, nil, err
	}
	var layers []layer.Layer
	params := map[string][]float32{}
	for d := range directions {
		part := func(x []float32) []float32 { return x[d*len(x)/directions : (d+1)*len(x)/directions] }
		prefix := ""
		if directions == 2 {
			prefix = "fb"[d : d+1]
		}
		c := cellRead{n, nIn, size, part(w), part(rw), part(bias), part(peepholes), kinds[d*len(kinds)/directions:]}
		l, own := c.layer()
		layers = append(layers, l)
		for name, x := range own {
			params[prefix+name] = x
		}
	}
	return layers, params, nil
}

// cellRead is one direction of a recurrent node.
type cellRead struct {
	node                  *onnxfile.Node
	nIn, size             int
	w, r, bias, peepholes []float32
	kinds                 []activation.Activation
}

// layer is the direction's layer with its parameters.
func (c cellRead) layer() (layer.Layer, map[string][]float32) {
	half := len(c.bias) / 2
	sum := make([]float32, half)
	for i := range sum {
		sum[i] = c.bias[i] + c.bias[half+i]
	}
	switch c.node.Op {
	case "RNN":
		return layer.SimpleRnn{NIn: c.nIn, NOut: c.size, Activation: c.kinds[0]},
			map[string][]float32{"W": c.w, "RW": c.r, "b": sum}
	case "GRU":
		l := layer.GRU{NIn: c.nIn, NOut: c.size, GateActivation: c.kinds[0], Activation: c.kinds[1]}
		if attributeInt(c.node, "linear_before_reset", 0) == 0 {
			l.ResetBefore = true
			return l, map[string][]float32{"W": c.w, "RW": c.r, "b": sum}
		}
		return l, map[string][]float32{"W": c.w, "RW": c.r, "b": c.bias[:half], "rb": c.bias[half:]}
	}
	blocks := func(x []float32, size int) (out []float32) { // input, output, forget, cell → cell, forget, output, input
		for k := 3; k >= 0; k-- {
			out = append(out, x[k*size:(k+1)*size]...)
		}
		return out
	}
	n := c.size
	params := map[string][]float32{"W": blocks(c.w, n*c.nIn), "RW": blocks(c.r, n*n), "b": blocks(sum, n)}
	if len(c.peepholes) == 0 {
		l := layer.NewLSTM(n)
		l.NIn, l.GateActivation, l.Activation = c.nIn, c.kinds[0], c.kinds[1]
		return l, params
	}
	l := layer.NewGravesLSTM(n)
	l.NIn, l.GateActivation, l.Activation = c.nIn, c.kinds[0], c.kinds[1]
	for k := 2; k >= 0; k-- { // input, output, forget → forget, output, input
		params["RW"] = append(params["RW"], c.peepholes[k*n:(k+1)*n]...)
	}
	return l, params
}

// stepActivations are the activations of a recurrent node.
func stepActivations(n *onnxfile.Node, directions int) ([]activation.Activation, error) {
	names := map[string][]string{"LSTM": {"Sigmoid", "Tanh", "Tanh"}, "GRU": {"Sigmoid", "Tanh"}, "RNN": {"Tanh"}}[n.Op]
	if directions == 2 {
		names = append(slices.Clone(names), names...)
	}
	count := len(names)
	if a := n.Attribute("activations"); a != nil {
		names = a.Texts
	}
	if len(names) != count {
		return nil, fmt.Errorf("it has the activations %v: there should be %d", names, count)
	}
	next := func(list *onnxfile.Attribute) func(usual float64) float64 {
		return func(usual float64) float64 {
			if list == nil || len(list.Floats) == 0 {
				return usual
			}
			x := list.Floats[0]
			list.Floats = list.Floats[1:]
			return float64(x)
		}
	}
	copied := func(a *onnxfile.Attribute) *onnxfile.Attribute {
		if a == nil {
			return nil
		}
		b := *a
		return &b
	}
	alpha, beta := next(copied(n.Attribute("activation_alpha"))), next(copied(n.Attribute("activation_beta")))
	var out []activation.Activation
	for _, name := range names {
		a, err := activationNamed(name, alpha, beta)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if half := count / directions; n.Op == "LSTM" {
		for i := 0; i < count; i += half {
			if out[i+1] != out[i+2] {
				return nil, errors.New("the activations of the cell and of the result differ")
			}
		}
	}
	return out, nil
}

// bothDirections keeps a node of two directions for the node that joins them.
func bothDirections(r *reader, n *onnxfile.Node, v *value, layers []layer.Layer, params map[string][]float32,
	first bool) error {
	for i, name := range n.Outputs {
		if i > 0 && name != "" && r.readers[name] > 0 {
			return errors.New("the last states of its two directions are read")
		}
	}
	p := &pending{node: n, from: v.from, fwd: layers[0], bwd: layers[1], params: params}
	_, size := layers[0].(layer.Sized).Sizes()
	axes := slices.Clone(v.axes)
	axes[2].size = size
	at := 1
	if first {
		at = 2
	}
	r.set(n, &value{from: v.from, axes: slices.Insert(axes, at, axis{directionAxis, 2}), recurrent: p})
	return nil
}

// joinDirections reads the Reshape that puts the directions' features one behind the other.
func joinDirections(r *reader, n *onnxfile.Node, v *value, to []int) error {
	k := slices.IndexFunc(v.axes, func(a axis) bool { return a.label == directionAxis })
	if k < 0 || k+1 >= len(v.axes) || v.axes[k+1].label != featureAxis || len(to) != len(v.axes)-1 {
		return errors.New("the directions of a recurrent layer are joined in a way that no layer has")
	}
	axes := slices.Clone(v.axes)
	axes[k+1].size *= 2
	axes = slices.Delete(axes, k, k+1)
	for i, d := range to {
		if d != -1 && axes[i].size != -1 && d != axes[i].size && axes[i].label != batchAxis {
			return fmt.Errorf("the directions of a recurrent layer become %v", to)
		}
	}
	return addJoined(r, n, v, axes, layer.BidirectionalConcat)
}

// addJoined adds the layer of two directions.
func addJoined(r *reader, n *onnxfile.Node, v *value, axes []axis, mode layer.BidirectionalMode) error {
	p := v.recurrent
	l := layer.Bidirectional{Fwd: p.fwd, Bwd: p.bwd, Mode: mode}
	name, err := r.add(p.node, nn.GraphVertex{Layer: l, Inputs: []string{p.from}}, p.params)
	if err != nil {
		return err
	}
	y, err := r.like(name, &value{axes: axes})
	r.set(n, y)
	return err
}

// readGather reads a look-up in a table, or takes the last step.
func readGather(r *reader, n *onnxfile.Node) error {
	if len(n.Inputs) < 2 {
		return errors.New("the index is missing")
	}
	if r.constants[n.Inputs[0]] != nil {
		return readEmbedding(r, n)
	}
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	at, err := axisIndex(attributeInt(n, "axis", 0), len(v.axes))
	if err != nil {
		return err
	}
	c := r.constants[n.Inputs[1]]
	if c == nil {
		return errors.New("the index should be a constant")
	}
	index, err := c.ints()
	if err != nil || len(index) != 1 {
		return errors.New("it takes other than one element")
	}
	a := v.axes[at]
	axes := slices.Delete(slices.Clone(v.axes), at, at+1)
	if c.rank() > 0 {
		axes = slices.Insert(axes, at, axis{unitAxis, 1})
	}
	switch {
	case (a.label == unitAxis || a.label == directionAxis && a.size == 1) && (index[0] == 0 || index[0] == -1):
		r.set(n, v.with(axes))
		return nil
	case a.label != timeAxis || index[0] != -1 && (a.size < 0 || index[0] != int64(a.size-1)):
		return fmt.Errorf("it takes element %d of the axis %c: only the last step has a layer", index[0], a.label)
	}
	return takeLastStep(r, n, v, axes)
}

// takeLastStep takes the last step of sequences.
func takeLastStep(r *reader, n *onnxfile.Node, v *value, axes []axis) error {
	if v.recurrent != nil {
		return errors.New("the last step is taken of the directions of a recurrent layer before they are joined")
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.LastTimeStep{}, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, &value{from: name, axes: axes})
	return nil
}

// readEmbedding reads a look-up in a table of weights.
func readEmbedding(r *reader, n *onnxfile.Node) error {
	w, dims, err := r.weights(n, 0, 2)
	if err != nil {
		return err
	}
	v, err := r.operand(n, 1)
	if err != nil {
		return err
	}
	if attributeInt(n, "axis", 0) != 0 {
		return errors.New("it takes columns of a table")
	}
	params := map[string][]float32{"W": transposed(w, dims[0], dims[1])} // lies as [out, in]
	var l layer.Layer
	var axes []axis
	features := axis{featureAxis, dims[1]}
	switch v.labels() {
	case "b":
		l, axes = layer.NewEmbedding(dims[0], dims[1]), []axis{v.axes[0], features}
	case "bt":
		l, axes = layer.NewEmbeddingSequence(dims[0], dims[1]), []axis{v.axes[0], v.axes[1], features}
	case "tb":
		l, axes = layer.NewEmbeddingSequence(dims[0], dims[1]), []axis{v.axes[0], v.axes[1], features}
	default:
		return fmt.Errorf("the indices have the axes %q: one of each example, or of each step, should be here", v.labels())
	}
	if !slices.Contains(r.inputs, v.from) {
		return errors.New("the indices should be an input of the model")
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	r.set(n, &value{from: name, axes: axes})
	return nil
}
