package regularization

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
)

// PartMinMaxNorm moves norms n part of the way into [Min, Max]: w·(Rate·clip(n, Min, Max) + (1 − Rate)·n)/(n +
// Epsilon). It is Keras' MinMaxNorm.
//
// Deeplearning4j differs: see [MinMaxNorm]. Both are equal if Rate is 1.
type PartMinMaxNorm struct {
	Min  float64 `dl4j:"min"`
	Max  float64 `dl4j:"max"`
	Rate float64 `dl4j:"rate"`
	Target
}

// Of returns the same constraint on parameters of other names.
func (c PartMinMaxNorm) Of(params ...string) Constraint {
	c.Target = c.of(params)
	return c
}

// Emit is the formula.
func (c PartMinMaxNorm) Emit(b *program.Builder, w *program.Value, dims []int) *program.Value {
	n, s := b.Norm(w, dims...)
	held := b.Min(b.Max(n, b.Mul(b.Scalar(c.Min), s)), b.Mul(b.Scalar(c.Max), s))
	mixed := b.Add(b.Mul(held, b.Scalar(c.Rate)), b.Mul(n, b.Scalar(1-c.Rate)))
	return b.Mul(w, b.Div(mixed, c.divisor(b, n, s)))
}

// Validate requires bounds in order and a rate in (0, 1].
func (c PartMinMaxNorm) Validate() error {
	switch {
	case !(c.Min >= 0 && c.Min <= c.Max) || math.IsInf(c.Max, 0):
		return fmt.Errorf("PartMinMaxNorm: min is %g and max %g: 0 ≤ min ≤ max must hold", c.Min, c.Max)
	case !(c.Rate > 0 && c.Rate <= 1):
		return fmt.Errorf("PartMinMaxNorm: rate is %g: it must be in (0, 1]", c.Rate)
	}
	return c.validate("PartMinMaxNorm")
}

func init() {
	ConstraintClasses.Register(ownConstraints+"PartMinMaxNorm",
		func() Constraint { return PartMinMaxNorm{Rate: 1, Target: over(nil)} })
}

// ownConstraints is the package of constraints that Deeplearning4j does not have.
const ownConstraints = "io.github.dl4go.nn.conf.constraint."
