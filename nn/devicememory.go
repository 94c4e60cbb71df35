package nn

import (
	"errors"
	"slices"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// batch returns the number of examples of a minibatch with these shapes; 0 if there are no arrays.
func (s shapes) batch() int {
	if len(s.features) == 0 || len(s.features[0]) == 0 {
		return 0
	}
	return s.features[0][0]
}

// of returns the shapes of a minibatch with another number of examples.
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

// fittingRun handles a run that failed because others have taken the device's memory. It adds the largest half,
// quarter, … of the minibatch that fits at present to the error.
func (n *programs) fittingRun(err error, pl *plan) error {
	return fitting(err, pl.shapes, func(s shapes) error {
		smaller, err := n.again(pl, s)
		if err != nil {
			return err
		}
		return smaller.try()
	})
}

// again makes the same plan for minibatches of other shapes.
func (n *programs) again(pl *plan, s shapes) (*plan, error) {
	if k, ok := n.keeper(); ok && len(pl.then) > 0 {
		return n.newStep(k, pl.purpose, s)
	}
	return n.newPlan(pl.purpose, pl.training, &s)
}

// try runs the plan on zeros, without changing the network. It allocates vectors of its own, so it takes more memory
// than a run on the vectors that are on the device: if try succeeds, that run fits.
func (p *plan) try() error {
	b := &program.Bindings{}
	for _, part := range append([]*plan{p}, p.then...) {
		for _, in := range part.program.Inputs {
			b.Inputs = append(b.Inputs, make([]float32, in.Shape.Size()))
		}
	}
	for v, length := range p.lengths {
		b.Vectors[v] = make([]float32, length)
	}
	return p.exe.Run(b)
}

// fitting handles an error of compile that says that the device lacks memory: it adds the largest half, quarter, … of
// the minibatch that fits. It returns other errors unchanged.
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
			lacks.Fits = 0 // this network can't take smaller minibatches
			break
		}
	}
	return err
}
