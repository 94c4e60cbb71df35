// Package weights has the initialisations of weights, those of Deeplearning4j's org.deeplearning4j.nn.weights. An
// initialisation is a plain value that reads and writes Deeplearning4j's JSON, through the table [Classes]. The
// distributions are Deeplearning4j's. The random numbers are not, because its generator is not reproduced.
package weights

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// FanInOut holds the number of inputs that an output has, and the number of outputs that an input has. Most
// initialisations scale by them: the formulas call them in and out. A convolution has In = channels·kernel size, Out =
// filters·kernel size/stride.
type FanInOut struct{ In, Out float64 }

// Init fills the weights of a layer before the first step.
type Init interface {
	// Fill writes the elements of an array of that shape, in C order, to dst. It draws numbers from src in the order
	// of dst.
	Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source)
	// Validate checks the settings for that shape.
	Validate(shape tensor.Shape) error
}

// Classes is the table of initialisations and their Java classes. Register your own there.
var Classes = dl4j.NewClasses[Init]("weight initialisation")

const javaPackage = "org.deeplearning4j.nn.weights.WeightInit"

// names holds the constants of Deeplearning4j's enum WeightInit.
var names = dl4j.NewEnum[Init]("weight initialisation")

// register adds an initialisation with its default settings. Its names are the class's last part and the enum's
// constants.
func register(class string, init Init, enum ...string) {
	Classes.Register(javaPackage+class, func() Init { return init })
	names.Register(init, enum...)
}

// ByName returns the initialisation of that name in Deeplearning4j's enum WeightInit ("XAVIER", "RELU_UNIFORM", in any
// case). DISTRIBUTION is not available, because it needs settings.
func ByName(name string) (Init, error) { return names.ByName(name) }

// Names lists the names that ByName knows, in order.
func Names() []string { return names.Names() }

// normal fills dst from N(0, variance).
func normal(dst []float32, variance float64, src *Source) {
	fill(dst, NormalDistribution{Std: sqrt(variance)}, src)
}

// uniform fills dst from U(−bound, bound).
func uniform(dst []float32, bound float64, src *Source) {
	fill(dst, UniformDistribution{Lower: -bound, Upper: bound}, src)
}
