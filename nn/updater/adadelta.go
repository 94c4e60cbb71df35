package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// AdaDelta needs no learning rate. It divides by the root of the averaged square gradient and multiplies by the root
// of the averaged square update (Zeiler, "ADADELTA: an adaptive learning rate method", 2012):
//
//	a' = ρ·a + (1−ρ)·g²
//	update = g·√(d + ε)/√(a' + ε)
//	d' = ρ·d + (1−ρ)·update²
//
// State: a, d. (Deeplearning4j: AdaDelta.) ε is under the roots, as in the paper. PyTorch also has a learning rate.
type AdaDelta struct {
	Rho     float64 `dl4j:"rho"`
	Epsilon float64 `dl4j:"epsilon"`

	meant bool // see package literal
}

// NewAdaDelta returns an updater with Deeplearning4j's defaults: ρ 0.95, ε 10⁻⁶.
func NewAdaDelta() AdaDelta { return AdaDelta{Rho: 0.95, Epsilon: 1e-6, meant: true} }

// States is 2: a and d.
func (u AdaDelta) States() int { return 2 }

// InitialState is 0.
func (u AdaDelta) InitialState(int) float64 { return 0 }

// Scalars returns nothing: there are none.
func (u AdaDelta) Scalars(iteration, epoch int) []float64 { return nil }

// Emit is the equation.
func (u AdaDelta) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	eps := b.Scalar(u.Epsilon)
	a := moving(b, u.Rho, state[0], b.Unary(program.Square, g))
	root := func(x *program.Value) *program.Value { return b.Unary(program.Sqrt, b.Add(x, eps)) }
	update := b.Div(b.Mul(g, root(state[1])), root(a))
	d := moving(b, u.Rho, state[1], b.Unary(program.Square, update))
	return update, []*program.Value{a, d}
}

// Rate returns false: there is no learning rate.
func (u AdaDelta) Rate(iteration, epoch int) (float64, bool) { return 0, false }

func (u AdaDelta) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAdaDelta())
	}
	return u
}

// Equal compares all settings.
func (u AdaDelta) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u AdaDelta) Validate() error {
	return check("AdaDelta", decay("rho", u.Rho), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"AdaDelta", func() Updater { return NewAdaDelta() }) }
