package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestStepFigures: the figures are the means of magnitudes and the Euclidean norms of plain loops, at sizes around a
// piece, for large numbers and with NaN. FiguresSince gives the same for the parameters before the step.
func TestStepFigures(t *testing.T) {
	for _, size := range []float64{1e-3, 1e25, math.NaN()} {
		for _, inputs := range []int{1, 63, 819, 820} {
			net := newNet(t, Configuration{InputType: inputtype.FeedForward(inputs), Updater: updater.Sgd{LearningRate: 1},
				Layers: []layer.Layer{layer.Dense{NOut: 5}, layer.Output{NOut: 3, Loss: loss.MSE{}}}})
			before := slices.Clone(net.Params())
			update := make([]float32, len(before))
			for i := range before {
				net.Params()[i] = before[i] * float32(math.Cos(float64(i)))
				update[i] = before[i] - net.Params()[i]
				net.gradientVector()[i] = float32(size * math.Sin(float64(i)))
			}
			given, since := net.StepFigures(update), net.FiguresSince(before)
			if !slices.Equal(before, update) {
				t.Error("FiguresSince does not leave the update")
			}
			for _, got := range []StepFigures{given, since} {
				expectStep(t, got, net.Params(), net.gradientVector(), update)
			}
		}
	}
}

func expectStep(t *testing.T, got StepFigures, params, gradient, update []float32) {
	t.Helper()
	sums := func(v []float32) (magnitudes, squares float64) {
		for _, x := range v {
			magnitudes += math.Abs(float64(x))
			squares += float64(x) * float64(x)
		}
		return magnitudes, squares
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if !near.Equal(got, want, 0, 1e-5) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s of %d parameters is %g, want %g", what, len(params), got, want)
		}
	}
	_, squares := sums(gradient)
	check("the gradient's norm", got.Gradient, math.Sqrt(squares))
	_, squares = sums(update)
	check("the update's norm", got.Update, math.Sqrt(squares))
	at := 0
	for _, p := range got.Params {
		n := len(p.Values)
		for what, c := range map[string]struct {
			got  float64
			of   []float32
			kept []float32
		}{"value": {p.Value, params, p.Values}, "gradient": {p.Gradient, gradient, p.Gradients},
			"update": {p.Update, update, p.Updates}} {
			magnitudes, _ := sums(c.of[at : at+n])
			check(p.Key+": "+what, c.got, magnitudes/float64(n))
			if len(c.kept) != n || n > 0 && c.kept[0] != c.of[at] && c.of[at] == c.of[at] {
				t.Errorf("%s: numbers of %s are not those of the network", p.Key, what)
			}
		}
		at += n
	}
	if at != len(params) {
		t.Errorf("figures of %d parameters, of %d", at, len(params))
	}
}
