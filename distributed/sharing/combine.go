package sharing

import (
	"math"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/nn"
)

// Combine says how the updates of several workers make a step. The empty string means Sum with Deeplearning4j's
// threshold algorithms and your own. With threshold.Largest, the default algorithm, it means Sum with a warm-up if most
// parameters have Adam or another updater whose steps do not shrink with the gradient, and otherwise Mean.
type Combine string

const (
	// Sum adds the updates up, as Deeplearning4j does. N workers move the parameters about N times as far in a step as
	// one does, so a learning rate that suits one worker may be too high.
	Sum Combine = "sum"
	// Mean divides each update by the number of workers of the fit. In lockstep, N workers then take the step of one
	// worker with a minibatch N times as large. With Sgd that is the same as Sum with the learning rate divided by N.
	Mean Combine = "mean"
	// Root divides each update by the square root of the number of workers: the mean at √N times the learning rate.
	Root Combine = "root"
)

// Validate checks the value.
func (c Combine) Validate() error { return masters.OneOf(way, "combine", c, "", Sum, Mean, Root) }

// combineFor returns how the updates for a network are combined by default.
func combineFor(net *nn.Network) Combine {
	normalized, moved := 0, 0
	for _, p := range net.ParamTable() {
		if p.Frozen {
			continue
		}
		moved += p.Size
		if p.Normalized {
			normalized += p.Size
		}
	}
	if 2*normalized > moved {
		return Sum
	}
	return Mean
}

// warmUpFor returns the steps of the warm-up of a sum that is the default, for a number of workers.
func warmUpFor(workers int) int { return 5 * workers }

// scale returns the factor of each update for a number of workers.
func (c Combine) scale(workers int) float32 {
	switch c {
	case Mean:
		return 1 / float32(workers)
	case Root:
		return float32(1 / math.Sqrt(float64(workers)))
	}
	return 1
}

// warm returns the factor of the updates of an iteration, with a warm-up of so many iterations.
func warm(iteration, warmUp int) float32 {
	if iteration >= warmUp {
		return 1
	}
	return float32(iteration+1) / float32(warmUp+1)
}

// scaled multiplies an update by a factor, in place.
func scaled(update []float32, by float32) {
	vector.For(kernel.Best()).MulScalar(update, update, by)
}

// scale returns the factor of the updates of an iteration.
func (c workerConfig) scale(iteration int) float32 { return c.Scale * warm(iteration, c.WarmUp) }
