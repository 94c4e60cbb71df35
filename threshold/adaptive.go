package threshold

import "math"

// Adaptive keeps the sparsity of messages between two bounds. After a message that was too sparse, it multiplies the
// threshold by DecayRate. After one that was too dense, it divides by it. (Deeplearning4j: AdaptiveThresholdAlgorithm,
// the default.)
type Adaptive struct {
	InitialThreshold  float64 `dl4j:"initialThreshold"`
	MinTargetSparsity float64 `dl4j:"minTargetSparsity"` // 1e-4 in NewAdaptive
	MaxTargetSparsity float64 `dl4j:"maxTargetSparsity"` // 1e-2 in NewAdaptive
	DecayRate         float64 `dl4j:"decayRate"`         // 0.5^(1/20) in NewAdaptive
	// CountBitmaps counts the values of a bitmap like those of a sparse message. Without it, a bitmap counts as 1/16, as
	// in Deeplearning4j, so bounds above 1/16 cannot be kept.
	//
	// With CountBitmaps, MinTargetSparsity is a fraction of the parameters that can move: those whose residual is not 0.
	// The threshold also rises if more than a tenth of the residual's magnitude is above five thresholds, where residuals
	// are clipped. Otherwise frozen layers or large embeddings would make the threshold collapse.
	CountBitmaps bool `dl4j:"countBitmaps,zeronull,omitnull"`

	// LastThreshold and LastSparsity are the state at the end of the last fit, NaN if there was none.
	LastThreshold float64 `dl4j:"lastThreshold"`
	LastSparsity  float64 `dl4j:"lastSparsity"`
}

// NewAdaptive returns the algorithm with Deeplearning4j's defaults, except for the initial threshold (1e-4 there).
func NewAdaptive(initial float64) Adaptive {
	return Adaptive{InitialThreshold: initial, MinTargetSparsity: minSparsity, MaxTargetSparsity: maxSparsity,
		DecayRate: decayRate, LastThreshold: math.NaN(), LastSparsity: math.NaN()}
}

// Start returns the state of the last fit.
func (a Adaptive) Start() State {
	return State{LastThreshold: a.LastThreshold, LastSparsity: a.LastSparsity}
}

// From returns the algorithm with the state s.
func (a Adaptive) From(s State) Algorithm {
	a.LastThreshold, a.LastSparsity = s.LastThreshold, s.LastSparsity
	return a
}

// Threshold adapts the last threshold to the last message's sparsity.
func (a Adaptive) Threshold(s *State, step *Step) float64 {
	sparsity := step.previousSparsity(s)
	if a.CountBitmaps {
		if step.LastDense {
			sparsity = step.LastCount
		}
		sparsity = step.density(sparsity, a.MinTargetSparsity)
	}
	return adapt(s, step, sparsity, a.InitialThreshold, a.MinTargetSparsity, a.MaxTargetSparsity, a.DecayRate)
}

func adapt(s *State, step *Step, sparsity, initial, low, high, decay float64) float64 {
	t := step.previousThreshold(s)
	if math.IsNaN(t) {
		s.LastThreshold = initial
		return initial
	}
	switch {
	case sparsity < low:
		t *= decay
	case sparsity > high:
		t *= 1 / decay
	}
	s.LastThreshold, s.LastSparsity = t, sparsity
	return t
}

// Validate checks the ranges of the settings.
func (a Adaptive) Validate() error {
	err := check("AdaptiveThresholdAlgorithm", positive("initialThreshold", a.InitialThreshold),
		share("minTargetSparsity", a.MinTargetSparsity), share("maxTargetSparsity", a.MaxTargetSparsity),
		decay("decayRate", a.DecayRate), lastThreshold(a.LastThreshold), lastSparsity(a.LastSparsity))
	if err == nil && a.MinTargetSparsity > a.MaxTargetSparsity {
		err = check("AdaptiveThresholdAlgorithm", rule{"minTargetSparsity", a.MinTargetSparsity, false,
			"must not be above maxTargetSparsity"})
	}
	return err
}

func init() {
	Algorithms.Register(javaAlgorithms+"AdaptiveThresholdAlgorithm",
		func() Algorithm { return NewAdaptive(initialThreshold) })
}
