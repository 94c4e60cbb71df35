package regularization

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// GaussianDropout multiplies each element by a number from N(1, Rate/(1 − Rate)). It has dropout's mean and variance,
// without zeros (Srivastava and others, 2014). Rate corresponds to the probability to DROP an element.
// (Deeplearning4j: GaussianDropout.)
type GaussianDropout struct {
	// Rate has no effect if RateSchedule is set (Deeplearning4j has NaN here then).
	Rate         float64          `dl4j:"rate"`
	RateSchedule updater.Schedule `dl4j:"rateSchedule"`
}

// Value is Rate.
func (d GaussianDropout) Value(iteration, epoch int) float64 {
	return scheduled(d.Rate, d.RateSchedule, iteration, epoch)
}

// Emit is x·(1 + √(Rate/(1 − Rate))·n) with n from N(0, 1).
func (d GaussianDropout) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	std := b.Unary(program.Sqrt, b.Div(value, b.Sub(b.Scalar(1), value)))
	return b.Mul(x, b.Add(b.Scalar(1), b.Mul(b.Normal(stream, x.Shape...), std)))
}

// Validate requires a rate below 1, or a valid schedule.
func (d GaussianDropout) Validate() error {
	if d.RateSchedule != nil {
		if err := d.RateSchedule.Validate(); err != nil {
			return fmt.Errorf("GaussianDropout: %w", err)
		}
		return nil
	}
	if !(d.Rate >= 0 && d.Rate < 1) {
		return fmt.Errorf("GaussianDropout: rate is %g; it must be in [0, 1)", d.Rate)
	}
	return nil
}

// GaussianNoise adds a number from N(0, Std²) to each element. (Deeplearning4j: GaussianNoise.)
type GaussianNoise struct {
	// Std has no effect if StdSchedule is set (Deeplearning4j has NaN here then).
	Std         float64          `dl4j:"stddev"`
	StdSchedule updater.Schedule `dl4j:"stddevSchedule"`
}

// Value is Std.
func (d GaussianNoise) Value(iteration, epoch int) float64 {
	return scheduled(d.Std, d.StdSchedule, iteration, epoch)
}

// Emit is x + Std·n with n from N(0, 1).
func (d GaussianNoise) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	return b.Add(x, b.Mul(b.Normal(stream, x.Shape...), value))
}

// Validate requires a standard deviation, or a valid schedule.
func (d GaussianNoise) Validate() error {
	if d.StdSchedule != nil {
		if err := d.StdSchedule.Validate(); err != nil {
			return fmt.Errorf("GaussianNoise: %w", err)
		}
		return nil
	}
	if !(d.Std >= 0) || math.IsInf(d.Std, 0) {
		return fmt.Errorf("GaussianNoise: stddev is %g; it must be a number of at least 0", d.Std)
	}
	return nil
}

func init() {
	DropoutClasses.Register(dropoutPackage+"GaussianDropout", func() Dropout { return GaussianDropout{} })
	DropoutClasses.Register(dropoutPackage+"GaussianNoise", func() Dropout { return GaussianNoise{} })
}
