package loss

import (
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/gradcheck"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

func TestPairsBatchesAndMixtures(t *testing.T) {
	rowMask := gradcheck.Tensor{Shape: []int{3, 1}, Data: []float64{1, 0, 0.5}}
	outMask := gradcheck.Tensor{Shape: []int{3, 4}, Data: []float64{1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1}}
	sets := gradcheck.Tensor{Shape: []int{3, 4}, Data: []float64{1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0}}
	uniform := gradcheck.Tensor{Shape: []int{3, 4}, Data: []float64{0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0}}
	binary := gradcheck.Tensor{Shape: []int{3, 1}, Data: []float64{1, 0, 1}}
	mixture := MixtureDensity{LabelWidth: 3, Mixtures: 2}
	for name, c := range map[string]struct {
		l      Loss
		act    activation.Activation
		n      int
		labels gradcheck.Tensor
		masks  []*gradcheck.Tensor
	}{
		"multi-label": {MultiLabel{}, activation.Sigmoid{}, 4, sets, []*gradcheck.Tensor{nil, &rowMask, &outMask}},
		"multi-label, identity": {MultiLabel{}, activation.Identity{}, 4, sets,
			[]*gradcheck.Tensor{nil, &rowMask, &outMask}},
		"multi-label, all, none": {MultiLabel{}, activation.TanH{}, 4, uniform, []*gradcheck.Tensor{nil, &rowMask}},
		"F-measure":              {FMeasure{0.7}, activation.Sigmoid{}, 1, binary, []*gradcheck.Tensor{nil}},
		"mixture": {mixture, activation.Identity{}, 10, gradcheck.Uniform(4, -1, 1, 3, 3),
			[]*gradcheck.Tensor{nil, &rowMask}},
		"mixture, tanh": {mixture, activation.TanH{}, 10, gradcheck.Uniform(5, -1, 1, 3, 3),
			[]*gradcheck.Tensor{nil, &rowMask}},
	} {
		if err := c.l.Validate(c.n, c.act); err != nil {
			t.Fatal(err)
		}
		for _, mask := range c.masks {
			_, err := gradcheck.Function(func(b *program.Builder, x []*program.Value) *program.Value {
				var m *program.Value
				if mask != nil {
					m = b.Const(mask.Data, mask.Shape...)
				}
				return c.l.Rows(b, b.Const(c.labels.Data, c.labels.Shape...), x[0], c.act, m)
			}, gradcheck.Uniform(1, -1.5, 1.5, 3, c.n))
			if err != nil {
				t.Errorf("%s, mask %v: %v", name, mask != nil, err)
			}
		}
	}
	rows, _ := evaluate[float64](t, MultiLabel{}, activation.Identity{}, []float64{1, 0, 0}, []float64{1, 2, 0}, nil, 1)
	if want := (math.E + 1/math.E) / 2; !near.Equal(rows[0], want, 1e-12, 0) {
		t.Errorf("multi-label: %v, want %g", rows, want)
	}
	// TP 0.8, FN 0.2, FP 0.4: F1 is 1.6/2.2.
	for _, c := range []struct{ labels, p []float64 }{{[]float64{1, 0}, []float64{0.8, 0.4}},
		{[]float64{0, 1, 1, 0}, []float64{0.2, 0.8, 0.6, 0.4}}} {
		rows, _ = evaluate[float64](t, NewFMeasure(), activation.Identity{}, c.labels, c.p, nil, 2)
		if got := total(rows); !near.Equal(got, 1-1.6/2.2, 1e-12, 0) || rows[0] != rows[1] {
			t.Errorf("F-measure: %v", rows)
		}
	}
	// One standard normal distribution at 0, in two halves.
	rows, _ = evaluate[float64](t, MixtureDensity{1, 2}, activation.Identity{}, []float64{1.5},
		[]float64{3, 3, 0, 0, 0, 0}, nil, 1)
	if want := 1.125 + 0.5*math.Log(2*math.Pi); !near.Equal(rows[0], want, 1e-12, 0) {
		t.Errorf("mixture: %v, want %g", rows, want)
	}
	for want, err := range map[string]error{
		"3 outputs: it is for two":  NewFMeasure().Validate(3, nil),
		"beta is 0":                 FMeasure{}.Validate(1, nil),
		"labelWidth is 0":           MixtureDensity{0, 1}.Validate(2, nil),
		"(labelWidth + 2)·mixtures": MixtureDensity{3, 2}.Validate(9, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
