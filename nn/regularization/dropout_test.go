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

// applyDropout returns the dropout of ones and its gradient for a gradient of ones.
func applyDropout(t *testing.T, d Dropout, value float64, stream uint64, n int) (y, dx []float32) {
	t.Helper()
	b := program.NewBuilder()
	x, v := b.Input("x", n), b.Input("value")
	out := d.Emit(b, x, v, stream)
	b.Output("y", out)
	b.Output("dx", b.Gradients(out, nil, []*program.Value{x})[0])
	e, err := naive.Compile[float32](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	if err := e.Run(&naive.Bindings[float32]{Inputs: [][]float32{ones, {float32(value)}}}); err != nil {
		t.Fatal(err)
	}
	return e.Output(0), e.Output(1)
}

func TestKeptElementsAreScaled(t *testing.T) {
	const n = 20000
	for _, p := range []float64{0.2, 0.5, 0.8, 1} {
		y, dx := applyDropout(t, NewDropout(p), p, 4, n)
		kept := 0
		for i := range y {
			if y[i] != dx[i] {
				t.Fatalf("p %g: element %d becomes %g, its gradient %g", p, i, y[i], dx[i])
			}
			if y[i] != 0 {
				kept++
				if !near.Equal(float64(y[i])*p, 1, 1e-6, 0) {
					t.Fatalf("p %g: 1 becomes %g", p, y[i])
				}
			}
		}
		if got := float64(kept) / n; !near.Equal(got, p, 0.015, 0) || p == 1 && kept != n {
			t.Errorf("p %g keeps %g", p, got)
		}
	}
	a, _ := applyDropout(t, NewDropout(0.5), 0.5, 1, 64)
	same := true
	other, _ := applyDropout(t, NewDropout(0.5), 0.5, 2, 64)
	for i := range a {
		same = same && a[i] == other[i]
	}
	if same {
		t.Error("two streams drop the same elements")
	}
}

func TestScheduledProbability(t *testing.T) {
	d := InvertedDropout{P: math.NaN(), PSchedule: updater.StepSchedule{Type: updater.Epoch, InitialValue: 1,
		DecayRate: 0.5, Step: 2}}
	if got := d.Value(99, 3); got != 0.5 || d.Validate() != nil {
		t.Errorf("p is %g in epoch 3, want 0.5; %v", got, d.Validate())
	}
	if got := NewDropout(0.3).Value(99, 3); got != 0.3 {
		t.Errorf("p is %g, want 0.3", got)
	}
}

func TestDropoutReadsAndWritesAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/dropout.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Dropout
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestInvalidDropout(t *testing.T) {
	for want, d := range map[string]Dropout{
		"p is 0,":                NewDropout(0),
		"p is 1.5,":              NewDropout(1.5),
		"p is NaN,":              NewDropout(math.NaN()),
		"Dropout: StepSchedule:": InvertedDropout{PSchedule: updater.StepSchedule{Type: updater.Epoch}},
	} {
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", d, err, want)
		}
	}
}
