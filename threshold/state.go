package threshold

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// State is what an algorithm has learned in one worker. Package dl4j reads and writes it as JSON.
type State struct {
	LastThreshold float64 `dl4j:"lastThreshold"` // NaN if there is none
	LastSparsity  float64 `dl4j:"lastSparsity"`  // NaN if there is none
	// Own has the numbers of your own algorithm, the same number of them in every worker. Merge takes their means
	// without NaN.
	Own []float64 `dl4j:"own"`
}

// NewState returns an empty state, whose numbers are NaN.
func NewState() State { return State{LastThreshold: math.NaN(), LastSparsity: math.NaN()} }

// Clone returns a copy with memory of its own.
func (s State) Clone() State {
	s.Own = slices.Clone(s.Own)
	return s
}

// Merge reduces the states of several workers to one: the mean of each number over the workers that have it.
// (Deeplearning4j: ThresholdAlgorithmReducer.) Roundings depend on the order of the states.
func Merge(states []State) State {
	out := NewState()
	out.LastThreshold = mean(states, func(s State) float64 { return s.LastThreshold })
	out.LastSparsity = mean(states, func(s State) float64 { return s.LastSparsity })
	longest := 0
	for _, s := range states {
		longest = max(longest, len(s.Own))
	}
	for i := range longest {
		out.Own = append(out.Own, mean(states, func(s State) float64 {
			if i < len(s.Own) {
				return s.Own[i]
			}
			return math.NaN()
		}))
	}
	return out
}

func mean(states []State, of func(State) float64) float64 {
	sum, n := 0.0, 0
	for _, s := range states {
		if x := of(s); !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// InferAlgorithm adds the class to the tree of an algorithm, from a file of Deeplearning4j without class names. The
// members show the class: sparsityTarget is in TargetSparsity, threshold in Fixed, minTargetSparsity in Adaptive.
// InferAlgorithm returns other trees unchanged.
func InferAlgorithm(tree any) any {
	return infer(tree, "sparsityTarget", javaAlgorithms+"TargetSparsityThresholdAlgorithm",
		"threshold", javaAlgorithms+"FixedThresholdAlgorithm",
		"minTargetSparsity", javaAlgorithms+"AdaptiveThresholdAlgorithm")
}

// InferPostProcessor adds the class to a residual post-processor's tree, as InferAlgorithm does: frequency is in
// ResidualClipping.
func InferPostProcessor(tree any) any {
	return infer(tree, "frequency", javaPostProcessors+"ResidualClippingPostProcessor",
		"thresholdMultipleClipValue", javaPostProcessors+"ResidualClippingPostProcessor")
}

// infer takes pairs of a member and its class.
func infer(tree any, pairs ...string) any {
	o, ok := tree.(dl4j.Object)
	if _, tagged := o.Get("@class"); !ok || tagged {
		return tree
	}
	for i := 0; i < len(pairs); i += 2 {
		if _, has := o.Get(pairs[i]); has {
			return append(dl4j.Object{{Name: "@class", Value: pairs[i+1]}}, o...)
		}
	}
	return tree
}
