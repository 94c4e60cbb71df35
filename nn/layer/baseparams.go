package layer

import (
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/weights"
)

// Matrix returns a weight [nIn, nOut], initialised by WeightInit for this number of inputs and outputs.
// [Context.Affine] and [Context.MatMulT] multiply by it.
func (b Base) Matrix(name string, nIn, nOut int) Param {
	fan := weights.FanInOut{In: float64(nIn), Out: float64(nOut)}
	return b.Weight(Param{Name: name, Shape: []int{nIn, nOut}, Order: 'f',
		Init: Drawn(b.WeightInit, []int{nOut, nIn}, fan)})
}

// CheckMatrix checks the sizes of a [Base.Matrix], and WeightInit for it.
func (b Base) CheckMatrix(nIn, nOut int) error {
	if err := positive(nIn, nOut); err != nil {
		return err
	}
	return b.WeightInit.Validate([]int{nOut, nIn})
}

// Weight completes a parameter as a weight: its Kind, and the layer's updater, regularization, noise and constraints.
// Name, Shape, Order and Init are the caller's.
func (b Base) Weight(p Param) Param {
	p.Kind, p.Updater, p.Regularization = Weight, b.Updater, b.Regularization
	p.Noise = b.WeightNoise
	p.Constraints = regularization.ConstraintsOn(b.Constraints, p.Name)
	return p
}

// Bias returns a bias [n] with the initial value BiasInit and the layer's settings for biases.
func (b Base) Bias(name string, n int) Param {
	u := b.BiasUpdater
	if u == nil {
		u = b.Updater
	}
	p := Param{Name: name, Shape: []int{n}, Order: 'f', Kind: Bias, Updater: u, Regularization: b.RegularizationBias,
		Init: Constant(b.BiasInit), Constraints: regularization.ConstraintsOn(b.Constraints, name)}
	if b.WeightNoise != nil && b.WeightNoise.Biases() {
		p.Noise = b.WeightNoise
	}
	return p
}

// Scale returns a parameter [n] of kind [Scale]: a learned factor or shift. Only [regularization.DecoupledDecay]
// regularises it.
func (b Base) Scale(name string, n int, initial float64) Param {
	return Param{Name: name, Shape: []int{n}, Order: 'f', Kind: Scale, Updater: b.Updater, Init: Constant(initial),
		Regularization: regularization.Everywhere(b.Regularization),
		Constraints:    regularization.ConstraintsOn(b.Constraints, name)}
}

// gain returns the parameter g [n] of layer normalisation. It starts at GainInit, and is regularised and updated like
// a weight.
func (b Base) gain(n int) Param {
	p := b.Weight(Param{Name: "g", Shape: []int{n}, Order: 'f', Init: Constant(b.GainInit)})
	p.Noise = nil
	return p
}
