// Package weights has the initialisations of weights, as Deeplearning4j's org.deeplearning4j.nn.weights has them. An
// initialisation is a plain value that reads and writes Deeplearning4j's JSON through the table Classes.
package weights

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

// FanInOut is the number of inputs of an output and of outputs of an input, which scale most initialisations. A
// convolution has In = channels·kernel size, Out = filters·kernel size/stride.
type FanInOut struct{ In, Out float64 }

// Init fills the weights of a layer before the first step.
type Init interface {
	// Fill writes the elements of an array of that shape, in C order, to dst. Numbers are drawn from src in the order
	// of dst.
	Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *random.Source)
	// Validate says what is wrong with the settings for that shape.
	Validate(shape tensor.Shape) error
}

// Classes has the Java class of each initialisation.
var Classes = dl4j.NewClasses[Init]("weight initialisation")
