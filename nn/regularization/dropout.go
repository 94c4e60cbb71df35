package regularization

import (
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Dropout changes activations at random while a network is trained (Deeplearning4j:
// org.deeplearning4j.nn.conf.dropout).
type Dropout interface {
	// Value is the dropout's number at a step, such as a probability. Emit gets it as a value of shape [].
	Value(iteration, epoch int) float64
	// Emit returns x with the dropout applied, in x's shape. stream keys the random numbers.
	Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value
	// Validate checks the settings.
	Validate() error
}

// DropoutClasses is the table of dropouts and their Java classes. Register your own there.
var DropoutClasses = dl4j.NewClasses[Dropout]("dropout")

const dropoutPackage = "org.deeplearning4j.nn.conf.dropout."

// InvertedDropout is dropout scaled in training (Srivastava and others, "Dropout: a simple way to prevent neural
// networks from overfitting", 2014). It keeps each element with probability P and divides it by P, or sets it to 0. As
// everywhere in Deeplearning4j, P is the probability to KEEP an element, not to drop it. (Deeplearning4j: Dropout.)
type InvertedDropout struct {
	// P has no effect if PSchedule is set (Deeplearning4j has NaN here then).
	P         float64          `dl4j:"p,creator"`
	PSchedule updater.Schedule `dl4j:"pschedule,alias=pSchedule"`
	Inert     dl4j.Inert
}

// InertFields lists Deeplearning4j's switch for its cuDNN helper.
func (d InvertedDropout) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "helperAllowFallback", Value: true}}
}

// NewDropout returns a dropout that keeps each element with probability p.
func NewDropout(p float64) InvertedDropout { return InvertedDropout{P: p} }

// Value returns P.
func (d InvertedDropout) Value(iteration, epoch int) float64 {
	if d.PSchedule != nil {
		return d.PSchedule.Value(iteration, epoch)
	}
	return d.P
}

// Emit returns x·[r < P]/P with r uniform on [0, 1).
func (d InvertedDropout) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	keep := b.Binary(program.Greater, value, b.Random(stream, x.Shape...))
	return b.Mul(x, b.Div(keep, value))
}

// Validate requires a probability above 0, or a valid schedule.
func (d InvertedDropout) Validate() error {
	if d.PSchedule != nil {
		if err := d.PSchedule.Validate(); err != nil {
			return fmt.Errorf("Dropout: %w", err)
		}
		return nil
	}
	if !(d.P > 0 && d.P <= 1) {
		return fmt.Errorf("Dropout: p is %g, the probability to keep an element; it must be in (0, 1]", d.P)
	}
	return nil
}

func init() {
	DropoutClasses.Register(dropoutPackage+"Dropout", func() Dropout { return InvertedDropout{} })
}

// Keeping converts a probability to drop to a probability to keep: 0.2 to 0.8. It rounds to 15 digits, so that 0.7
// gives 0.3 and not 0.30000000000000004.
func Keeping(drop float64) float64 {
	keep, err := strconv.ParseFloat(strconv.FormatFloat(1-drop, 'g', 15, 64), 64)
	if err != nil {
		return 1 - drop
	}
	return keep
}
