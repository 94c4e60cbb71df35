package regularization

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// AlphaDropout is the dropout of self-normalising networks (Klambauer and others, "Self-normalizing neural networks",
// 2017). It keeps each element with probability P or sets it to −Lambda·Alpha. The result is scaled and shifted to
// keep mean 0 and variance 1: a·x + b with a = 1/√(P + (Lambda·Alpha)²·P·(1 − P)), b = a·(1 − P)·Lambda·Alpha. P is
// the probability to KEEP an element. (Deeplearning4j: AlphaDropout.)
type AlphaDropout struct {
	Alpha  float64 `dl4j:"alpha"`
	Lambda float64 `dl4j:"lambda"`
	// P has no effect if PSchedule is set (Deeplearning4j has NaN here then).
	P         float64          `dl4j:"p"`
	PSchedule updater.Schedule `dl4j:"pschedule,alias=pSchedule"`
	meant     bool             // see package literal
}

// completed fills in SELU's constants if a literal leaves both out.
func (d AlphaDropout) completed() AlphaDropout {
	if d.Alpha == 0 && d.Lambda == 0 && !d.meant {
		d.Alpha, d.Lambda = 1.6732632423543772, 1.0507009873554804
	}
	return d
}

// MarshalTree writes the constants if a literal leaves them out.
func (d AlphaDropout) MarshalTree() (any, error) {
	return dl4j.Members(d.completed())
}

// AfterRead notes that a zero from a file is intended.
func (d *AlphaDropout) AfterRead() { d.meant = d.Alpha == 0 && d.Lambda == 0 }

// NewAlphaDropout returns a dropout that keeps each element with probability p, with SELU's constants.
func NewAlphaDropout(p float64) AlphaDropout {
	return AlphaDropout{P: p}.completed()
}

// Value returns P.
func (d AlphaDropout) Value(iteration, epoch int) float64 {
	return scheduled(d.P, d.PSchedule, iteration, epoch)
}

// Emit is the formula.
func (d AlphaDropout) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	d = d.completed()
	one, low := b.Scalar(1), b.Scalar(-d.Lambda*d.Alpha)
	dropped := b.Sub(one, value)
	variance := b.Mul(value, b.Add(one, b.Mul(b.Unary(program.Square, low), dropped)))
	scale := b.Div(one, b.Unary(program.Sqrt, variance))
	shift := b.Neg(b.Mul(scale, b.Mul(dropped, low)))
	keep := b.Binary(program.Greater, value, b.Random(stream, x.Shape...))
	return b.Add(b.Mul(b.Select(keep, x, low), scale), shift)
}

// Validate requires a probability above 0, or a valid schedule.
func (d AlphaDropout) Validate() error {
	if c := d.Alpha * d.Lambda; math.IsNaN(c) || math.IsInf(c, 0) {
		return fmt.Errorf("AlphaDropout: alpha %g and lambda %g must be numbers", d.Alpha, d.Lambda)
	}
	return kept("AlphaDropout", d.P, d.PSchedule)
}

// scheduled returns the value of a schedule, or the fixed one if there is no schedule.
func scheduled(fixed float64, s updater.Schedule, iteration, epoch int) float64 {
	if s != nil {
		return s.Value(iteration, epoch)
	}
	return fixed
}

// kept checks the probability to keep an element.
func kept(class string, p float64, s updater.Schedule) error {
	if s != nil {
		if err := s.Validate(); err != nil {
			return fmt.Errorf("%s: %w", class, err)
		}
		return nil
	}
	if !(p > 0 && p <= 1) {
		return fmt.Errorf("%s: p is %g, the probability to keep an element; it must be in (0, 1]", class, p)
	}
	return nil
}

func init() {
	DropoutClasses.Register(dropoutPackage+"AlphaDropout", func() Dropout { return NewAlphaDropout(0) })
}
