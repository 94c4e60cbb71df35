package updater

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Muon makes the steps of a matrix orthogonal: all singular values of a step are about the same (Jordan et al., "Muon:
// an optimizer for hidden layers in neural networks", 2024):
//
//	m' = μ·m + g
//	d = g + μ·m', or m' if it is Classical
//	x = d/(‖d‖ + 10⁻⁷), then Iterations times x ← a·x + (b·x·xᵀ + c·(x·xᵀ)²)·x
//	update = α · RMS·√max(rows, columns) · x
//
// With RMS 0, the factor is 1. State: m.
//
// Other parameters have the steps of [Adam], with the learning rate AdamRatio·α: biases and other vectors, tables of
// embeddings unless Tables is set, kernels of convolutions other than 1x1, and the parameters named in Except. State:
// m, v. Muon is for hidden layers: give the output layer another updater, or Except: W.
//
// The results are Keras'. Deeplearning4j differs: it has no such updater.
type Muon struct {
	// LearningRate is α, 0.001 in NewMuon. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Momentum             float64  `dl4j:"momentum"`   // μ
	Classical            bool     `dl4j:"classical"`  // without Nesterov's look ahead
	Iterations           int      `dl4j:"iterations"` // of Newton and Schulz
	A                    float64  `dl4j:"a"`
	B                    float64  `dl4j:"b"`
	C                    float64  `dl4j:"c"`
	// RMS is the root mean square of a step, as a multiple of α. 0 means 1/√max(rows, columns).
	RMS float64 `dl4j:"rms"`

	AdamRatio float64 `dl4j:"adamRatio"`
	Beta1     float64 `dl4j:"beta1"`   // Adam's decay of m
	Beta2     float64 `dl4j:"beta2"`   // Adam's decay of v
	Epsilon   float64 `dl4j:"epsilon"` // beside √v
	Tables    bool    `dl4j:"tables"`  // tables of embeddings are matrices, too
	// Except names parameters with Adam's steps, such as "RW".
	Except []string `dl4j:"except,omitnull"`

	meant bool // see package literal
}

// NewMuon returns an updater with Keras' defaults: α 0.001, μ 0.95, 5 iterations with a 3.4445, b −4.775 and c 2.0315,
// RMS 0.2; for Adam ratio 1, β₁ 0.9, β₂ 0.999, ε 10⁻⁷.
func NewMuon() Muon {
	return Muon{LearningRate: 1e-3, Momentum: 0.95, Iterations: 5, A: 3.4445, B: -4.775, C: 2.0315, RMS: 0.2, AdamRatio: 1,
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-7, meant: true}
}

// For returns the updater of a matrix, or of another parameter.
func (u Muon) For(p Parameter) Updater {
	if !p.IsMatrix() || p.Table && !u.Tables || slices.Contains(u.Except, p.Name) ||
		p.Shape.Size() != p.Shape[p.Rows]*p.Shape[p.Columns] {
		return u
	}
	return orthogonal{u, p}
}

func (u Muon) adam() Adam {
	return Adam{LearningRate: u.LearningRate, LearningRateSchedule: u.LearningRateSchedule, Beta1: u.Beta1, Beta2: u.Beta2,
		Epsilon: u.Epsilon, meant: true}
}

// States is 2: m and v.
func (u Muon) States() int { return 2 }

// InitialState is 0.
func (u Muon) InitialState(int) float64 { return 0 }

// Scalars are α for matrices, and AdamRatio times that of [Adam].
func (u Muon) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch),
		u.AdamRatio * u.adam().Scalars(iteration, epoch)[0]}
}

// Emit is the equation of [Adam].
func (u Muon) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return u.adam().Emit(b, g, state, scalars[1:])
}

// Rate is α.
func (u Muon) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Muon) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewMuon())
		if u.Iterations == 0 {
			u.Iterations = NewMuon().Iterations
		}
	}
	return u
}

// Equal compares all settings.
func (u Muon) Equal(other Updater) bool { return equal(u, other) }

// maxIterations bounds the products of a step.
const maxIterations = 100

// Validate checks the settings' ranges.
func (u Muon) Validate() error {
	if u.Iterations < 0 || u.Iterations > maxIterations {
		return fmt.Errorf("updater Muon: iterations is %d: must be from 0 to %d", u.Iterations, maxIterations)
	}
	return check("Muon", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("momentum", u.Momentum), scheduled("a", u.A, nil), scheduled("b", u.B, nil), scheduled("c", u.C, nil),
		positive("rms", u.RMS), positive("adamRatio", u.AdamRatio), decay("beta1", u.Beta1), decay("beta2", u.Beta2),
		positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(ownPackage+"Muon", func() Updater { return NewMuon() }) }
