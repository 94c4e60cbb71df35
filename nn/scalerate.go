package nn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
)

// ScaleLearningRate multiplies the learning rates of all layers, and those of schedules, by a factor
// (MultiLayerNetwork.setLearningRate sets them). The configuration changes, and with it the model file; parameters and
// updater state stay. It fails if no layer has a learning rate, or if a layer's schedule is not one of package updater.
func ScaleLearningRate(of AnyNetwork, by float64) error {
	n := of.Base()
	if !(by > 0) || by > 1e6 {
		return fmt.Errorf("a learning rate can't be multiplied by %v", by)
	}
	if _, ok := n.LearningRate(0, 0); !ok {
		return errors.New("the network's updater has no learning rate")
	}
	return n.changeUpdaters(func(u updater.Updater) (updater.Updater, error) {
		scaled, ok := updater.Scaled(u, by)
		if _, has := u.Rate(0, 0); has && !ok {
			return u, fmt.Errorf("the learning rate of %T can't be scaled", u)
		}
		return scaled, nil
	})
}

// HoldLearningRate replaces schedules that lower the learning rates of layers by their first rate. Those that raise it
// stay. The configuration changes, and with it the model file; parameters and updater state stay.
func HoldLearningRate(of AnyNetwork) error {
	const iteration, epoch = 1000, 100
	return of.Base().changeUpdaters(func(u updater.Updater) (updater.Updater, error) {
		first, has := u.Rate(0, 0)
		if later, _ := u.Rate(iteration, epoch); has && !(later >= first) {
			u, _ = updater.WithRate(u, first)
		}
		return u, nil
	})
}

// changeUpdaters replaces the updaters of all layers.
func (n *Network) changeUpdaters(change func(updater.Updater) (updater.Updater, error)) error {
	return n.kind.reconfigure(func(l layer.Layer) (layer.Layer, error) {
		var failed error
		replace := func(u *updater.Updater) {
			if *u == nil {
				return
			}
			changed, err := change(*u)
			if *u = changed; err != nil {
				failed = err
			}
		}
		l, err := layer.Edit(l, func(p layer.Parts) {
			if p.Base != nil {
				replace(&p.Base.Updater)
				replace(&p.Base.BiasUpdater)
			}
		})
		return l, errors.Join(err, failed)
	})
}

func (m *MultiLayer) reconfigure(edit func(layer.Layer) (layer.Layer, error)) error {
	c := m.conf
	c.Layers = slices.Clone(c.Layers)
	for i, l := range c.Layers {
		var err error
		if c.Layers[i], err = edit(l); err != nil {
			return &LayerError{i, l.Settings().Name, err}
		}
	}
	fresh, err := build(c)
	if err != nil {
		return err
	}
	if err := retake(&m.Network, &fresh.blueprint); err != nil {
		return err
	}
	m.conf = fresh.conf
	return nil
}

func (g *Graph) reconfigure(edit func(layer.Layer) (layer.Layer, error)) error {
	c := g.conf
	c.Vertices = slices.Clone(c.Vertices)
	for i := range c.Vertices {
		v := &c.Vertices[i]
		if v.Layer == nil {
			continue
		}
		l, err := edit(v.Layer)
		if err != nil {
			return &VertexError{v.Name, err}
		}
		v.Layer = l
	}
	fresh, err := buildGraph(c)
	if err != nil {
		return err
	}
	if err := retake(&g.Network, &fresh.blueprint); err != nil {
		return err
	}
	g.conf = fresh.conf
	return nil
}

// retake replaces the network's blueprint by one for the same vectors.
func retake(n *Network, fresh *blueprint) error {
	if fresh.layout.params != n.layout.params || fresh.layout.state != n.layout.state ||
		len(fresh.layout.blocks) != len(n.layout.blocks) {
		return errors.New("its updater blocks would change")
	}
	n.returnHome()
	n.plans.clear()
	n.blueprint = *fresh
	return nil
}
