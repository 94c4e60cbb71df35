package regularization

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
)

// MaxNorm limits norms n to Max: w·min(n, Max)/(n + Epsilon). (Deeplearning4j: MaxNormConstraint.)
type MaxNorm struct {
	Max float64 `dl4j:"maxNorm"`
	Target
}

// NewMaxNorm returns a MaxNorm over these dimensions; Of restricts it to parameters.
func NewMaxNorm(max float64, dimensions ...int) MaxNorm { return MaxNorm{max, over(dimensions)} }

// Of returns the same constraint on parameters of other names.
func (c MaxNorm) Of(params ...string) Constraint {
	c.Target = c.of(params)
	return c
}

// Emit is the formula.
func (c MaxNorm) Emit(b *program.Builder, w *program.Value, dims []int) *program.Value {
	n, s := b.Norm(w, dims...)
	return b.Mul(w, b.Div(b.Min(n, b.Mul(b.Scalar(c.Max), s)), c.divisor(b, n, s)))
}

// Validate requires a positive maximum.
func (c MaxNorm) Validate() error {
	if !(c.Max > 0) || math.IsInf(c.Max, 0) {
		return fmt.Errorf("MaxNorm: maxNorm is %g: it must be positive", c.Max)
	}
	return c.validate("MaxNorm")
}

// MinMaxNorm moves norms n into [Min, Max]: w·f with f = clip(n, Min, Max)/(n + Epsilon). If Rate is not 1, the factor
// is Rate·f + (1 − Rate)·(n + Epsilon), as in Deeplearning4j (MinMaxNormConstraint). That moves the norm part of the
// way only if n is 1: see [PartMinMaxNorm].
type MinMaxNorm struct {
	Min  float64 `dl4j:"min"`
	Max  float64 `dl4j:"max"`
	Rate float64 `dl4j:"rate"`
	Target
}

// NewMinMaxNorm returns a MinMaxNorm over these dimensions, with the rate 1; Of restricts it to parameters.
func NewMinMaxNorm(min, max float64, dimensions ...int) MinMaxNorm {
	return MinMaxNorm{min, max, 1, over(dimensions)}
}

// Of returns the same constraint on parameters of other names.
func (c MinMaxNorm) Of(params ...string) Constraint {
	c.Target = c.of(params)
	return c
}

// Emit is the formula.
func (c MinMaxNorm) Emit(b *program.Builder, w *program.Value, dims []int) *program.Value {
	n, s := b.Norm(w, dims...)
	above := c.divisor(b, n, s)
	f := b.Div(b.Min(b.Max(n, b.Mul(b.Scalar(c.Min), s)), b.Mul(b.Scalar(c.Max), s)), above)
	if c.Rate != 1 {
		f = b.Add(b.Mul(f, b.Scalar(c.Rate)), b.Mul(b.Div(above, s), b.Scalar(1-c.Rate)))
	}
	return b.Mul(w, f)
}

// Validate requires bounds in order and a rate in (0, 1].
func (c MinMaxNorm) Validate() error {
	switch {
	case !(c.Min >= 0 && c.Min <= c.Max) || math.IsInf(c.Max, 0):
		return fmt.Errorf("MinMaxNorm: min is %g and max %g: 0 ≤ min ≤ max must hold", c.Min, c.Max)
	case !(c.Rate > 0 && c.Rate <= 1):
		return fmt.Errorf("MinMaxNorm: rate is %g: it must be in (0, 1]", c.Rate)
	}
	return c.validate("MinMaxNorm")
}

// UnitNorm scales norms to 1: w/n. A norm of 0 stays 0. (Deeplearning4j: UnitNormConstraint, which gives NaN there.)
type UnitNorm struct{ Target }

// NewUnitNorm returns a UnitNorm over these dimensions; Of restricts it to parameters.
func NewUnitNorm(dimensions ...int) UnitNorm { return UnitNorm{over(dimensions)} }

// Of returns the same constraint on parameters of other names.
func (c UnitNorm) Of(params ...string) Constraint {
	c.Target = c.of(params)
	return c
}

// Emit is the formula.
func (c UnitNorm) Emit(b *program.Builder, w *program.Value, dims []int) *program.Value {
	n, s := b.Norm(w, dims...)
	return b.Div(b.Mul(w, s), b.Select(b.Binary(program.Equal, n, b.Scalar(0)), b.Scalar(1), n))
}

// Validate checks the dimensions.
func (c UnitNorm) Validate() error { return c.validate("UnitNorm") }

// NonNegative is max(w, 0). Dimensions have no effect. (Deeplearning4j: NonNegativeConstraint.)
type NonNegative struct{ Target }

// NewNonNegative returns a NonNegative; Of restricts it to parameters.
func NewNonNegative() NonNegative { return NonNegative{over(nil)} }

// Of returns the same constraint on parameters of other names.
func (c NonNegative) Of(params ...string) Constraint {
	c.Target = c.of(params)
	return c
}

// Emit is the formula.
func (c NonNegative) Emit(b *program.Builder, w *program.Value, dims []int) *program.Value {
	return b.Max(w, b.Scalar(0))
}

// Validate returns nil.
func (c NonNegative) Validate() error { return nil }

func init() {
	ConstraintClasses.Register(constraintPackage+"MaxNormConstraint",
		func() Constraint { return MaxNorm{Target: over(nil)} })
	ConstraintClasses.Register(constraintPackage+"MinMaxNormConstraint",
		func() Constraint { return MinMaxNorm{Rate: 1, Target: over(nil)} })
	ConstraintClasses.Register(constraintPackage+"UnitNormConstraint", func() Constraint { return UnitNorm{over(nil)} })
	ConstraintClasses.Register(constraintPackage+"NonNegativeConstraint",
		func() Constraint { return NonNegative{over(nil)} })
}
