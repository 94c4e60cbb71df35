package threshold

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

// Algorithm chooses the threshold of each step (Deeplearning4j: ThresholdAlgorithm). It is a plain value that reads and
// writes Deeplearning4j's JSON through the table Algorithms. A [State] for each worker holds what the algorithm learns.
//
// Register your own algorithm in an init function of the program, under a name of its own:
//
//	threshold.Algorithms.Register("com.example.Halving", func() threshold.Algorithm { return Halving{Initial: 1e-3} })
type Algorithm interface {
	// Start returns a worker's initial state.
	Start() State
	// Threshold returns the step's threshold and updates the worker's state. The threshold must be above 0 and finite
	// as a float32.
	Threshold(s *State, step *Step) float64
	// From returns the algorithm with these settings and the given state, which Start then returns. It keeps the merged
	// states of a fit's workers for the next fit and in a file.
	From(s State) Algorithm
	// Validate checks the settings.
	Validate() error
}

// Algorithms maps Java classes to algorithms.
var Algorithms = dl4j.NewClasses[Algorithm]("threshold algorithm")

const javaAlgorithms = "org.deeplearning4j.optimize.solvers.accumulation.encoding.threshold."

// Step is the input of an [Algorithm].
type Step struct {
	Iteration, Epoch int
	// LastThreshold is the threshold of the worker's last step in this fit, NaN in the first.
	LastThreshold float64
	// LastDense is true if the last message was a bitmap.
	LastDense bool
	// LastSparsity is the size of the last message in words over the number of parameters, (4 + values)/parameters, as
	// Deeplearning4j counts it; 0 after an empty one, NaN after a bitmap and in the first step. For a layer it is
	// values/parameters.
	LastSparsity float64
	// LastCount is (4 + values)/parameters of the last message, in either format; NaN in the first step. For a layer it
	// is values/parameters.
	LastCount float64

	encoder  *Encoder
	drawn    []float32 // the sample of the residual, if a device has drawn it
	addition           // what Residual has to add or to check before anybody reads it
	residual []float32 // of the layer, or of all parameters
	recent   *outflow
	mean     float32 // the mean magnitude of values that pass, if the algorithm has an estimate
	header   int     // words of the last message that LastCount counts beside its values
}

// Residual returns the residual with the step's update added. Don't write to it, and don't use it after the call.
// Algorithms that don't call Residual are faster, because adding and searching then take one pass over the memory. A
// Step that no Encoder made has none.
func (s *Step) Residual() []float32 {
	if s.encoder == nil {
		return nil
	}
	s.encoder.device.fetch()
	if s.update != nil {
		s.encoder.coder.accumulate(s.residual, s.update, s.times)
	} else if s.unchecked {
		s.encoder.coder.check(s.residual)
	}
	s.addition = addition{}
	return s.residual
}

// Default returns Deeplearning4j's default: NewAdaptive(1e-4).
func Default() Algorithm { return NewAdaptive(initialThreshold) }

const (
	initialThreshold = 1e-4
	minSparsity      = 1e-4
	maxSparsity      = 1e-2
	targetSparsity   = 1e-3
	// bitmapSparsity stands for the sparsity of a bitmap, which may be higher.
	bitmapSparsity = 1.0 / 16
)

// decayRate halves a threshold in twenty steps: 0.5^(1/20) as Java computes it.
const decayRate = 0.9659363289248456

// previousSparsity returns the sparsity to adapt to: that of the last message, or else the state's from an earlier fit.
func (s *Step) previousSparsity(state *State) float64 {
	switch {
	case !math.IsNaN(s.LastSparsity):
		return s.LastSparsity
	case s.LastDense:
		return bitmapSparsity
	}
	return state.LastSparsity
}

// previousThreshold returns the threshold to adapt: that of the last step, or else the state's from an earlier fit, or
// NaN.
func (s *Step) previousThreshold(state *State) float64 {
	if !math.IsNaN(s.LastThreshold) {
		return s.LastThreshold
	}
	return state.LastThreshold
}

// rule is a condition on a setting.
type rule struct {
	name string
	x    float64
	ok   bool
	want string
}

func positive(name string, x float64) rule {
	return rule{name, x, usable(float32(x)), "must be a number above 0"}
}

func share(name string, x float64) rule { return rule{name, x, x >= 0 && x <= 1, "must be in [0, 1]"} }

func decay(name string, x float64) rule { return rule{name, x, x > 0 && x <= 1, "must be in (0, 1]"} }

func lastThreshold(x float64) rule {
	return rule{"lastThreshold", x, math.IsNaN(x) || usable(float32(x)), "must be a number above 0, or NaN"}
}

func lastSparsity(x float64) rule {
	// It is above 1 if there are few parameters.
	return rule{"lastSparsity", x, math.IsNaN(x) || x >= 0 && !math.IsInf(x, 0), "must be a number from 0 on, or NaN"}
}

func check(class string, rules ...rule) error {
	for _, r := range rules {
		if !r.ok {
			return fmt.Errorf("%s: %s is %g: %s", class, r.name, r.x, r.want)
		}
	}
	return nil
}
