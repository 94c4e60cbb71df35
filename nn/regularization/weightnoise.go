package regularization

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Noise changes weights at random while a network is trained (Deeplearning4j: org.deeplearning4j.nn.conf.weightnoise).
// As in Deeplearning4j, the gradient by the changed weights is used as the gradient by the weights themselves.
type Noise interface {
	// Biases reports whether biases change, too.
	Biases() bool
	// Value is the noise's number at a step. Emit gets it as a value of shape [].
	Value(iteration, epoch int) float64
	// Emit returns the changed weights, in w's shape. stream keys the random numbers.
	Emit(b *program.Builder, w, value *program.Value, stream uint64) *program.Value
	// Validate checks the settings.
	Validate() error
}

// NoiseClasses is the table of weight noises and their Java classes. Register your own there.
var NoiseClasses = dl4j.NewClasses[Noise]("weight noise")

const noisePackage = "org.deeplearning4j.nn.conf.weightnoise."

// seen returns y as the changed w; its gradient goes to w.
func seen(b *program.Builder, y, w *program.Value) *program.Value {
	return b.WithGradient(y, w, b.Fill(1, w.Shape...))
}

// DropConnect keeps each weight with probability P, or sets it to 0 (Wan and others, "Regularization of neural
// networks using DropConnect", 2013). It does not scale. P is the probability to KEEP a weight. (Deeplearning4j:
// DropConnect, which changes biases in inference, too.)
type DropConnect struct {
	ApplyToBiases bool `dl4j:"applyToBiases,creator"`
	// PSchedule, if set, replaces P (Deeplearning4j has NaN as P then).
	PSchedule updater.Schedule `dl4j:"weightRetainProbSchedule,creator"`
	P         float64          `dl4j:"weightRetainProb,alias=weightRetainProbability"`
}

// NewDropConnect returns a noise that keeps each weight with probability p, and all biases.
func NewDropConnect(p float64) DropConnect { return DropConnect{P: p} }

// Biases returns ApplyToBiases.
func (n DropConnect) Biases() bool { return n.ApplyToBiases }

// Value returns P.
func (n DropConnect) Value(iteration, epoch int) float64 {
	if n.PSchedule != nil {
		return n.PSchedule.Value(iteration, epoch)
	}
	return n.P
}

// Emit is w·[r < P] with r uniform on [0, 1).
func (n DropConnect) Emit(b *program.Builder, w, value *program.Value, stream uint64) *program.Value {
	return seen(b, b.Mul(w, b.Binary(program.Greater, value, b.Random(stream, w.Shape...))), w)
}

// Validate requires a probability, or a valid schedule.
func (n DropConnect) Validate() error {
	if n.PSchedule != nil {
		if err := n.PSchedule.Validate(); err != nil {
			return fmt.Errorf("DropConnect: %w", err)
		}
		return nil
	}
	if !(n.P > 0 && n.P <= 1) {
		return fmt.Errorf("DropConnect: weightRetainProb is %g, the probability to keep a weight; it must be in (0, 1]", n.P)
	}
	return nil
}

func init() { NoiseClasses.Register(noisePackage+"DropConnect", func() Noise { return DropConnect{} }) }
