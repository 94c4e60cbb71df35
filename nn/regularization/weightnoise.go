package regularization

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Noise changes weights at random while a network is trained (Deeplearning4j: org.deeplearning4j.nn.conf.weightnoise).
// The gradient is that of the changed weights. It counts as that of the weights themselves, as in Deeplearning4j.
type Noise interface {
	// Biases reports whether biases are changed, too.
	Biases() bool
	// Value is the noise's number at a step; Emit takes it as a value of shape [].
	Value(iteration, epoch int) float64
	// Emit returns the changed weights, in w's shape. stream keys the random numbers.
	Emit(b *program.Builder, w, value *program.Value, stream uint64) *program.Value
	// Validate checks the settings.
	Validate() error
}

// NoiseClasses has the Java class of each noise.
var NoiseClasses = dl4j.NewClasses[Noise]("weight noise")

const noisePackage = "org.deeplearning4j.nn.conf.weightnoise."

// seen is w changed to y, whose gradient w takes.
func seen(b *program.Builder, y, w *program.Value) *program.Value {
	return b.WithGradient(y, w, b.Fill(1, w.Shape...))
}

// DropConnect keeps each weight with probability P, or sets it to 0 (Wan and others, "Regularization of neural networks
// using DropConnect", 2013). Nothing is scaled. P is the probability to KEEP a weight. (Deeplearning4j: DropConnect,
// which changes biases in inference too.)
type DropConnect struct {
	ApplyToBiases bool `dl4j:"applyToBiases,creator"`
	// PSchedule rules where it is set (Deeplearning4j has NaN as P then).
	PSchedule updater.Schedule `dl4j:"weightRetainProbSchedule,creator"`
	P         float64          `dl4j:"weightRetainProb,alias=weightRetainProbability"`
}

// NewDropConnect keeps each weight with probability p; biases stay.
func NewDropConnect(p float64) DropConnect { return DropConnect{P: p} }

// Biases is ApplyToBiases.
func (n DropConnect) Biases() bool { return n.ApplyToBiases }

// Value is P.
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

// Validate wants a probability, or a valid schedule.
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
