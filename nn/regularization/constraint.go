package regularization

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Constraint holds parameters to a set after each step (Deeplearning4j: org.deeplearning4j.nn.conf.constraint).
//
// Norms are Euclidean, over the dimensions of the parameter's shape that [Target] has. A dense layer's W is [nIn,
// nOut]: over dimension 1 there is one norm for each input, over 0 one for each output. Over 1, 2 and 3 of a
// convolution's W there is one for each filter.
type Constraint interface {
	// On returns the parameters that the constraint applies to.
	On() Target
	// Of returns the constraint on parameters of other names.
	Of(params ...string) Constraint
	// Emit returns the nearest allowed values of w, whose dimensions dims are those that norms are over.
	Emit(b *program.Builder, w *program.Value, dims []int) *program.Value
	// Validate checks the settings.
	Validate() error
}

// ConstraintClasses has the Java class of each constraint.
var ConstraintClasses = dl4j.NewClasses[Constraint]("constraint")

const constraintPackage = "org.deeplearning4j.nn.conf.constraint."

// Target has the settings that all constraints share.
type Target struct {
	// Dimensions are those that norms are over.
	Dimensions []int `dl4j:"dimensions"`
	// Epsilon is added to norms that are divided by; 10⁻⁶ in the constructors. Where it is 0, what is 0 stays 0.
	Epsilon float64 `dl4j:"epsilon"`
	// Params are the names of the parameters: "W", "b", "RW".
	Params []string `dl4j:"params"`
}

// On is the target.
func (t Target) On() Target { return t }

func over(dimensions []int) Target { return Target{Dimensions: dimensions, Epsilon: 1e-6} }

func (t Target) of(params []string) Target {
	t.Params = slices.Clone(params)
	return t
}

func (t Target) validate(class string) error {
	if len(t.Dimensions) == 0 {
		return fmt.Errorf("%s: dimensions are missing: those of the parameter that the norm is over", class)
	}
	if !(t.Epsilon >= 0) || math.IsInf(t.Epsilon, 0) {
		return fmt.Errorf("%s: epsilon is %g: it must not be negative", class, t.Epsilon)
	}
	return nil
}

// divisor is n + Epsilon·s, where s is the scale of n, or without an epsilon n, and 1 where that is 0: what is 0
// stays 0.
func (t Target) divisor(b *program.Builder, n, s *program.Value) *program.Value {
	if t.Epsilon != 0 {
		return b.Add(n, b.Mul(b.Scalar(t.Epsilon), s))
	}
	return b.Select(b.Binary(program.Equal, n, b.Scalar(0)), b.Scalar(1), n)
}

// ConstraintsOn returns those of the constraints that are on a parameter.
func ConstraintsOn(list []Constraint, param string) []Constraint {
	var out []Constraint
	for _, c := range list {
		if c != nil && slices.Contains(c.On().Params, param) {
			out = append(out, c)
		}
	}
	return out
}

// CheckConstraint returns an error if a constraint cannot apply to a parameter of that shape.
func CheckConstraint(c Constraint, shape tensor.Shape) error {
	for _, d := range c.On().Dimensions {
		if d < 0 || d >= len(shape) {
			return fmt.Errorf("%T over the dimensions %v of a parameter of shape %v: it has 0 to %d", c, c.On().Dimensions,
				shape, len(shape)-1)
		}
	}
	return c.Validate()
}

// ApplyConstraint returns the allowed values of a parameter of that shape, as it is stored: in C order, or, if order is
// 'f', with its dimensions reversed.
func ApplyConstraint(b *program.Builder, c Constraint, w *program.Value, order byte) *program.Value {
	dims := slices.Clone(c.On().Dimensions)
	if order == 'f' {
		for i, d := range dims {
			dims[i] = len(w.Shape) - 1 - d
		}
	}
	return c.Emit(b, w, dims)
}
