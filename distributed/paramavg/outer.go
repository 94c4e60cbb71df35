package paramavg

import (
	"math"

	"github.com/dl4go/dl4go/distributed/internal/masters"
)

// Outer is the master's optimiser. With one, each worker keeps its own updater state, and the master uses the mean
// change of the workers' parameters in a round as a gradient: with g = start − mean,
//
//	v ← Momentum·v + g
//	start ← start − LearningRate·v                  (OuterSGD)
//	start ← start − LearningRate·(g + Momentum·v)   (OuterNesterov)
//
// Statistics, such as batch normalisation's, are averaged. OuterSGD is Local SGD with slow momentum (Wang et al.,
// "SlowMo", ICLR 2020). OuterNesterov is the outer step of DiLoCo (Douillard et al., 2023). With a rate of 1 and no
// momentum, the mean is the next start, to the bit. Deeplearning4j differs: it has no such setting.
type Outer struct {
	// Rule: NoOuter by default, which averages parameters and updater states.
	Rule OuterRule
	// LearningRate is above 0, Momentum at least 0 and below 1. Usual are 0.7 and 0.9: see DefaultOuter.
	LearningRate, Momentum float64
}

// OuterRule says what an outer optimiser does with its momentum.
type OuterRule string

const (
	NoOuter       OuterRule = ""
	OuterSGD      OuterRule = "sgd"
	OuterNesterov OuterRule = "nesterov"
)

// DefaultOuter is a rule with DiLoCo's learning rate of 0.7 and momentum of 0.9.
func DefaultOuter(r OuterRule) Outer { return Outer{Rule: r, LearningRate: 0.7, Momentum: 0.9} }

// Validate checks the settings. An error names the setting.
func (o Outer) Validate() error {
	if err := masters.OneOf(way, "outer", o.Rule, NoOuter, OuterSGD, OuterNesterov); err != nil {
		return err
	}
	if o.Rule == NoOuter {
		if o != (Outer{}) {
			return way.Errorf("outer has a learning rate or a momentum, and no rule: set Rule to %s or %s", OuterNesterov,
				OuterSGD)
		}
		return nil
	}
	if !(o.LearningRate > 0 && o.LearningRate <= maxOuterRate) {
		return way.Errorf("outer.learningRate is %v: it must be above 0 and at most %d", o.LearningRate, maxOuterRate)
	}
	if !(o.Momentum >= 0 && o.Momentum < 1) {
		return way.Errorf("outer.momentum is %v: it must be at least 0 and below 1", o.Momentum)
	}
	return nil
}

// maxOuterRate is far beyond rates that converge.
const maxOuterRate = 100

// step moves params, the workers' mean, to the start of the next round. before is the start of this one; v is the
// momentum. It changes the mean itself, so that nothing is lost to rounding if the step is the mean.
func (o Outer) step(params, before, v []float32, averaged []masters.Range) {
	from := 0
	for _, r := range append(averaged[:len(averaged):len(averaged)], masters.Range{From: len(params)}) {
		o.move(params[from:r.From], before[from:r.From], v[from:r.From])
		from = r.To
	}
}

// exponent is the mask of a float32's exponent, which is 0 for denormals and zeros.
const exponent = 0x7f800000

// The conversions keep a processor from fusing products and sums: results don't depend on it.
func (o Outer) move(params, before, v []float32) {
	rate, momentum := float32(o.LearningRate), float32(o.Momentum)
	nesterov := o.Rule == OuterNesterov
	for i, mean := range params {
		g := before[i] - mean
		step := float32(momentum*v[i]) + g
		if math.Float32bits(step)&exponent == 0 { // denormals would be slow
			step = 0
		}
		v[i] = step
		if nesterov {
			step = g + float32(momentum*step)
		}
		params[i] = mean - (float32(rate*step) - g)
	}
}
