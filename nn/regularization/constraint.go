package regularization

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Constraint limits parameters after each step (Deeplearning4j: org.deeplearning4j.nn.conf.constraint).
//
// Norms are Euclidean, over the dimensions of the parameter's shape that [Target] lists. A dense layer's W is [nIn,
// nOut]: over dimension 1 there is one norm for each input, over 0 one for each output. For a convolution's W,
// dimensions 1, 2 and 3 give one norm for each filter.
type Constraint interface {
	// On returns the parameters that the constraint applies to.
	On() Target
	// Of returns the same constraint on parameters of other names.
	Of(params ...string) Constraint
	// Emit returns the nearest allowed values of w. Norms are over the dimensions dims of w.
	Emit(b *program.Builder, w *program.Value, dims []int) *program.Value
	// Validate checks the settings.
	Validate() error
}

// ConstraintClasses is the table of constraints and their Java classes. Register your own there.
var ConstraintClasses = dl4j.NewClasses[Constraint]("constraint")

const constraintPackage = "org.deeplearning4j.nn.conf.constraint."

// Target holds the settings that all constraints share.
type Target struct {
	// Dimensions are the dimensions over which norms are computed.
	Dimensions []int `dl4j:"dimensions"`
	// Epsilon is added to norms before dividing by them; 10⁻⁶ in the constructors. If it is 0, zeros stay zeros.
	Epsilon float64 `dl4j:"epsilon"`
	// Params are the names of the parameters: "W", "b", "RW".
	Params []string `dl4j:"params"`
}

// On returns the target.
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

// divisor returns n + Epsilon·s, where s is the scale of n. Without an epsilon it returns n, or 1 where n is 0, so
// that zeros stay zeros.
func (t Target) divisor(b *program.Builder, n, s *program.Value) *program.Value {
	if t.Epsilon != 0 {
		return b.Add(n, b.Mul(b.Scalar(t.Epsilon), s))
	}
	return b.Select(b.Binary(program.Equal, n, b.Scalar(0)), b.Scalar(1), n)
}

// ConstraintsOn returns the constraints that apply to a parameter.
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

// ApplyConstraint returns the allowed values of a parameter of that shape. Its elements are stored in C order or, if
// order is 'f', with the dimensions reversed.
func ApplyConstraint(b *program.Builder, c Constraint, w *program.Value, order byte) *program.Value {
	dims := slices.Clone(c.On().Dimensions)
	if order == 'f' {
		for i, d := range dims {
			dims[i] = len(w.Shape) - 1 - d
		}
	}
	return c.Emit(b, w, dims)
}
