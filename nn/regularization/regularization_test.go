package regularization

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

func TestFormulas(t *testing.T) {
	w, x := []float64{2, -3, 0, 0.5}, []float64{1, 1, 1, 1}
	const lr = 0.5
	for _, c := range []struct {
		r     Regularization
		phase Phase
		score float64
		want  []float64
	}{
		{NewL1(0.1), BeforeUpdater, 0.55, []float64{1.1, 0.9, 1, 1.1}},
		{NewL2(0.1), BeforeUpdater, 0.6625, []float64{1.2, 0.7, 1, 1.05}},
		{NewWeightDecay(0.1, false), AfterUpdater, 0.6625, []float64{1.2, 0.7, 1, 1.05}},
		{NewWeightDecay(0.1, true), AfterUpdater, 0.6625, []float64{1.1, 0.85, 1, 1.025}},
	} {
		b := program.NewBuilder()
		win, xin, coefficient, rate := b.Input("w", 4), b.Input("x", 4), b.Input("coefficient"), b.Input("lr")
		b.Output("score", c.r.Score(b, win, coefficient))
		b.Output("x", c.r.Emit(b, win, xin, coefficient, rate))
		e, err := naive.Compile[float64](b.Build())
		if err != nil {
			t.Fatal(err)
		}
		inputs := [][]float64{w, x, {c.r.Coefficient(0, 0)}, {lr}}
		if err := e.Run(&naive.Bindings[float64]{Inputs: inputs}); err != nil {
			t.Fatal(err)
		}
		if c.r.Phase() != c.phase {
			t.Errorf("%T acts in phase %d", c.r, c.r.Phase())
		}
		if got := e.Output(0)[0]; !near.Equal(got, c.score, 1e-12, 0) {
			t.Errorf("%T: score %g, want %g", c.r, got, c.score)
		}
		for i, want := range c.want {
			if got := e.Output(1)[i]; !near.Equal(got, want, 1e-12, 0) {
				t.Errorf("%T %+v: element %d is %g, want %g", c.r, c.r, i, got, want)
			}
		}
	}
}

func TestCoefficientsFollowTheirSchedule(t *testing.T) {
	s := updater.StepSchedule{Type: updater.Epoch, InitialValue: 0.8, DecayRate: 0.5, Step: 1}
	for _, r := range []Regularization{L1{s}, L2{s}, WeightDecay{true, s}} {
		if got := r.Coefficient(50, 2); got != 0.2 {
			t.Errorf("%T: %g in epoch 2, want 0.2", r, got)
		}
	}
}

func TestObjectsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Regularization
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestInvalidSettings(t *testing.T) {
	for want, r := range map[string]Regularization{
		"L1: it has no coefficient":             L1{},
		"L2: FixedSchedule: value is NaN":       NewL2(math.NaN()),
		"WeightDecay: PolySchedule: maxIter is": WeightDecay{true, updater.PolySchedule{Type: updater.Epoch}},
	} {
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", r, err, want)
		}
	}
}
