package nn

import (
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

func constrainedNet(t *testing.T, own ...regularization.Constraint) *MultiLayer {
	return newNet(t, Configuration{Activation: activation.TanH{}, Updater: updater.Sgd{LearningRate: 0.5},
		InputType:         inputtype.FeedForward(4),
		WeightConstraints: []regularization.Constraint{regularization.NewMaxNorm(0.4, 0)},
		BiasConstraints:   []regularization.Constraint{regularization.NewNonNegative()},
		Layers: []layer.Layer{layer.Dense{NOut: 5}, layer.Dense{NOut: 4, Base: layer.Base{Constraints: own}},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
}

// Constraints hold after a step, both of Fit and of Updates and Apply. A layer's own constraints replace the
// network's.
func TestConstraintsHoldAfterEachStep(t *testing.T) {
	own := regularization.NewUnitNorm(0).Of("W")
	net, halves := constrainedNet(t, own), constrainedNet(t, own)
	m := examples(6, 4, 3)
	for range 3 {
		if _, err := net.Fit(m, Key{}); err != nil {
			t.Fatal(err)
		}
		if _, err := halves.Updates(m, Key{}, halves.Apply); err != nil {
			t.Fatal(err)
		}
	}
	if !equalBits(net.Params(), halves.Params()) {
		t.Error("Fit and Updates with Apply give different parameters")
	}
	negative := false
	for _, e := range net.layout.entries {
		x := net.Params()[e.offset : e.offset+e.size]
		if e.param.Kind == layer.Bias {
			for _, v := range x {
				if e.node == 1 {
					negative = negative || v < 0
				} else if v < 0 {
					t.Errorf("layer %d has the bias %g", e.node, v)
				}
			}
			continue
		}
		in := e.param.Shape[0] // the columns of W lie one after the other
		for c := 0; c < len(x); c += in {
			n := 0.0
			for _, v := range x[c : c+in] {
				n += float64(v) * float64(v)
			}
			if n = math.Sqrt(n); e.node == 1 && !near.Equal(n, 1, 1e-6, 0) || e.node != 1 && n > 0.4+1e-6 {
				t.Errorf("layer %d has a column of norm %g", e.node, n)
			}
		}
	}
	if !negative {
		t.Error("a layer with constraints of its own has the network's too")
	}
}

func TestConstraintsOfDimensionsThatAreNot(t *testing.T) {
	_, err := New(Configuration{Constraints: []regularization.Constraint{regularization.NewMaxNorm(1, 1)},
		InputType: inputtype.FeedForward(4),
		Layers:    []layer.Layer{layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err == nil || !strings.Contains(err.Error(), "parameter b: ") || !strings.Contains(err.Error(), "layer0") {
		t.Errorf("a norm over dimension 1 of a bias: %v", err)
	}
}

// Weight noise only acts in training. It is keyed by the step, and the same for the score and the gradient.
func TestWeightNoise(t *testing.T) {
	build := func(n regularization.Noise) *MultiLayer {
		return newNet(t, Configuration{WeightNoise: n, InputType: inputtype.FeedForward(4),
			Layers: []layer.Layer{layer.Dense{NOut: 5},
				layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	}
	plain, noisy := build(nil), build(regularization.NewDropConnect(0.5))
	m := examples(6, 4, 3)
	gradient := func(net *MultiLayer, seed uint64) (float64, []float32) {
		s, g, err := net.Gradient(m, Key{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return s, append([]float32(nil), g...)
	}
	a, ga := gradient(noisy, 1)
	b, gb := gradient(noisy, 1)
	c, _ := gradient(noisy, 2)
	d, _ := gradient(plain, 1)
	if a != b || !equalBits(ga, gb) || a == c || a == d {
		t.Errorf("scores %v and %v of one key, %v of another, %v without noise", a, b, c, d)
	}
	x, err := plain.Score(m, false)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := noisy.Score(m, false); err != nil || x != y {
		t.Errorf("in inference the score is %v, without noise %v; %v", y, x, err)
	}
}
