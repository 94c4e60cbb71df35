package weights

import (
	"github.com/dl4go/dl4go/tensor"
)

// Relu is N(0, 2/in) (He, Zhang, Ren and Sun, "Delving deep into rectifiers", 2015). (Deeplearning4j: WeightInitRelu.)
type Relu struct{}

// Fill draws each element.
func (Relu) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	normal(dst, 2/fan.In, src)
}

// Validate returns nil.
func (Relu) Validate(tensor.Shape) error { return nil }

func init() { register("Relu", Relu{}, "RELU") }

// ReluUniform is U(±√(6/in)), by the paper of [Relu]. (Deeplearning4j: WeightInitReluUniform.)
type ReluUniform struct{}

// Fill draws each element.
func (ReluUniform) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, sqrt(6/fan.In), src)
}

// Validate returns nil.
func (ReluUniform) Validate(tensor.Shape) error { return nil }

func init() { register("ReluUniform", ReluUniform{}, "RELU_UNIFORM") }
