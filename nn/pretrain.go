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

// pretraining is the only layer of a network that trains an autoencoder without labels.
type pretraining struct {
	layer.Pretrainer
	stream uint64 // the first random stream of the layer
}

// Settings leaves out dropout, as Deeplearning4j does.
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

// Pretraining trains one autoencoder of a network without labels, one epoch at a time. It keeps its own updater state
// between epochs; the network's updater state, iteration and epoch do not change. Like the network, it is used by one
// goroutine at a time.
type Pretraining struct {
	*inner
	of   *Network // the network that consists of the autoencoder
	seed uint64
}

// Autoencoders lists the names of the layers that can be pretrained, from first to last; in graphs in topological
// order.
func (n *Network) Autoencoders() (names []string) {
	for _, nd := range n.nodes {
		if _, ok := nd.layer.(layer.Pretrainer); ok {
			names = append(names, nd.name)
		}
	}
	return names
}

// Pretraining begins to train an autoencoder. name has the same meaning as for Reconstructor. seed keys the random
// numbers.
func (n *Network) Pretraining(name string, seed uint64) (*Pretraining, error) {
	i, err := n.named(name)
	if err != nil {
		return nil, err
	}
	return newPretraining(n, i, seed)
}

func newPretraining(n *Network, i int, seed uint64) (p *Pretraining, err error) {
	if err := n.given(); err != nil {
		return nil, err
	}
	p = &Pretraining{inner: &inner{n: n, node: i}, seed: seed}
	if p.of, err = p.alone(); err != nil {
		return nil, err
	}
	return p, p.findBefore()
}

// Epoch trains on the features of the iterator's minibatches; the layers before this one run in inference. After each
// minibatch it calls step, unless nil, with the score. It returns the score of the last minibatch. Masks are refused.
//
// If the score is not a finite number, the error is a DivergedError and the step has changed nothing. After an error,
// the epoch can be repeated.
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
		x, err := p.input(d)
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

// pretrain trains node i of a network without labels.
func pretrain(n *Network, i int, epoch func() data.Iterator, epochs int, seed uint64) (score float64, err error) {
	if epochs < 1 {
		return 0, fmt.Errorf("%d epochs of pretraining: there must be at least one", epochs)
	}
	p, err := newPretraining(n, i, seed)
	for e := 0; e < epochs && err == nil; e++ {
		score, err = p.Epoch(epoch(), nil)
	}
	return score, err
}

// PretrainLayer trains layer i, counted from 0, without labels (Deeplearning4j: pretrainLayer). epoch returns an
// iterator for each of the epochs, and the features go through the layers before i. The updater begins with fresh
// state; the network's updater state, iteration and epoch do not change. It returns the score of the last minibatch.
// The random numbers depend on seed. Masks are an error, and so are layers other than autoencoders.
//
// If the score is not a finite number, the error is a DivergedError, and the step has changed nothing.
func (m *MultiLayer) PretrainLayer(i int, epoch func() data.Iterator, epochs int, seed uint64) (score float64,
	err error) {
	if i < 0 || i >= len(m.nodes) {
		return 0, fmt.Errorf("there is no layer %d to pretrain: the network has %d", i, len(m.nodes))
	}
	return pretrain(&m.Network, i, epoch, epochs, seed)
}

// PretrainLayer trains the layer of that name without labels (Deeplearning4j: pretrainLayer). See
// [MultiLayer.PretrainLayer].
func (g *Graph) PretrainLayer(name string, epoch func() data.Iterator, epochs int, seed uint64) (score float64,
	err error) {
	i := slices.IndexFunc(g.nodes, func(n node) bool { return n.name == name })
	if i < 0 {
		return 0, fmt.Errorf("there is no layer %q to pretrain", name)
	}
	return pretrain(&g.Network, i, epoch, epochs, seed)
}

// Pretrain trains each autoencoder of the network without labels, from the first to the last, on the outputs of the
// layers before it (Deeplearning4j: pretrain). In graphs they follow the topological order. It returns the number of
// autoencoders. See [MultiLayer.PretrainLayer].
func (n *Network) Pretrain(epoch func() data.Iterator, epochs int, seed uint64) (layers int, err error) {
	for i, nd := range n.nodes {
		if _, ok := nd.layer.(layer.Pretrainer); !ok {
			continue
		}
		if _, err := pretrain(n, i, epoch, epochs, seed); err != nil {
			return layers, err
		}
		layers++
	}
	return layers, nil
}
