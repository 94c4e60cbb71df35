package layer

import (
	"slices"

	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/tensor"
)

// Kind is the role of a parameter.
type Kind int

const (
	// Weight is regularised by the layer's Regularization.
	Weight Kind = iota
	// Bias is regularised by RegularizationBias and may have its own updater.
	Bias
	// Scale is a learned factor or shift of normalised values. It is updated like weights, but not regularised.
	Scale
	// Statistic is not learned: its pseudo-gradient is neither divided by the batch size nor scaled by an updater.
	Statistic
	// PretrainOnly is not changed by supervised training.
	PretrainOnly
)

// Param is one parameter of a layer.
type Param struct {
	Name string
	// Shape is the parameter's shape in Deeplearning4j.
	Shape tensor.Shape
	// Order is the order of the elements in the flat vector: 'c' (the last dimension varies fastest) or 'f' (the
	// first).
	Order byte
	Kind  Kind
	// Updater turns the gradient into an update.
	Updater updater.Updater
	// Regularization is added to gradient, update and score.
	Regularization []regularization.Regularization
	// Noise changes the parameter for the layer in training; nil for none.
	Noise regularization.Noise
	// Constraints limit the values after each step.
	Constraints []regularization.Constraint
	// Frozen is true if training does not move the parameter, because it belongs to a frozen layer or vertex.
	Frozen bool
	// Elements, if not nil, are the extents of a weight's elements in the flat vector, in C order, for updaters of
	// matrices; Rows and Columns are the dimensions of its inputs and outputs. See [Param.ForUpdater].
	Elements      tensor.Shape
	Rows, Columns int
	// Table is true if the layer looks up rows.
	Table bool
	// Init sets the initial values.
	Init func(x []float32, s *weights.Source)
}

// Stored is the shape of the elements in the flat vector, in C order: an 'f' matrix [in, out] is [out, in].
func (p Param) Stored() tensor.Shape {
	s := p.Shape.Clone()
	if p.Order == 'f' {
		slices.Reverse(s)
	}
	return s
}

// ForUpdater tells an [updater.Shaped] about the parameter. Without Elements, weights of two dimensions are [in, out],
// and others [out, in, …] or, in the order 'f', […, in, out].
func (p Param) ForUpdater() updater.Parameter {
	of := updater.Parameter{Name: p.Name, Shape: p.Stored(), Table: p.Table}
	switch {
	case p.Kind != Weight && p.Kind != PretrainOnly || len(p.Shape) < 2:
	case p.Elements != nil:
		of.Shape, of.Rows, of.Columns = p.Elements, p.Rows, p.Columns
	case len(p.Shape) == 2 && p.Order != 'f':
		of.Columns = 1
	default:
		of.Rows = 1
	}
	return of
}

// Constant returns a Param.Init that sets every element to x.
func Constant(x float64) func([]float32, *weights.Source) {
	return func(v []float32, _ *weights.Source) {
		for i := range v {
			v[i] = float32(x)
		}
	}
}

// Drawn returns a Param.Init that draws the elements by an initialisation. stored is the shape that [Param.Stored]
// returns.
func Drawn(init weights.Init, stored tensor.Shape, fan weights.FanInOut) func([]float32, *weights.Source) {
	return func(v []float32, s *weights.Source) { init.Fill(v, stored, fan, s) }
}
