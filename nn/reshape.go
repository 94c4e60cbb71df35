package nn

import (
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// Reshape makes a new network from an untrained one. It replaces settings of all layers: the updater, the learning
// rate, regularizations, and the probability of existing dropouts. name is the network's name in errors. A setting that
// has no effect is a *[ShapeError]. So is a Shape with hidden layers or an activation, because Reshape does not change
// these. All parameters are drawn from the seed.
func Reshape(n AnyNetwork, name string, s Shape, seed int64) (*Network, error) {
	if err := s.check(name); err != nil {
		return nil, err
	}
	if s.Hidden != nil || s.Activation != nil {
		return nil, &ShapeError{name, s.Given()[0], "the file sets it; leave it out, or change the file"}
	}
	r := &reshaping{Shape: s}
	tune := FineTune{edit: r.base, Seed: &seed}
	var made *Network
	switch k := n.Base().kind.(type) {
	case *Graph:
		g, err := GraphTransfer{FineTune: tune, AnyOutput: k.conf.Defaults.AnyOutput}.New(k, uint64(seed))
		if err != nil {
			return nil, err
		}
		made = g.Base()
	case *MultiLayer:
		m, err := Transfer{FineTune: tune, AnyOutput: k.conf.AnyOutput}.New(k, uint64(seed))
		if err != nil {
			return nil, err
		}
		made = m.Base()
	}
	switch {
	case s.Dropout != nil && !r.drops:
		made.Close()
		return nil, &ShapeError{name, "dropout", "no layer of the file has a dropout; leave it out, or change the file"}
	case s.LearningRate != 0 && !r.rates:
		made.Close()
		return nil, &ShapeError{name, "learning-rate", "the updaters have none; leave it out"}
	}
	made.Init(uint64(seed))
	return made, nil
}

// reshaping applies a Shape to the layers' settings, and notes which of them had an effect.
type reshaping struct {
	Shape
	drops, rates bool
}

func (r *reshaping) base(b *layer.Base) {
	if r.Updater != nil {
		b.Updater = r.Updater
	}
	if r.LearningRate != 0 && b.Updater != nil {
		if u, ok := updater.WithRate(b.Updater, r.LearningRate); ok {
			b.Updater, r.rates = u, true
		}
	}
	if _, is := b.Dropout.(regularization.InvertedDropout); is && r.Dropout != nil {
		if b.Dropout, r.drops = nil, true; *r.Dropout > 0 {
			b.Dropout = regularization.NewDropout(regularization.Keeping(*r.Dropout))
		}
	}
	for _, of := range []struct {
		x  float64
		of regularization.Regularization
	}{
		{r.L1, regularization.NewL1(r.L1)}, {r.L2, regularization.NewL2(r.L2)},
		{r.WeightDecay, regularization.NewWeightDecay(r.WeightDecay, true)},
	} {
		if of.x != 0 {
			b.Regularization = append(lessKinds(b.Regularization, []regularization.Regularization{of.of}), of.of)
		}
	}
}
