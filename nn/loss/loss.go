// Package loss has the loss functions of output layers, those of Deeplearning4j's org.nd4j.linalg.lossfunctions. A loss
// is a plain value that reads and writes Deeplearning4j's JSON, through the table [Classes]. It emits its formula as
// program operations. Where Deeplearning4j's gradient is not the derivative of its score, this package has
// Deeplearning4j's.
//
// In the formulas, y are the labels, and p = act(z) the predictions of n outputs.
package loss

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Loss compares labels with predictions.
type Loss interface {
	// Rows returns the loss of each row, shape [rows]: z is [rows, n], labels [rows, Labels(n)], and mask is nil,
	// [rows, 1] (it multiplies rows) or [rows, n] (it multiplies single outputs). Its gradient reaches z. The score of
	// a minibatch is the sum over all rows divided by the number of examples.
	Rows(b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value) *program.Value
	// Labels is the number of label columns for n outputs: n, or 1 for class numbers.
	Labels(n int) int
	// Validate checks the settings, for n outputs and the activation.
	Validate(n int, act activation.Activation) error
}

// Classes is the table of losses and their Java classes. Register your own there.
var Classes = dl4j.NewClasses[Loss]("loss function")

const javaPackage = "org.nd4j.linalg.lossfunctions.impl.Loss"

// names holds the constants of Deeplearning4j's enum LossFunction.
var names = dl4j.NewEnum[Loss]("loss function")

// register adds a loss with its default settings. Its names are the class's last part and the enum's constants.
func register(class string, l Loss, enum ...string) {
	Classes.Register(javaPackage+class, func() Loss { return l })
	names.Register(l, enum...)
}

// ByName returns the loss of that name in Deeplearning4j's enum LossFunction ("MCXENT", "SQUARED_LOSS", in any case),
// with its default settings.
func ByName(name string) (Loss, error) { return names.ByName(name) }

// Names lists the names that ByName knows, in order.
func Names() []string { return names.Names() }
