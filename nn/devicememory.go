package nn

import (
	"errors"
	"slices"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// batch is the examples of a minibatch of these shapes, 0 without any.
func (s shapes) batch() int {
	if len(s.features) == 0 || len(s.features[0]) == 0 {
		return 0
	}
	return s.features[0][0]
}

// of gives the shapes of a minibatch with another number of examples.
func (s shapes) of(batch int) shapes {
	whole := s.batch()
	one := func(x tensor.Shape) tensor.Shape {
		if len(x) == 0 || x[0] != whole {
			return x
		}
		x = x.Clone()
		x[0] = batch
		return x
	}
	list := func(all []tensor.Shape) []tensor.Shape {
		all = slices.Clone(all)
		for i := range all {
			all[i] = one(all[i])
		}
		return all
	}
	return shapes{features: list(s.features), featureMasks: list(s.featureMasks), labels: list(s.labels),
		labelMasks: list(s.labelMasks), weights: one(s.weights)}
}

// fitting adds to an error of compile that the device lacks memory the largest half, quarter, … of the minibatch that
// fits. Other errors stay as they are.
func fitting(err error, s shapes, compile func(s shapes) error) error {
	var lacks *program.MemoryError
	if !errors.As(err, &lacks) || s.batch() == 0 {
		return err
	}
	lacks.Batch, lacks.Fits = s.batch(), -1
	for b := lacks.Batch / 2; b > 0; b /= 2 {
		again := compile(s.of(b))
		if again == nil {
			lacks.Fits = b
			break
		}
		if next := (*program.MemoryError)(nil); !errors.As(again, &next) {
			lacks.Fits = 0 // this network takes no smaller minibatches
			break
		}
	}
	return err
}
