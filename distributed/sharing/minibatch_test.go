package sharing

import (
	"math"
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

// TestCuts: a partition has as few minibatches as their size allows. Together they have each example once, and their
// sizes differ by one example at most.
func TestCuts(t *testing.T) {
	for _, c := range []struct{ examples, most, count, least int }{
		{2500, 64, 40, 62}, {128, 64, 2, 64}, {65, 64, 2, 32}, {64, 64, 1, 64}, {63, 64, 1, 63}, {1, 64, 1, 1},
		{7, 1, 7, 1}, {7501, 64, 118, 63}, {math.MaxInt32, 2, 1 << 30, 1}, {0, 64, 0, 0},
	} {
		cuts := cuts{c.examples, c.most}
		if n := cuts.count(); n != c.count || cuts.at(0) != 0 || n > 0 && cuts.at(n) != c.examples {
			t.Errorf("%+v: %d minibatches from %d to %d", cuts, n, cuts.at(0), cuts.at(n))
		}
		for _, i := range []int{0, 1, 2, c.count / 2, c.count - 2, c.count - 1} {
			if i = min(max(i, 0), c.count-1); i < 0 {
				continue
			}
			if n := cuts.size(i); n < c.least || n > min(c.least+1, c.most) {
				t.Errorf("%+v: minibatch %d has %d examples", cuts, i, n)
			}
		}
	}
}
