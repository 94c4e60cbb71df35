package threshold

import "math"

// TargetSparsity moves the threshold after every message whose sparsity is not the target. Below the target, it
// multiplies the threshold by DecayRate. Above it, it divides by it. (Deeplearning4j:
// TargetSparsityThresholdAlgorithm.)
type TargetSparsity struct {
	InitialThreshold float64 `dl4j:"initialThreshold"` // 1e-4 in NewTargetSparsity
	SparsityTarget   float64 `dl4j:"sparsityTarget"`
	DecayRate        float64 `dl4j:"decayRate"` // 0.5^(1/20) in NewTargetSparsity

	// LastThreshold and LastSparsity are the state at the end of the last fit, NaN if there was none.
	LastThreshold float64 `dl4j:"lastThreshold"`
	LastSparsity  float64 `dl4j:"lastSparsity"`
}

// NewTargetSparsity returns the algorithm with Deeplearning4j's defaults, except for the target (1e-3 there).
func NewTargetSparsity(target float64) TargetSparsity {
	return TargetSparsity{InitialThreshold: initialThreshold, SparsityTarget: target, DecayRate: decayRate,
		LastThreshold: math.NaN(), LastSparsity: math.NaN()}
}

// Start returns the state of the last fit.
func (a TargetSparsity) Start() State {
	return State{LastThreshold: a.LastThreshold, LastSparsity: a.LastSparsity}
}

// From returns the algorithm with the state s.
func (a TargetSparsity) From(s State) Algorithm {
	a.LastThreshold, a.LastSparsity = s.LastThreshold, s.LastSparsity
	return a
}

// Threshold adapts the last threshold to the last message's sparsity.
func (a TargetSparsity) Threshold(s *State, step *Step) float64 {
	return adapt(s, step, step.previousSparsity(s), a.InitialThreshold, a.SparsityTarget, a.SparsityTarget, a.DecayRate)
}

// Validate checks the ranges of the settings.
func (a TargetSparsity) Validate() error {
	return check("TargetSparsityThresholdAlgorithm", positive("initialThreshold", a.InitialThreshold),
		share("sparsityTarget", a.SparsityTarget), decay("decayRate", a.DecayRate),
		lastThreshold(a.LastThreshold), lastSparsity(a.LastSparsity))
}

func init() {
	Algorithms.Register(javaAlgorithms+"TargetSparsityThresholdAlgorithm",
		func() Algorithm { return NewTargetSparsity(targetSparsity) })
}
