package nn

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// pretraining is a layer as the only one of a network that is trained without labels.
type pretraining struct {
	layer.Pretrainer
	stream uint64 // the layer's first
}

// Settings are without dropout, as in Deeplearning4j.
func (p pretraining) Settings() layer.Settings {
	s := p.Pretrainer.Settings()
	s.Dropout = nil
	return s
}

func (p pretraining) Params() []layer.Param { return p.PretrainParams() }

func (p pretraining) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if _, err := p.Pretrainer.OutputType(in); err != nil {
		return inputtype.Type{}, err
	}
	return in[0], nil
}

func (p pretraining) Forward(c *layer.Context, in []layer.Activation) layer.Activation { return in[0] }

func (p pretraining) Score(c *layer.Context, in []layer.Activation, labels, mask *program.Value) *program.Value {
	own := *c
	own.Stream = p.stream
	return p.Pretrain(&own, in[0])
}

func (p pretraining) LabelShape(_ inputtype.Type, batch int) tensor.Shape {
	return tensor.Shape{batch, 1}
}

func (p pretraining) CheckLoss() error { return nil }

// pretrainer makes the network of node i alone, on the parameters of n.
func (n *Network) pretrainer(i int) (*Network, error) {
	nd := n.nodes[i]
	l, ok := nd.layer.(layer.Pretrainer)
	if !ok {
		what := any(nd.layer)
		if v, ok := what.(vertexLayer); ok {
			what = v.Vertex
		}
		return nil, n.at(i, fmt.Errorf("%T cannot be pretrained", what))
	}
	if err := l.CanPretrain(); err != nil {
		return nil, n.at(i, err)
	}
	nd.layer, nd.in = pretraining{l, uint64(i) << 8}, []int{-1}
	c := &Network{executor: n.exec()}
	if err := c.start([]node{nd}, 1, []int{0}, n.mean); err != nil {
		return nil, err
	}
	at, size := n.layout.nodeRange(i)
	c.params = n.params[at : at+size : at+size]
	c.state = make([]float32, c.layout.state)
	c.layout.initState(c.state)
	return c, nil
}

// before makes the network of the nodes before node i, on the parameters of n, whose output goes into node i; nil where
// an input of the network does.
func (n *Network) before(i int) (*Network, error) {
	from := n.nodes[i].in[0]
	if from < 0 {
		return nil, nil
	}
	c := &Network{executor: n.exec()}
	if err := c.start(n.nodes[:i:i], n.inputs, []int{from}, n.mean); err != nil {
		return nil, err
	}
	at, _ := n.layout.nodeRange(i)
	c.params = n.params[:at:at]
	return c, nil
}

// Pretraining trains one autoencoder of a network without labels, one epoch at a time. It keeps its own updater state
// between epochs; the network's updater state, iteration and epoch do not change. Like the network, it is used by one
// goroutine at a time.
type Pretraining struct {
	n, of  *Network
	before *Network // nil: the layer is on an input
	node   int
	seed   uint64
}

// Autoencoders lists the layers that can be pretrained, by name, from the first to the last; in graphs by the
// topological order.
func (n *Network) Autoencoders() (names []string) {
	for _, nd := range n.nodes {
		if _, ok := nd.layer.(layer.Pretrainer); ok {
			names = append(names, nd.name)
		}
	}
	return names
}

// Pretraining begins to train an autoencoder, which is named as for Reconstructor. seed keys the random numbers.
func (n *Network) Pretraining(name string, seed uint64) (*Pretraining, error) {
	i, err := n.named(name)
	if err != nil {
		return nil, err
	}
	return n.pretraining(i, seed)
}

func (n *Network) pretraining(i int, seed uint64) (p *Pretraining, err error) {
	if err := n.given(); err != nil {
		return nil, err
	}
	p = &Pretraining{n: n, node: i, seed: seed}
	if p.of, err = n.pretrainer(i); err != nil {
		return nil, err
	}
	p.before, err = n.before(i)
	return p, err
}

// Epoch trains on the features of the iterator's minibatches; the layers before this one are in inference. It calls
// step, unless nil, after each with its score, and gives that of the last one. Masks are refused.
//
// Where the score is not a finite number the error is a DivergedError, and the step has changed nothing. After an error
// the epoch can be done anew.
func (p *Pretraining) Epoch(it data.Iterator, step func(score float64)) (score float64, err error) {
	for examples := 0; ; {
		d, err := it.Next()
		if errors.Is(err, io.EOF) && examples > 0 {
			p.of.epoch++
			return score, nil
		}
		if errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("there are no examples to pretrain on")
		}
		if err != nil {
			return 0, err
		}
		x, err := p.n.pretrainInput(p.node, p.before, d)
		if err != nil {
			return 0, err
		}
		score, err = p.of.fit(x, Key{Seed: p.seed, Epoch: uint64(p.of.epoch), Example: uint64(examples)})
		if err != nil {
			return score, err
		}
		examples += d.Examples()
		if step != nil {
			step(score)
		}
	}
}

// pretrain trains node i without labels.
func (n *Network) pretrain(i int, epoch func() data.Iterator, epochs int, seed uint64) (score float64, err error) {
	if epochs < 1 {
		return 0, fmt.Errorf("%d epochs of pretraining: there must be at least one", epochs)
	}
	p, err := n.pretraining(i, seed)
	for e := 0; e < epochs && err == nil; e++ {
		score, err = p.Epoch(epoch(), nil)
	}
	return score, err
}

// pretrainInput is what goes into node i, or into the preprocessor before it, of a minibatch.
func (n *Network) pretrainInput(i int, before *Network, d *data.MultiDataSet) (*data.MultiDataSet, error) {
	for _, m := range d.FeatureMasks {
		if m != nil {
			return nil, n.at(i, errors.New("pretraining takes no masks"))
		}
	}
	x := &data.MultiDataSet{Features: d.Features}
	if err := n.fits(x); err != nil {
		return nil, err
	}
	if before != nil {
		var err error
		if x.Features, err = before.Output(x, false); err != nil {
			return nil, err
		}
	} else {
		k := -1 - n.nodes[i].in[0]
		x.Features = d.Features[k : k+1]
	}
	x.Labels = []*tensor.Dense{tensor.New(x.Examples(), 1)}
	return x, nil
}

// PretrainLayer trains layer i, counted from 0, without labels (Deeplearning4j: pretrainLayer). epoch returns an
// iterator for each of the epochs, and the features go through the layers before i. The updater begins with fresh
// state; the network's updater state, iteration and epoch do not change. It returns the score of the last minibatch.
// The random numbers depend on seed. Masks are an error, and so are layers other than autoencoders.
//
// If the score is not a finite number, the error is a DivergedError, and the step has changed nothing.
func (m *MultiLayer) PretrainLayer(i int, epoch func() data.Iterator, epochs int, seed uint64) (score float64, err error) {
	if i < 0 || i >= len(m.nodes) {
		return 0, fmt.Errorf("there is no layer %d to pretrain: the network has %d", i, len(m.nodes))
	}
	return m.pretrain(i, epoch, epochs, seed)
}

// PretrainLayer trains the layer of that name without labels (Deeplearning4j: pretrainLayer). See
// [MultiLayer.PretrainLayer].
func (g *Graph) PretrainLayer(name string, epoch func() data.Iterator, epochs int, seed uint64) (score float64, err error) {
	i := slices.IndexFunc(g.nodes, func(n node) bool { return n.name == name })
	if i < 0 {
		return 0, fmt.Errorf("there is no layer %q to pretrain", name)
	}
	return g.pretrain(i, epoch, epochs, seed)
}

// Pretrain trains each autoencoder of the network without labels, from the first to the last, on the outputs of the
// layers before it (Deeplearning4j: pretrain). In graphs they follow the topological order. It returns the number of
// autoencoders. See [MultiLayer.PretrainLayer].
func (n *Network) Pretrain(epoch func() data.Iterator, epochs int, seed uint64) (layers int, err error) {
	for i, nd := range n.nodes {
		if _, ok := nd.layer.(layer.Pretrainer); !ok {
			continue
		}
		if _, err := n.pretrain(i, epoch, epochs, seed); err != nil {
			return layers, err
		}
		layers++
	}
	return layers, nil
}
