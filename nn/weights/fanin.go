package weights

import (
	"github.com/dl4go/dl4go/tensor"
)

// Normal is N(0, 1/in) (LeCun, Bottou, Orr and Müller, "Efficient backprop", 1998). (Deeplearning4j: WeightInitNormal,
// also called NORMAL, LECUN_NORMAL and XAVIER_FAN_IN.)
type Normal struct{}

// Fill draws each element.
func (Normal) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	normal(dst, 1/fan.In, src)
}

// Validate returns nil.
func (Normal) Validate(tensor.Shape) error { return nil }

func init() { register("Normal", Normal{}, "NORMAL", "LECUN_NORMAL", "XAVIER_FAN_IN") }

// Uniform is U(±1/√in). (Deeplearning4j: WeightInitUniform.)
type Uniform struct{}

// Fill draws each element.
func (Uniform) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, 1/sqrt(fan.In), src)
}

// Validate returns nil.
func (Uniform) Validate(tensor.Shape) error { return nil }

func init() { register("Uniform", Uniform{}, "UNIFORM") }

// LecunUniform is U(±3/√in). (Deeplearning4j: WeightInitLecunUniform.) The usual bound is √(3/in).
type LecunUniform struct{}

// Fill draws each element.
func (LecunUniform) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, 3/sqrt(fan.In), src)
}

// Validate returns nil.
func (LecunUniform) Validate(tensor.Shape) error { return nil }

func init() { register("LecunUniform", LecunUniform{}, "LECUN_UNIFORM") }
