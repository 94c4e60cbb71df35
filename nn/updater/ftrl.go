package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Ftrl follows the regularized leader (McMahan et al., "Ad click prediction: a view from the trenches", 2013), for
// sparse weights. Its L1 sets small weights to 0:
//
//	n' = n + g²
//	z' = z + g + 2·s·w − (n'^−p − n^−p)/α · w
//	w' = (clip(z', −l1, l1) − z') / (n'^−p/α + 2·l2 + β/α)
//	update = w − w'
//
// State: n, initially Initial, and z.
//
// Deeplearning4j differs: it has no such updater. The formula is that of Keras.
type Ftrl struct {
	// LearningRate is α, 0.001 in NewFtrl. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Power                float64  `dl4j:"power"`     // p, 0 or less
	Initial              float64  `dl4j:"initial"`   // n before the first step
	L1                   float64  `dl4j:"l1"`        // l1
	L2                   float64  `dl4j:"l2"`        // l2
	Shrinkage            float64  `dl4j:"shrinkage"` // s, an L2 that does not count in n
	Beta                 float64  `dl4j:"beta"`      // β

	meant bool // see package literal
}

// NewFtrl returns an updater with Keras' defaults: α 0.001, p −0.5, an Initial of 0.1, and 0 for the others.
func NewFtrl() Ftrl { return Ftrl{LearningRate: 1e-3, Power: -0.5, Initial: 0.1, meant: true} }

// States is 2: n and z.
func (u Ftrl) States() int { return 2 }

// InitialState is Initial for n, and 0 for z.
func (u Ftrl) InitialState(i int) float64 {
	if i == 0 {
		return u.Initial
	}
	return 0
}

// Scalars are 1/α.
func (u Ftrl) Scalars(iteration, epoch int) []float64 {
	return []float64{1 / rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation for parameters that are 0.
func (u Ftrl) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return u.EmitFor(b, b.Fill(0, g.Shape...), g, state, scalars)
}

// EmitFor is the equation.
func (u Ftrl) EmitFor(
	b *program.Builder, w, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	root := func(n *program.Value) *program.Value {
		if u.Power == -0.5 {
			return b.Unary(program.Sqrt, n)
		}
		return b.Binary(program.Pow, n, b.Scalar(-u.Power))
	}
	n := b.Add(state[0], b.Unary(program.Square, g))
	after := root(n)
	z := b.Add(state[1], g)
	if u.Shrinkage != 0 {
		z = b.Add(z, b.Mul(b.Scalar(2*u.Shrinkage), w))
	}
	z = b.Sub(z, b.Mul(b.Mul(scalars[0], b.Sub(after, root(state[0]))), w))
	curvature := b.Mul(scalars[0], after)
	if u.L2 != 0 || u.Beta != 0 {
		curvature = b.Add(curvature, b.Add(b.Scalar(2*u.L2), b.Mul(b.Scalar(u.Beta), scalars[0])))
	}
	next := b.Div(b.Sub(b.Clip(z, -u.L1, u.L1), z), curvature)
	return b.Sub(w, next), []*program.Value{n, z}
}

// PerParameter is false: elements do not depend on each other.
func (u Ftrl) PerParameter() bool { return false }

// Rate is α.
func (u Ftrl) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Ftrl) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewFtrl())
	}
	return u
}

// Equal compares all settings.
func (u Ftrl) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges. The learning rate must not be 0, which the formula divides by.
func (u Ftrl) Validate() error {
	return check("Ftrl", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		rule{"learningRate", u.LearningRate, u.LearningRate > 0 || u.LearningRateSchedule != nil, "must be above 0"},
		rule{"power", u.Power, u.Power <= 0 && u.Power >= -1, "must be from -1 to 0"},
		positive("initial", u.Initial), positive("l1", u.L1), positive("l2", u.L2),
		positive("shrinkage", u.Shrinkage), positive("beta", u.Beta))
}

func init() { Classes.Register(ownPackage+"Ftrl", func() Updater { return NewFtrl() }) }
