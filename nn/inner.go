package nn

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// inner is a node of a network that is used by itself: an autoencoder. Its networks share the parameters and the
// executor of the whole network.
type inner struct {
	n      *Network
	node   int
	before *Network // computes the node's input; nil if that is an input of the network
}

// with makes a network of other nodes on the parameters [from, from+size) of the whole network.
func (r *inner) with(nodes []node, inputs int, outputs []int, from, size int) (*Network, error) {
	c := new(Network)
	c.executor, c.owner = r.n.exec(), &r.n.vectors
	if err := c.start(nodes, inputs, outputs, r.n.mean); err != nil {
		return nil, err
	}
	c.params = r.n.params[from : from+size : from+size]
	return c, nil
}

// findBefore makes the network that computes the node's input.
func (r *inner) findBefore() (err error) {
	from := r.n.nodes[r.node].in[0]
	if from < 0 {
		return nil
	}
	size, _ := r.n.layout.nodeRange(r.node)
	r.before, err = r.with(r.n.nodes[:r.node:r.node], r.n.inputs, []int{from}, 0, size)
	return err
}

// alone makes a network of the node alone, which trains it without labels.
func (r *inner) alone() (*Network, error) {
	nd := r.n.nodes[r.node]
	l, ok := nd.layer.(layer.Pretrainer)
	if !ok {
		what := any(nd.layer)
		if v, ok := what.(vertexLayer); ok {
			what = v.Vertex
		}
		return nil, r.n.at(r.node, fmt.Errorf("%T cannot be pretrained", what))
	}
	if err := l.CanPretrain(); err != nil {
		return nil, r.n.at(r.node, err)
	}
	nd.layer, nd.in = pretraining{l, uint64(r.node) << 8}, []int{-1}
	at, size := r.n.layout.nodeRange(r.node)
	c, err := r.with([]node{nd}, 1, []int{0}, at, size)
	if err == nil {
		c.newState()
	}
	return c, err
}

// aside makes a network that applies emit with the node's parameters. With one input, its first output is the node's
// input, after the preprocessor, and its second the result of emit for it. Otherwise its only output is the result of
// emit for its inputs.
func (r *inner) aside(params []layer.Param, inputs int,
	emit func(*layer.Context, []layer.Activation) *program.Value) (*Network, error) {
	nd := r.n.nodes[r.node]
	nodes, outputs, in := []node{}, []int{0}, []int{-1, -2}[:inputs]
	if inputs == 1 {
		pass := func(_ *layer.Context, in []layer.Activation) *program.Value { return in[0].Value }
		nodes = []node{{name: nd.name, layer: emitted{emit: pass}, pre: nd.pre, in: []int{-1}}}
		outputs, in = []int{0, 1}, []int{0}
	}
	nodes = append(nodes, node{name: nd.name, key: nd.key, layer: emitted{params, emit}, in: in})
	at, size := r.n.layout.nodeRange(r.node)
	return r.with(nodes, inputs, outputs, at, size)
}

// input computes the node's input, before the node's preprocessor, for a minibatch.
func (r *inner) input(d *data.MultiDataSet) (*data.MultiDataSet, error) {
	for _, m := range d.FeatureMasks {
		if m != nil {
			return nil, r.n.at(r.node, errors.New("pretraining takes no masks"))
		}
	}
	x := &data.MultiDataSet{Features: d.Features}
	if err := r.n.fits(x); err != nil {
		return nil, err
	}
	if r.before != nil {
		var err error
		if x.Features, err = r.before.Output(x, false); err != nil {
			return nil, err
		}
	} else {
		k := -1 - r.n.nodes[r.node].in[0]
		x.Features = d.Features[k : k+1]
	}
	x.Labels = []*tensor.Dense{tensor.New(x.Examples(), 1)}
	return x, nil
}

// emitted is a layer made of a formula and parameters only.
type emitted struct {
	params []layer.Param
	emit   func(*layer.Context, []layer.Activation) *program.Value
}

func (e emitted) Settings() layer.Settings                                       { return layer.Settings{} }
func (e emitted) Complete(layer.Defaults, []inputtype.Type) (layer.Layer, error) { return e, nil }
func (e emitted) Params() []layer.Param                                          { return e.params }
func (e emitted) OutputType(in []inputtype.Type) (inputtype.Type, error)         { return in[0], nil }
func (e emitted) Preprocessor(inputtype.Type) layer.Preprocessor                 { return nil }
func (e emitted) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	v := e.emit(c, in)
	return layer.Activation{Value: v, Type: inputtype.FeedForward(v.Shape[1])}
}
