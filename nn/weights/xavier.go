package weights

import (
	"github.com/dl4go/dl4go/tensor"
)

// Xavier is N(0, 2/(in + out)) (Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", 2010). (Deeplearning4j: WeightInitXavier.)
type Xavier struct{}

// Fill draws each element.
func (Xavier) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	normal(dst, 2/(fan.In+fan.Out), src)
}

// Validate returns nil.
func (Xavier) Validate(tensor.Shape) error { return nil }

func init() { register("Xavier", Xavier{}, "XAVIER") }

// XavierUniform is U(±√(6/(in + out))), by the paper of [Xavier]. (Deeplearning4j: WeightInitXavierUniform.)
type XavierUniform struct{}

// Fill draws each element.
func (XavierUniform) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, sqrt(6/(fan.In+fan.Out)), src)
}

// Validate returns nil.
func (XavierUniform) Validate(tensor.Shape) error { return nil }

func init() { register("XavierUniform", XavierUniform{}, "XAVIER_UNIFORM") }

// XavierLegacy is N(0, 1/(d₀ + d₁)) with the first two extents of the shape. (Deeplearning4j: WeightInitXavierLegacy.)
type XavierLegacy struct{}

// Fill draws each element.
func (XavierLegacy) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	normal(dst, 1/float64(extent(shape, 0)+extent(shape, 1)), src)
}

// Validate returns nil.
func (XavierLegacy) Validate(tensor.Shape) error { return nil }

func init() { register("XavierLegacy", XavierLegacy{}, "XAVIER_LEGACY") }

// SigmoidUniform is U(±4·√(6/(in + out))), Xavier for sigmoid layers. (Deeplearning4j: WeightInitSigmoidUniform.)
type SigmoidUniform struct{}

// Fill draws each element.
func (SigmoidUniform) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, 4*sqrt(6/(fan.In+fan.Out)), src)
}

// Validate returns nil.
func (SigmoidUniform) Validate(tensor.Shape) error { return nil }

func init() { register("SigmoidUniform", SigmoidUniform{}, "SIGMOID_UNIFORM") }

// extent returns the extent of a dimension, or 1 if the shape does not have it.
func extent(shape tensor.Shape, dim int) int {
	if dim < len(shape) {
		return shape[dim]
	}
	return 1
}
