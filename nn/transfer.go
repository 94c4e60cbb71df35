package nn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/weights"
)

// Transfer makes a network from a trained one (Deeplearning4j: TransferLearning.Builder). It makes its changes in the
// order of the fields.
type Transfer struct {
	FineTune FineTune
	// Freeze is the number of first layers to freeze (setFeatureExtractor counts from 0: its n is n+1 here).
	Freeze int
	// NOut replaces the number of outputs of layers, by index. These layers are initialised again. So are the batch
	// normalisations that follow, and the next layer that has parameters.
	NOut map[int]int
	// NIn replaces the number of inputs of layers, by index. These layers are initialised again (nInReplace).
	NIn map[int]int
	// WeightInit is the initialisation of these layers, by index. Layers that it does not name use their own.
	WeightInit map[int]weights.Init
	// Remove is the number of last layers to remove.
	Remove int
	// Add lists layers to append. Settings that they leave open come from FineTune, or from the network's
	// configuration.
	Add []layer.Layer
	// Preprocessors run before layers of the new network, by index. Those that the input type requires are added.
	Preprocessors map[int]layer.Preprocessor
	// AnyOutput switches off the check of the output layer (validateOutputLayerConfig(false)).
	AnyOutput bool
	// InputType is needed if sizes follow from it and the trained network's configuration does not have it.
	InputType inputtype.Type
}

// New makes the network. Layers that stay keep their parameters; new and resized ones are drawn from the seed. Updater
// state, iteration and epoch start afresh. The trained network is not changed.
func (t Transfer) New(trained *MultiLayer, seed uint64) (*MultiLayer, error) {
	c := trained.conf
	c.written.file, c.written.layers = false, nil
	stay := len(c.Layers) - t.Remove
	if t.Remove < 0 || stay < 0 || t.Freeze < 0 || t.Freeze > stay {
		return nil, fmt.Errorf("transfer: %d layers to be removed and %d to be frozen, of %d", t.Remove, t.Freeze,
			len(c.Layers))
	}
	if t.InputType.Kind != inputtype.Unknown {
		c.InputType = t.InputType
	}
	t.FineTune.defaults(&c)
	c.AnyOutput, c.written.stay = t.AnyOutput, stay
	c.Layers = slices.Clone(c.Layers)
	fresh, err := t.edit(&c)
	if err != nil {
		return nil, err
	}
	c.Layers = append(c.Layers[:stay], t.Add...)
	pre := map[int]layer.Preprocessor{}
	for i, p := range trained.conf.Preprocessors {
		if i < stay && !(fresh[i] && flattens(p)) {
			pre[i] = p
		}
	}
	maps.Copy(pre, t.Preprocessors)
	c.Preprocessors = pre
	m, err := blank(c)
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

// edit changes the trained layers, and reports which of them are drawn again.
func (t Transfer) edit(c *Configuration) (fresh map[int]bool, err error) {
	fresh = map[int]bool{}
	for i, l := range c.Layers {
		fail := func(err error) (map[int]bool, error) { return nil, &LayerError{i, l.Settings().Name, err} }
		if i >= len(c.Layers)-t.Remove {
			break
		}
		if c.Layers[i], err = t.FineTune.apply(l); err != nil {
			return fail(err)
		}
		if i < t.Freeze {
			c.Layers[i] = frozen(c.Layers[i])
		}
	}
	for i := range t.NIn {
		if i < t.Freeze || i >= len(c.Layers)-t.Remove {
			return nil,
				fmt.Errorf("transfer: layer %d cannot have another number of inputs: it is frozen, removed, or there is none", i)
		}
		if err := t.renew(c, fresh, i, t.NIn[i], -1); err != nil {
			return nil, err
		}
	}
	for _, i := range slices.Sorted(maps.Keys(t.NOut)) {
		if i < t.Freeze || i >= len(c.Layers)-t.Remove {
			return nil,
				fmt.Errorf("transfer: layer %d cannot have another number of outputs: it is frozen, removed, or there is none", i)
		}
		if len(c.Layers[i].Params()) == 0 {
			return nil, &LayerError{i, c.Layers[i].Settings().Name,
				fmt.Errorf("has no parameters: its outputs are as many as its inputs")}
		}
		if err := t.renew(c, fresh, i, -1, t.NOut[i]); err != nil {
			return nil, err
		}
		for k := i + 1; k < len(c.Layers)-t.Remove; k++ {
			if len(c.Layers[k].Params()) == 0 {
				continue
			}
			if err := t.renew(c, fresh, k, 0, -1); err != nil {
				return nil, err
			}
			if !layer.Follows(c.Layers[k]) {
				break
			}
		}
	}
	return fresh, nil
}

// renew gives a layer other sizes. Its parameters will be drawn again.
func (t Transfer) renew(c *Configuration, fresh map[int]bool, i, nIn, nOut int) error {
	l, ok := layer.Resize(c.Layers[i], nIn, nOut)
	if !ok {
		return &LayerError{i, c.Layers[i].Settings().Name, fmt.Errorf("%T has no nIn and nOut that could be replaced",
			c.Layers[i])}
	}
	l, err := drawnBy(l, t.WeightInit[i])
	if err != nil {
		return &LayerError{i, c.Layers[i].Settings().Name, err}
	}
	c.Layers[i], fresh[i] = l, true
	return nil
}

// drawnBy gives a layer another initialisation; nil keeps its own.
func drawnBy(l layer.Layer, init weights.Init) (layer.Layer, error) {
	if init == nil {
		return l, nil
	}
	return layer.Edit(l, func(p layer.Parts) {
		if p.Base != nil {
			p.Base.WeightInit = init
		}
	})
}

// flattens reports whether a preprocessor stores the size of the arrays that it flattens. It must be replaced if that
// size changes.
func flattens(p layer.Preprocessor) bool {
	switch p.(type) {
	case layer.CnnToFeedForward, layer.Cnn3DToFeedForward:
		return true
	}
	return false
}

func frozen(l layer.Layer) layer.Layer {
	switch l.(type) {
	case layer.Frozen, layer.FrozenWithBackprop:
		return l
	}
	return layer.Frozen{Layer: l}
}
