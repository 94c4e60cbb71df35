package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
)

// output makes an output of the network: a layer with a loss. It replaces the dense layer if that is the last one.
func (r *reader) output(i int, name string) error {
	v := r.values[name]
	if v == nil {
		return errors.New("the model has no such value that follows from its inputs")
	}
	n := &onnxfile.Node{Op: "output", Name: name, Inputs: []string{name}, Outputs: []string{name}}
	v, err := r.settled(n, v)
	if err != nil {
		return err
	}
	if v, err = channelsLast(r, n, v); err != nil {
		return err
	}
	if !r.asNetwork(v) {
		return fmt.Errorf("its axes %q do not lie as those of the network do", v.labels())
	}
	k, isVertex := r.at[v.from]
	if isVertex && !v.shared {
		m := r.vertices[k]
		if _, scores := m.Layer.(layer.Scorer); scores {
			return nil
		}
		if l := outputOf(m.Layer, r.types[v.from]); l != nil {
			before := m.Layer
			m.Layer = l
			if _, err := r.complete(m); err == nil {
				return nil
			}
			m.Layer = before
		}
	}
	l, err := lossOf(r.types[v.from], activation.Identity{})
	if err != nil {
		return err
	}
	from, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.values[name] = r.whole(from)
	return nil
}

// channelsLast moves the channels to the last dimension, if the model has them there and the network has not.
func channelsLast(r *reader, n *onnxfile.Node, v *value) (*value, error) {
	order := map[string][]int{"bft btf": {2, 1}, "bchw bhwc": {2, 3, 1}}[r.whole(v.from).labels()+" "+v.labels()]
	if order == nil || v.order != nil || v.recurrent != nil {
		return v, nil
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.Rearrange{Order: order}, Inputs: []string{v.from}}, nil)
	if err != nil {
		return nil, err
	}
	y := r.whole(name)
	r.values[n.Outputs[0]] = y
	return y, nil
}

// outputOf returns the output layer for a dense layer's formula or an activation; nil for other layers.
func outputOf(l layer.Layer, t inputtype.Type) layer.Layer {
	switch l := l.(type) {
	case layer.Dense:
		return layer.Output{NIn: l.NIn, NOut: l.NOut, Activation: l.Activation, Loss: lossWith(l.Activation),
			NoBias: l.NoBias}
	case layer.TimeDistributed:
		if d, ok := l.Layer.(layer.Dense); ok {
			return layer.RnnOutput{NIn: d.NIn, NOut: d.NOut, Activation: d.Activation, Loss: lossWith(d.Activation),
				NoBias: d.NoBias,
				Format: l.Format}
		}
	case layer.Activate:
		if of, err := lossOf(t, l.Activation); err == nil {
			return of
		}
	}
	return nil
}

// lossWith returns the loss that fits an activation.
func lossWith(a activation.Activation) loss.Loss {
	switch a.(type) {
	case activation.Softmax:
		return loss.MCXENT{}
	case activation.LogSoftmax: // the softmax of logarithms is their exponential
		return loss.Adjusted{Loss: loss.NewMCXENT(), Logits: activation.Softmax{}}
	case activation.Sigmoid:
		return loss.XENT{}
	}
	return loss.MSE{}
}

// lossOf returns a layer without parameters that compares activations of a type with labels.
func lossOf(t inputtype.Type, a activation.Activation) (layer.Layer, error) {
	switch t.Kind {
	case inputtype.FeedForwardKind:
		return layer.Loss{Activation: a, Loss: lossWith(a)}, nil
	case inputtype.RecurrentKind:
		return layer.RnnLoss{Activation: a, Loss: lossWith(a), Format: t.Format}, nil
	case inputtype.ConvolutionalKind:
		l := layer.CnnLoss{}
		l.Activation, l.Loss = a, lossWith(a)
		return l, nil
	}
	return nil, fmt.Errorf("no layer compares %v with labels", t)
}

// network makes the network of the vertices.
func (r *reader) network() (*nn.Network, error) {
	simplify(r)
	c := nn.GraphConfiguration{Inputs: r.inputs, Defaults: nn.Configuration{Updater: updater.NewAdam(), AnyOutput: true,
		Activation: activation.Identity{}}}
	for _, name := range r.inputs {
		c.InputTypes = append(c.InputTypes, r.types[name])
	}
	for _, m := range r.vertices {
		c.Vertices = append(c.Vertices, m.GraphVertex)
	}
	for _, name := range r.outputs {
		c.Outputs = append(c.Outputs, r.values[name].from)
	}
	net, keys, err := r.build(c)
	if err != nil {
		return nil, err
	}
	for _, p := range net.ParamTable() {
		data, ok := keys[p.Key]
		if !ok || len(data) != p.Size {
			return nil, fmt.Errorf("internal: the parameter %s has %d elements of %d", p.Key, len(data), p.Size)
		}
		copy(net.Params()[p.Offset:], data)
	}
	return net, nil
}

// build makes a MultiLayer if layers are in a row, and a Graph otherwise. keys are the parameters by key.
func (r *reader) build(c nn.GraphConfiguration) (net *nn.Network, keys map[string][]float32, err error) {
	keys = map[string][]float32{}
	if l, ok := rowOf(r, c); ok {
		m, err := nn.New(l)
		if err != nil {
			return nil, nil, err
		}
		for i, v := range r.vertices {
			for name, data := range v.params {
				keys[fmt.Sprintf("%d_%s", i, name)] = data
			}
		}
		return m.Base(), keys, nil
	}
	g, err := nn.NewGraph(c)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range r.vertices {
		for name, data := range v.params {
			keys[v.Name+"_"+name] = data
		}
	}
	return g.Base(), keys, nil
}

// rowOf returns the configuration of layers in a row.
func rowOf(r *reader, c nn.GraphConfiguration) (nn.Configuration, bool) {
	l := c.Defaults
	if len(c.Inputs) != 1 || len(c.Outputs) != 1 || len(c.Vertices) == 0 ||
		c.Outputs[0] != c.Vertices[len(c.Vertices)-1].Name {
		return l, false
	}
	before := c.Inputs[0]
	l.InputType, l.Preprocessors = c.InputTypes[0], map[int]layer.Preprocessor{}
	for i, v := range c.Vertices {
		if v.Layer == nil || len(v.Inputs) != 1 || v.Inputs[0] != before {
			return l, false
		}
		l.Layers = append(l.Layers, v.Layer)
		if v.Preprocessor != nil {
			l.Preprocessors[i] = v.Preprocessor
		}
		before = v.Name
	}
	return l, true
}

// simplify merges vertices that only one other vertex reads. A vertex that selects the last step becomes a wrapper of
// the layer before it; a preprocessor moves into the layer behind it.
func simplify(r *reader) {
	reads := map[string]int{}
	for _, m := range r.vertices {
		for _, in := range m.Inputs {
			reads[in]++
		}
	}
	for _, name := range r.outputs {
		reads[r.values[name].from]++
	}
	for i := len(r.vertices) - 1; i >= 0; i-- { // such as a last state that a stack has and nothing takes
		if m := r.vertices[i]; reads[m.Name] == 0 {
			for _, in := range m.Inputs {
				reads[in]--
			}
			r.vertices = slices.Delete(r.vertices, i, i+1)
		}
	}
	named, gone := map[string]*made{}, map[*made]bool{}
	now := map[string]string{} // new names of replaced vertices
	for _, m := range r.vertices {
		for i, in := range m.Inputs {
			if name, ok := now[in]; ok {
				m.Inputs[i] = name
			}
		}
		named[m.Name] = m
		if len(m.Inputs) != 1 || reads[m.Inputs[0]] != 1 || named[m.Inputs[0]] == nil {
			continue
		}
		before := named[m.Inputs[0]]
		if _, last := m.Vertex.(vertex.LastTimeStep); last && wrap(before) {
			now[m.Name], gone[m] = before.Name, true
			reads[before.Name] = reads[m.Name]
			continue
		}
		p, ok := before.Vertex.(vertex.Preprocessor)
		if ok && m.Layer != nil && m.Preprocessor == nil {
			m.Preprocessor, m.Inputs, gone[before] = p.Preprocessor, before.Inputs, true
		}
	}
	for _, name := range r.outputs {
		if to, ok := now[r.values[name].from]; ok {
			r.values[name].from = to
		}
	}
	r.vertices = slices.DeleteFunc(r.vertices, func(m *made) bool { return gone[m] })
}

// wrap makes a recurrent layer return only its last step.
func wrap(m *made) bool {
	switch m.Layer.(type) {
	case layer.LSTM, layer.GravesLSTM, layer.GRU, layer.SimpleRnn:
		m.Layer = layer.LastTimeStep{Layer: m.Layer}
		return true
	}
	return false
}

// rescaled is the standardisation at the start of a model. It becomes the network's normalizer.
type rescaled struct {
	mean, deviation []float32
}

// input reports whether a node standardises the model's only input, and records it.
func (s *rescaled) input(r *reader, n *onnxfile.Node, v *value, x []float32) bool {
	if len(r.inputs) != 1 || v.from != r.inputs[0] || v.shared || len(x) != axesOf(r.types[v.from])[1].size {
		return false
	}
	switch {
	case n.Op == "Sub" && s.mean == nil && s.deviation == nil:
		s.mean = x
	case n.Op == "Div" && s.deviation == nil:
		for _, d := range x {
			if !(d > 0) {
				return false
			}
		}
		s.deviation = x
	default:
		return false
	}
	return true
}

// attach gives the network the normalizer.
func (s *rescaled) attach(net *nn.Network) error {
	if s.mean == nil && s.deviation == nil {
		return nil
	}
	mean, deviation := s.mean, s.deviation
	if mean == nil {
		mean = repeated(0, len(deviation))
	}
	if deviation == nil {
		deviation = repeated(1, len(mean))
	}
	if len(mean) != len(deviation) {
		return errors.New("the input is standardised by other numbers of means and deviations")
	}
	n := data.NewStandardize(false)
	n.Inputs = []data.ColumnStatistics{{First: mean, Second: deviation}}
	var b bytes.Buffer
	if err := data.WriteNormalizer(&b, n); err != nil {
		return err
	}
	net.SetNormalizer(b.Bytes())
	return nil
}
