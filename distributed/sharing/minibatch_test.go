package sharing

import (
	"testing"

	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// TestMinibatchFor: a step with Adam has two of plain training's minibatches, divided among the workers, down to 4
// examples of each. Other updaters and Deeplearning4j's algorithms have the minibatch of plain training.
func TestMinibatchFor(t *testing.T) {
	adam, sgd := small(t, updater.NewAdam()), small(t, updater.Sgd{LearningRate: 0.1})
	ours, theirs := Default(), Default()
	theirs.ThresholdAlgorithm = threshold.Default()
	for _, c := range []struct{ plain, workers, want int }{
		{64, 1, 64}, {64, 2, 64}, {64, 3, 42}, {64, 8, 16}, {64, 32, 4}, {64, 1000, 4}, {16, 8, 4}, {3, 8, 3},
	} {
		if got := ours.MinibatchFor(adam, c.plain, c.workers); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		if ours.MinibatchFor(sgd, c.plain, c.workers) != c.plain || theirs.MinibatchFor(adam, c.plain, c.workers) != c.plain {
			t.Errorf("%+v: a minibatch is divided that should not be", c)
		}
	}
}
