package nn

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/dropout"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/preprocessor"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// FineTune are settings that replace those of every layer which learns (Deeplearning4j: FineTuneConfiguration). What is
// nil stays.
type FineTune struct {
	Updater, BiasUpdater               updater.Updater
	Regularization, RegularizationBias []regularization.Regularization
	Dropout                            dropout.Dropout
	// Seed is the new network's, where it is not nil.
	Seed *int64
}

// Transfer says how a network is made of a trained one (Deeplearning4j: TransferLearning.Builder). Its parts are applied
// in the order of the fields.
type Transfer struct {
	FineTune FineTune
	// Freeze is the number of layers, from the first, that are frozen (setFeatureExtractor counts from 0: its n is n+1).
	Freeze int
	// NOut replaces the number of outputs of layers. These are drawn anew, as are the batch normalisations that follow and
	// the next layer that has parameters.
	NOut map[int]int
	// WeightInit is the initialisation of such layers, by index; the layer's own where there is none.
	WeightInit map[int]weights.Init
	// Remove is the number of layers that go, from the last.
	Remove int
	// Add are layers that follow.
	Add []layer.Layer
	// InputType is needed where the trained network's configuration does not say what its input is, and sizes follow from
	// that.
	InputType inputtype.Type
}

// New makes the network: the layers that stay have their parameters, those that are new or of another size are drawn from
// the seed. Updater state, iteration and epoch are those before the first step. The trained network is not changed.
func (t Transfer) New(trained *MultiLayer, seed uint64) (*MultiLayer, error) {
	c := trained.conf
	c.written.file, c.written.layers = false, nil
	stay := len(c.Layers) - t.Remove
	if t.Remove < 0 || stay < 0 || t.Freeze < 0 || t.Freeze > stay {
		return nil, fmt.Errorf("transfer: %d layers to be removed and %d to be frozen, of %d", t.Remove, t.Freeze, len(c.Layers))
	}
	if t.InputType.Kind != inputtype.Unknown {
		c.InputType = t.InputType
	}
	if s := t.FineTune.Seed; s != nil {
		c.Seed = *s
	}
	c.Layers = slices.Clone(c.Layers)
	fresh, err := t.edit(&c)
	if err != nil {
		return nil, err
	}
	c.Layers = append(c.Layers[:stay], t.Add...)
	pre := map[int]preprocessor.Preprocessor{}
	for i, p := range trained.conf.Preprocessors {
		if i < stay {
			pre[i] = p
		}
	}
	c.Preprocessors = pre
	m, err := New(c)
	if err != nil {
		return nil, err
	}
	m.Init(seed)
	for node := range stay {
		if fresh[node] {
			continue
		}
		from, size := trained.layout.nodeRange(node)
		to, n := m.layout.nodeRange(node)
		if n != size {
			return nil, &LayerError{node, m.nodes[node].name, fmt.Errorf("has %d parameters, the trained layer %d", n, size)}
		}
		copy(m.params[to:to+n], trained.params[from:from+size])
	}
	return m, nil
}

// edit changes the layers that were trained, and says which of them are drawn anew.
func (t Transfer) edit(c *Configuration) (fresh map[int]bool, err error) {
	fresh = map[int]bool{}
	for i, l := range c.Layers {
		fail := func(err error) (map[int]bool, error) { return nil, &LayerError{i, l.Settings().Name, err} }
		if i < t.Freeze {
			if _, frozen := l.(layer.Frozen); !frozen {
				c.Layers[i] = layer.Frozen{Layer: l}
			}
			continue
		}
		if c.Layers[i], err = t.FineTune.apply(l); err != nil {
			return fail(err)
		}
	}
	for _, i := range sortedKeys(t.NOut) {
		if i < t.Freeze || i >= len(c.Layers)-t.Remove {
			return nil, fmt.Errorf("transfer: layer %d cannot have another number of outputs: it is frozen, removed, or there is none", i)
		}
		if len(c.Layers[i].Params()) == 0 {
			return nil, &LayerError{i, c.Layers[i].Settings().Name, fmt.Errorf("has no parameters: its outputs are as many as its inputs")}
		}
		nIn := 0
		if s, ok := c.Layers[i].(layer.Sized); ok {
			nIn, _ = s.Sizes()
		}
		if err := t.renew(c, fresh, i, nIn, t.NOut[i]); err != nil {
			return nil, err
		}
		for k := i + 1; k < len(c.Layers)-t.Remove; k++ {
			if len(c.Layers[k].Params()) == 0 {
				continue
			}
			if err := t.renew(c, fresh, k, 0, -1); err != nil {
				return nil, err
			}
			if _, passes := c.Layers[k].(layer.BatchNormalization); !passes {
				break
			}
		}
	}
	return fresh, nil
}

// renew gives a layer other sizes, and has it drawn anew.
func (t Transfer) renew(c *Configuration, fresh map[int]bool, i, nIn, nOut int) error {
	l, ok := layer.Resize(c.Layers[i], nIn, nOut)
	if !ok {
		return &LayerError{i, c.Layers[i].Settings().Name, fmt.Errorf("%T has no nIn and nOut that could be replaced", c.Layers[i])}
	}
	if w := t.WeightInit[i]; w != nil {
		var err error
		if l, err = layer.Edit(l, func(b *layer.Base) { b.WeightInit = w }); err != nil {
			return &LayerError{i, c.Layers[i].Settings().Name, err}
		}
	}
	c.Layers[i], fresh[i] = l, true
	return nil
}

// apply gives a layer with the settings.
func (f FineTune) apply(l layer.Layer) (layer.Layer, error) {
	if f.Updater == nil && f.BiasUpdater == nil && f.Regularization == nil && f.RegularizationBias == nil && f.Dropout == nil {
		return l, nil
	}
	switch l.(type) {
	case layer.Frozen, layer.FrozenWithBackprop:
		return l, nil
	}
	return layer.Edit(l, func(b *layer.Base) {
		if f.Updater != nil {
			b.Updater = f.Updater
		}
		if f.BiasUpdater != nil {
			b.BiasUpdater = f.BiasUpdater
		}
		if f.Regularization != nil {
			b.Regularization = f.Regularization
		}
		if f.RegularizationBias != nil {
			b.RegularizationBias = f.RegularizationBias
		}
		if f.Dropout != nil {
			b.Dropout = f.Dropout
		}
	})
}

func sortedKeys(m map[int]int) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
