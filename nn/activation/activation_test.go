package activation

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
	"github.com/dl4go/dl4go/program"
)

// evaluate returns act(z) and, for a gradient dy, the gradient in z, in float64.
func evaluate(t *testing.T, act Activation, z, dy []float64, env Env, shape ...int) (y, dz []float64) {
	t.Helper()
	b := program.NewBuilder()
	in := b.Input("z", shape...)
	out := act.Apply(b, in, env)
	b.Output("y", out)
	b.Output("dz", b.Gradients(out, b.Const(dy, shape...), []*program.Value{in})[0])
	e, err := naive.Compile[float64](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(&naive.Bindings[float64]{Inputs: [][]float64{z}}); err != nil {
		t.Fatal(err)
	}
	return e.Output(0), e.Output(1)
}

// Deeplearning4j's values and gradients. Gradients that dl4go corrects are not compared: those of ELU for an alpha
// other than 1, of precise GELU and of RReLU. In Deeplearning4j they are not the derivatives.
func TestValues(t *testing.T) {
	text, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Activation   json.RawMessage
		Rows, N      int
		Z, Dy, Y, Dz []float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var act Activation
		if err := dl4j.Unmarshal(c.Activation, &act); err != nil {
			t.Fatal(err)
		}
		_, rrelu := act.(RReLU)
		if elu, ok := act.(ELU); ok && elu.Alpha != 1 || act == (GELU{Precise: true}) || rrelu {
			c.Dz = nil
		}
		y, dz := evaluate(t, act, c.Z, c.Dy, Env{}, c.Rows, c.N)
		for i := range y {
			if !near.Equal(y[i], c.Y[i], 1e-9, 1e-6) {
				t.Errorf("%T %+v of %g is %.9g, want %.9g", act, act, c.Z[i], y[i], c.Y[i])
			}
			if c.Dz != nil && !near.Equal(dz[i], c.Dz[i], 1e-9, 1e-6) {
				t.Errorf("the slope of %T %+v at %g is %.9g, want %.9g", act, act, c.Z[i], dz[i], c.Dz[i])
			}
		}
	}
}

func TestGradients(t *testing.T) {
	two, tenth := 2.0, 0.1
	for _, act := range []Activation{Cube{}, ELU{Alpha: 0.5}, ELU{Alpha: 1}, GELU{}, GELU{true}, HardSigmoid{},
		HardTanH{}, Identity{}, LReLU{Alpha: 0.2},
		Mish{}, RReLU{L: 0.1, U: 0.3}, RationalTanh{}, ReLU{}, ReLU{&two, &tenth, nil}, ReLU6{},
		RectifiedTanh{}, SELU{}, Sigmoid{},
		SoftPlus{}, SoftSign{}, Softmax{}, Swish{}, TanH{}, ThresholdedReLU{Theta: 0.52}, HardSigmoid6{}, HardSwish{},
		GELUTanh{}, Exponential{}, LogSoftmax{}, LogSigmoid{}, CELU{Alpha: 0.7}, TanhShrink{}, SoftShrink{Threshold: 0.52},
		HardShrink{Threshold: 0.52}, SquarePlus{B: 4}, SparsePlus{}, SparseSigmoid{},
		Formula{"select(greater(z, 0.52), mul(z, erf(z)), div(log(add(abs(z), 1)), max(2, square(z))))"}} {
		for _, env := range []Env{{}, {Training: true, Stream: 3}} {
			x := gradcheck.Distinct(1, 4, 5)
			for i := range x.Data {
				x.Data[i] *= 2.4
			}
			if _, err := gradcheck.Function(func(b *program.Builder, x []*program.Value) *program.Value {
				return act.Apply(b, x[0], env)
			}, x); err != nil {
				t.Errorf("%T %+v: %v", act, act, err)
			}
		}
	}
}

// TestNaNStaysNaN: no activation turns NaN into a number.
func TestNaNStaysNaN(t *testing.T) {
	two, tenth := 2.0, 0.1
	acts := []Activation{ReLU{Max: &two}, ReLU{NegativeSlope: &tenth}, ReLU{Threshold: &tenth},
		GELU{true}, LReLU{Alpha: 0.2}}
	for _, name := range Names() {
		acts = append(acts, must(ByName(name)))
	}
	for _, act := range acts {
		for _, env := range []Env{{}, {Training: true, Stream: 3}} {
			y, _ := evaluate(t, act, []float64{math.NaN(), 1}, []float64{1, 1}, env, 2, 1)
			if !math.IsNaN(y[0]) || math.IsNaN(y[1]) {
				t.Errorf("%T %+v of NaN and 1 is %v", act, act, y)
			}
		}
	}
}

// At 0, where layers with inputs of 0 start, and far out, values and slopes are finite and equal to the formulas.
func TestAtZeroAndFarOut(t *testing.T) {
	slopes := map[string]float64{"CUBE": 0, "ELU": 1, "GELU": 0.5, "HARDSIGMOID": 0.2, "HARDTANH": 1,
		"IDENTITY": 1, "LEAKYRELU": 0.01,
		"MISH": 0.6, "RATIONALTANH": 1.7159 * 2 / 3, "RECTIFIEDTANH": 0, "RELU": 0, "RELU6": 0, "RRELU": 0,
		"SELU": seluAlpha * seluScale, "SIGMOID": 0.25, "SOFTMAX": 0, "SOFTPLUS": 0.5, "SOFTSIGN": 1, "SWISH": 0.5, "TANH": 1,
		"THRESHOLDEDRELU": 0}
	if len(slopes) != len(Names()) {
		t.Fatalf("%d slopes for %v", len(slopes), Names())
	}
	for _, name := range Names() {
		act, err := ByName(strings.ToLower(name))
		if err != nil {
			t.Fatal(err)
		}
		z := []float64{0, 1e4, -1e4, 1e-30}
		y, dz := evaluate(t, act, z, []float64{1, 1, 1, 1}, Env{}, 4, 1)
		if !near.Equal(dz[0], slopes[name], 1e-9, 1e-6) {
			t.Errorf("the slope of %s at 0 is %g, want %g", name, dz[0], slopes[name])
		}
		for i := range z {
			if v := y[i] + dz[i]; math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s at %g is %g with slope %g", name, z[i], y[i], dz[i])
			}
		}
	}
	if _, err := ByName("warp"); err == nil || !strings.Contains(err.Error(),
		`unknown activation "warp": there are CUBE, ELU`) {
		t.Error(err)
	}
}

// A softmax does not change if a number is added to its row.
func TestSoftmaxOfLargeNumbers(t *testing.T) {
	y, _ := evaluate(t, Softmax{}, []float64{1000, 1001, -1000, -999}, make([]float64, 4), Env{}, 2, 2)
	want := 1 / (1 + math.E)
	if !near.Equal(y[0], want, 1e-9, 1e-6) || !near.Equal(y[2], want, 1e-9, 1e-6) ||
		!near.Equal(y[0]+y[1], 1, 1e-9, 1e-6) {
		t.Errorf("%v", y)
	}
}

func TestRReLUDrawsSlopes(t *testing.T) {
	const n = 4000
	z, ones := make([]float64, n), make([]float64, n)
	for i := range z {
		z[i], ones[i] = -1, 1
	}
	z[0] = 5
	act := RReLU{L: 0.1, U: 0.3}
	y, dz := evaluate(t, act, z, ones, Env{Training: true, Stream: 7}, n, 1)
	if y[0] != 5 || dz[0] != 1 {
		t.Errorf("5 becomes %g with slope %g", y[0], dz[0])
	}
	sum, least, most := 0.0, 1.0, 0.0
	for i := 1; i < n; i++ {
		if !near.Equal(dz[i], -y[i], 1e-9, 1e-6) {
			t.Fatalf("the slope of element %d is %g, its value %g", i, dz[i], y[i])
		}
		sum, least, most = sum+dz[i], min(least, dz[i]), max(most, dz[i])
	}
	if mean := sum / (n - 1); !near.Equal(mean, 0.2, 0.005, 0) || least < 0.1 || most >= 0.3 || most-least < 0.19 {
		t.Errorf("slopes between %g and %g with mean %g", least, most, mean)
	}
	other, _ := evaluate(t, act, z, ones, Env{Training: true, Stream: 8}, n, 1)
	if fmt.Sprint(other[1:5]) == fmt.Sprint(y[1:5]) {
		t.Error("another stream gives the same slopes")
	}
}

func TestObjectsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Activation
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
