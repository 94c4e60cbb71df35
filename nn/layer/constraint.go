package layer

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// Constraint holds parameters to a set after each step (Deeplearning4j: org.deeplearning4j.nn.conf.constraint).
type Constraint interface {
	// Emit gives the constrained parameter, w in Deeplearning4j's shape.
	Emit(b *program.Builder, w *program.Value) *program.Value
	// Applies says whether the constraint is meant for a parameter.
	Applies(param string) bool
}

// Constraints are the constraints that configurations may name.
var Constraints = dl4j.NewClasses[Constraint]("constraint")

// WeightNoise changes the parameters that a layer sees in training (Deeplearning4j:
// org.deeplearning4j.nn.conf.weightnoise).
type WeightNoise interface {
	// Emit gives the parameter with noise of a stream.
	Emit(b *program.Builder, w *program.Value, stream uint64) *program.Value
}

// WeightNoises are the weight noises that configurations may name.
var WeightNoises = dl4j.NewClasses[WeightNoise]("weight noise")
