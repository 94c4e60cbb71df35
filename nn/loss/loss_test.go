package loss

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/gradcheck"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// evaluate returns the loss of each row, and the gradient in z of their sum, computed in type T.
func evaluate[T naive.Float](t *testing.T, l Loss, act activation.Activation, labels, z, mask []float64,
	rows int) (loss, dz []T) {
	t.Helper()
	n := len(z) / rows
	b := program.NewBuilder()
	y, in := b.Input("labels", rows, l.Labels(n)), b.Input("z", rows, n)
	bind := &naive.Bindings[T]{Inputs: [][]T{as[T](labels), as[T](z)}}
	var m *program.Value
	if mask != nil {
		m = b.Input("mask", rows, len(mask)/rows)
		bind.Inputs = append(bind.Inputs, as[T](mask))
	}
	if err := l.Validate(n, act); err != nil {
		t.Fatal(err)
	}
	out := l.Rows(b, y, in, act, m)
	b.Output("loss", out)
	b.Output("dz", b.Gradients(out, nil, []*program.Value{in})[0])
	e, err := naive.Compile[T](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(bind); err != nil {
		t.Fatal(err)
	}
	return e.Output(0), e.Output(1)
}

func as[T naive.Float](x []float64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

// Deeplearning4j's scores and gradients of every loss, with its activations, with and without weights and masks, in
// float64, and in float32 within its precision. Wasserstein's gradient through a softmax with masked single outputs is
// corrected here and not compared.
func TestValues(t *testing.T) {
	text, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Arrays [][]float64
		Cases  []struct {
			Loss, Activation json.RawMessage
			Rows             int
			Z, Labels        int
			Mask             *int
			Score            float64
			Gradient         []float64
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, c := range golden.Cases {
		var l Loss
		var act activation.Activation
		if err := dl4j.Unmarshal(c.Loss, &l); err != nil {
			t.Fatal(err)
		}
		if err := dl4j.Unmarshal(c.Activation, &act); err != nil {
			t.Fatal(err)
		}
		seen[fmt.Sprintf("%T", l)] = true
		var mask []float64
		if c.Mask != nil {
			mask = golden.Arrays[*c.Mask]
		}
		if _, mended := l.(Wasserstein); mended && act == (activation.Softmax{}) && len(mask) > c.Rows {
			c.Gradient = nil
		}
		compare := func(kind string, tolerance, score float64, dz func(k int) float64) {
			t.Helper()
			name := fmt.Sprintf("case %d, %s, %T %+v, %T, mask %v", i, kind, l, l, act, mask)
			if !near.Equal(score, c.Score, 1e-3*tolerance, tolerance) {
				t.Errorf("%s: score %.10g, want %.10g", name, score, c.Score)
			}
			for k, want := range c.Gradient {
				if !near.Equal(dz(k), want, 1e-3*tolerance, tolerance) {
					t.Errorf("%s: gradient %d is %.10g, want %.10g", name, k, dz(k), want)
				}
			}
		}
		loss, dz := evaluate[float64](t, l, act, golden.Arrays[c.Labels], golden.Arrays[c.Z], mask, c.Rows)
		compare("float64", 1e-9, total(loss), func(k int) float64 { return dz[k] })
		single, dz32 := evaluate[float32](t, l, act, golden.Arrays[c.Labels], golden.Arrays[c.Z], mask, c.Rows)
		compare("float32", 5e-3, total(single), func(k int) float64 { return float64(dz32[k]) })
	}
	if len(seen) != 16 {
		t.Errorf("%d losses have golden values, want 16: %v", len(seen), seen)
	}
}

func total[T naive.Float](x []T) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

// If score and gradient belong together, the gradient is the score's derivative, for any activation.
func TestGradients(t *testing.T) {
	z := gradcheck.Uniform(1, -1.5, 1.5, 3, 4)
	real, positive := gradcheck.Uniform(2, -2, 2, 3, 4), gradcheck.Uniform(3, 0.1, 0.9, 3, 4)
	for i := range 3 { // labels that sum to 1
		row := positive.Data[4*i : 4*i+4]
		sum := row[0] + row[1] + row[2] + row[3]
		for k := range row {
			row[k] /= sum
		}
	}
	rowMask := gradcheck.Tensor{Shape: []int{3, 1}, Data: []float64{1, 0, 0.5}}
	w := Weighted{NewWeights(0.5, 2, 1.5, 1)}
	softmax, sigmoid, tanh := activation.Softmax{}, activation.Sigmoid{}, activation.TanH{}
	for _, c := range []struct {
		l      Loss
		act    activation.Activation
		labels gradcheck.Tensor
	}{
		{NewMCXENT(), softmax, positive}, {MCXENT{SoftmaxClipEps: 1e-10, Weighted: w}, softmax, positive},
		{MCXENT{SoftmaxClipEps: 1e-10, Weighted: w}, sigmoid, positive},
		{NewXENT(), sigmoid, positive}, {XENT{ClipEps: 1e-5, Weighted: w}, activation.HardSigmoid{}, positive},
		{MSE{w}, softmax, real}, {L2{w}, tanh, real}, {L1{w}, tanh, real}, {MAE{w}, softmax, real}, {MAPE{w}, tanh, real},
		{MSLE{w}, tanh, positive}, {Hinge{}, activation.Identity{}, real}, {SquaredHinge{}, tanh, real},
		{Wasserstein{}, softmax, real}, {CosineProximity{}, tanh, real}, {KLD{}, softmax, positive},
		{Poisson{}, activation.SoftPlus{}, positive},
	} {
		for _, mask := range []*gradcheck.Tensor{nil, &rowMask} {
			_, err := gradcheck.Function(func(b *program.Builder, x []*program.Value) *program.Value {
				var m *program.Value
				if mask != nil {
					m = b.Const(mask.Data, mask.Shape...)
				}
				return c.l.Rows(b, b.Const(c.labels.Data, 3, 4), x[0], c.act, m)
			}, z)
			if err != nil {
				t.Errorf("%T with %T, mask %v: %v", c.l, c.act, mask != nil, err)
			}
		}
	}
}

// The worst possible predictions have a finite loss and a finite gradient in float32.
func TestSaturatedPredictions(t *testing.T) {
	z, labels := []float64{-200, 200, 0, 200, -200, 0}, []float64{1, 0, 0, 0, 1, 1}
	for _, l := range []Loss{NewMCXENT(), MCXENT{}, NewNegativeLogLikelihood(), NewXENT(), XENT{}, KLD{}} {
		for _, act := range []activation.Activation{activation.Softmax{}, activation.Sigmoid{}} {
			loss, dz := evaluate[float32](t, l, act, labels, z, nil, 2)
			for _, v := range append(loss, dz...) {
				if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%T %+v with %T: losses %v, gradient %v", l, l, act, loss, dz)
					break
				}
			}
		}
	}
}

// A masked row has no loss and no gradient, whatever its labels, and does not affect other rows.
func TestMaskedRowsDoNotCount(t *testing.T) {
	z, labels := []float64{0.5, -1, 2, 0.3, -0.7, 1}, []float64{0, 0.3, 0.5, 0.8, 0.1, 0.1}
	for _, name := range Names() {
		l, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		y := labels
		if l.Labels(3) == 1 {
			y = []float64{2, 0}
		}
		for _, mask := range [][]float64{{0, 1}, {0, 0, 0, 1, 1, 1}} {
			all, dall := evaluate[float64](t, l, activation.Softmax{}, y, z, nil, 2)
			some, dsome := evaluate[float64](t, l, activation.Softmax{}, y, z, mask, 2)
			if some[0] != 0 || some[1] != all[1] {
				t.Errorf("%s, mask %v: losses %v, without mask %v", name, mask, some, all)
			}
			for k := range dsome {
				if k < 3 && dsome[k] != 0 || k >= 3 && dsome[k] != dall[k] {
					t.Errorf("%s, mask %v: gradient %v, without mask %v", name, mask, dsome, dall)
					break
				}
			}
		}
	}
}

func TestObjectsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Loss
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestByName(t *testing.T) {
	if len(Names()) != 18 {
		t.Errorf("names %v, want Deeplearning4j's 18", Names())
	}
	for name, want := range map[string]Loss{"mse": MSE{}, "SQUARED_LOSS": MSE{}, "RECONSTRUCTION_CROSSENTROPY": KLD{},
		"NEGATIVELOGLIKELIHOOD": NewNegativeLogLikelihood()} {
		if l, err := ByName(name); err != nil || l != want {
			t.Errorf("%s is %T %+v, %v", name, l, l, err)
		}
	}
	if _, err := ByName("warp"); err == nil || !strings.Contains(err.Error(),
		`unknown loss function "warp": there are COSINE`) {
		t.Error(err)
	}
}

func TestInvalidSettings(t *testing.T) {
	w := Weighted{NewWeights(1, 2)}
	for want, err := range map[string]error{
		"MSE: it has 2 weights for 3 outputs": MSE{w}.Validate(3, nil),
		"XENT: clipEps is 0.7":                XENT{ClipEps: 0.7}.Validate(3, nil),
		"MCXENT: softmaxClipEps is -1":        MCXENT{SoftmaxClipEps: -1}.Validate(3, nil),
		"L1: weight 1 is NaN":                 L1{Weighted{NewWeights(1, math.NaN())}}.Validate(2, nil),
		"MCXENT: it has 2 weights for 3": NegativeLogLikelihood{MCXENT{SoftmaxClipEps: 1e-10,
			Weighted: w}}.Validate(3, nil),
		"weights: 2 weights of shape [2 1]":     read(`{"dataType":"FLOAT","shape":[2,1],"data":[1,2]}`),
		"weights: 2 weights of shape [1 3]":     read(`{"dataType":"FLOAT","shape":[1,3],"data":[1,2]}`),
		`weights: weights of type "LONG": must`: read(`{"dataType":"LONG","shape":[1,1],"data":[1]}`),
		"weights.order: unknown member":         read(`{"dataType":"FLOAT","shape":[1,1],"data":[1],"order":"c"}`),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

func read(weights string) error {
	var l []Loss
	return dl4j.Unmarshal([]byte(`[{"@class":"`+javaPackage+`MSE","weights":`+weights+`}]`), &l)
}
