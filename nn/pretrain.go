package nn

import (
	"errors"
	"fmt"
	"io"

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

// pretrainer makes the network of layer i alone, on the parameters of m.
func (m *MultiLayer) pretrainer(i int) (*core, error) {
	nd := m.nodes[i]
	l, ok := nd.layer.(layer.Pretrainer)
	if !ok {
		return nil, m.at(i, fmt.Errorf("%T cannot be pretrained", nd.layer))
	}
	if err := l.CanPretrain(); err != nil {
		return nil, m.at(i, err)
	}
	nd.layer, nd.in = pretraining{l, uint64(i) << 8}, []int{-1}
	c := &core{executor: m.exec()}
	if err := c.start([]node{nd}, 1, []int{0}, m.mean); err != nil {
		return nil, err
	}
	at, n := m.layout.nodeRange(i)
	c.params = m.params[at : at+n : at+n]
	c.state = make([]float32, c.layout.state)
	c.layout.initState(c.state)
	return c, nil
}

// before makes the network of the layers before layer i, on the parameters of m; nil for the first layer.
func (m *MultiLayer) before(i int) (*core, error) {
	if i == 0 {
		return nil, nil
	}
	c := &core{executor: m.exec()}
	if err := c.start(m.nodes[:i:i], 1, []int{i - 1}, m.mean); err != nil {
		return nil, err
	}
	at, _ := m.layout.nodeRange(i)
	c.params = m.params[:at:at]
	return c, nil
}

// PretrainLayer trains layer i, counted from 0, without labels, for so many epochs (Deeplearning4j: pretrainLayer). Each epoch
// goes over the features of an iterator that epoch gives; the layers before i are in inference. The updater begins anew, and
// the network's updater state, iteration and epoch stay as they are. The score is that of the last minibatch. seed keys the
// random numbers. Masks are refused; so are layers that are no autoencoders.
//
// Where the score is not a finite number the error is a DivergedError, and the step has changed nothing.
func (m *MultiLayer) PretrainLayer(i int, epoch func() data.Iterator, epochs int, seed uint64) (score float64, err error) {
	if i < 0 || i >= len(m.nodes) {
		return 0, fmt.Errorf("there is no layer %d to pretrain: the network has %d", i, len(m.nodes))
	}
	if epochs < 1 {
		return 0, fmt.Errorf("%d epochs of pretraining: there must be at least one", epochs)
	}
	of, err := m.pretrainer(i)
	if err != nil {
		return 0, err
	}
	before, err := m.before(i)
	if err != nil {
		return 0, err
	}
	for ; of.epoch < epochs; of.epoch++ {
		it, examples := epoch(), 0
		for {
			d, err := it.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return 0, err
			}
			x := &data.MultiDataSet{Features: d.Features, FeatureMasks: d.FeatureMasks}
			if before != nil {
				if x.FeatureMasks != nil {
					return 0, m.at(i, errors.New("pretraining takes no masks"))
				}
				if x.Features, err = before.Output(x, false); err != nil {
					return 0, err
				}
			}
			x.Labels = []*tensor.Dense{tensor.New(d.Examples(), 1)}
			score, err = of.fit(x, Key{Seed: seed, Epoch: uint64(of.epoch), Example: uint64(examples)})
			if err != nil {
				return score, err
			}
			examples += d.Examples()
		}
		if examples == 0 {
			return 0, fmt.Errorf("there are no examples to pretrain on")
		}
	}
	return score, nil
}

// Pretrain trains each autoencoder of the network without labels, from the first to the last, each for so many epochs on what
// the layers before it make of the features (Deeplearning4j: pretrain). See PretrainLayer.
func (m *MultiLayer) Pretrain(epoch func() data.Iterator, epochs int, seed uint64) error {
	for i, nd := range m.nodes {
		if _, ok := nd.layer.(layer.Pretrainer); !ok {
			continue
		}
		if _, err := m.PretrainLayer(i, epoch, epochs, seed); err != nil {
			return err
		}
	}
	return nil
}
