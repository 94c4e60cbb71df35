// Package loss has the loss functions of output layers, as Deeplearning4j's org.nd4j.linalg.lossfunctions has them. A
// loss is a plain value that reads and writes Deeplearning4j's JSON through the table Classes; its formula is emitted
// as program operations. Where Deeplearning4j's gradient is not the derivative of its score, ours is Deeplearning4j's.
package loss

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Loss compares labels y with predictions p = act(z).
type Loss interface {
	// Rows gives the loss of each row, shape [rows]: z is [rows, n], labels [rows, Labels(n)], and mask is nil,
	// [rows, 1] (it multiplies rows) or [rows, n] (it multiplies single outputs). Its gradient reaches z. The score of
	// a minibatch is the sum over all rows divided by the number of examples.
	Rows(b *program.Builder, labels, z *program.Value, act activation.Activation, mask *program.Value) *program.Value
	// Labels is the number of label columns for n outputs: n, or 1 for class numbers.
	Labels(n int) int
	// Validate says what is wrong with the settings for n outputs and the activation.
	Validate(n int, act activation.Activation) error
}

// Classes has the Java class of each loss.
var Classes = dl4j.NewClasses[Loss]("loss function")
