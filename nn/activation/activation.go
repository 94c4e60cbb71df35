// Package activation has the activation functions of layers, those of Deeplearning4j's org.nd4j.linalg.activations. An
// activation is a plain value that reads and writes Deeplearning4j's JSON, through the table [Classes]. It emits its
// formula as program operations, and the gradient follows from those.
package activation

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// Env holds values, beside its input, that an activation may depend on.
type Env struct {
	// Training is false in inference.
	Training bool
	// Stream keys random numbers (RReLU).
	Stream uint64
}

// Activation is a function of an array of pre-activations z, whose dimension 1 holds the features. Apply emits the
// operations that compute it, and returns a value of the same shape.
type Activation interface {
	Apply(b *program.Builder, z *program.Value, env Env) *program.Value
}

// Classes is the table of activations and their Java classes. Register your own there.
var Classes = dl4j.NewClasses[Activation]("activation")

const javaPackage = "org.nd4j.linalg.activations.impl.Activation"

// names holds the constants of Deeplearning4j's enum Activation.
var names = dl4j.NewEnum[Activation]("activation")

// register adds an activation with its default settings. Its names are the class's last part and the enum's constant.
func register(class, name string, a Activation) {
	Classes.Register(javaPackage+class, func() Activation { return a })
	names.Register(a, name)
}

// ByName returns the activation of that name in Deeplearning4j's enum Activation ("RELU", "LEAKYRELU", in any case),
// with its default settings.
func ByName(name string) (Activation, error) { return names.ByName(name) }

// Names lists the names that ByName knows, in order.
func Names() []string { return names.Names() }
