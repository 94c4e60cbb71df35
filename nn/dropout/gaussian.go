package dropout

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/schedule"
	"github.com/dl4go/dl4go/program"
)

// Gaussian multiplies each element by a number from N(1, Rate/(1 − Rate)): dropout's mean and variance, without zeros
// (Srivastava and others, 2014). Rate is like the probability to DROP an element. (Deeplearning4j: GaussianDropout.)
type Gaussian struct {
	// Rate has no effect where RateSchedule is set (Deeplearning4j has NaN here then).
	Rate         float64           `dl4j:"rate"`
	RateSchedule schedule.Schedule `dl4j:"rateSchedule"`
}

// Value is Rate.
func (d Gaussian) Value(iteration, epoch int) float64 {
	return scheduled(d.Rate, d.RateSchedule, iteration, epoch)
}

// Emit is x·(1 + √(Rate/(1 − Rate))·n) with n from N(0, 1).
func (d Gaussian) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	std := b.Unary(program.Sqrt, b.Div(value, b.Sub(b.Scalar(1), value)))
	return b.Mul(x, b.Add(b.Scalar(1), b.Mul(b.Normal(stream, x.Shape...), std)))
}

// Validate wants a rate below 1, or a valid schedule.
func (d Gaussian) Validate() error {
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

// Noise adds a number from N(0, Std²) to each element. (Deeplearning4j: GaussianNoise.)
type Noise struct {
	// Std has no effect where StdSchedule is set (Deeplearning4j has NaN here then).
	Std         float64           `dl4j:"stddev"`
	StdSchedule schedule.Schedule `dl4j:"stddevSchedule"`
}

// Value is Std.
func (d Noise) Value(iteration, epoch int) float64 {
	return scheduled(d.Std, d.StdSchedule, iteration, epoch)
}

// Emit is x + Std·n with n from N(0, 1).
func (d Noise) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	return b.Add(x, b.Mul(b.Normal(stream, x.Shape...), value))
}

// Validate wants a standard deviation, or a valid schedule.
func (d Noise) Validate() error {
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
	Classes.Register(javaPackage+"GaussianDropout", func() Dropout { return Gaussian{} })
	Classes.Register(javaPackage+"GaussianNoise", func() Dropout { return Noise{} })
}
