package layer_test

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/program"
)

// largeForms are the formulas with norms of rows of 8 values.
var largeForms = map[string]func(c *layer.Context, x *program.Value) *program.Value{
	"L2Normalize": func(c *layer.Context, x *program.Value) *program.Value {
		return vertex.NewL2Normalize().Forward(c, []layer.Activation{{Value: x}}).Value
	},
	"L2": func(c *layer.Context, x *program.Value) *program.Value {
		zero := c.Mul(x, c.Fill(0.25))
		return vertex.NewL2().Forward(c, []layer.Activation{{Value: x}, {Value: zero}}).Value
	},
	"CapsuleStrength": func(c *layer.Context, x *program.Value) *program.Value {
		in := c.Reshape(x, x.Shape[0], 2, 4)
		return layer.CapsuleStrength{}.Forward(c, []layer.Activation{{Value: in, Type: inputtype.Recurrent(2, 4)}}).Value
	},
	"Capsules": func(c *layer.Context, x *program.Value) *program.Value {
		// Positive weights, so that nothing cancels out and sums over a row of zeros are 0.
		weight := make([]float64, 2*2*3*4)
		for i := range weight {
			weight[i] = 0.5 + float64(i%5)/4
		}
		c.Params = map[string]*program.Value{"weight": c.Const(weight, 1, 2, 6, 4, 1)}
		l := layer.Capsules{InputCapsules: 2, InputCapsuleDimensions: 4, Capsules: 2, CapsuleDimensions: 3, Routings: 1}
		return l.Forward(c, []layer.Activation{{Value: c.Reshape(x, x.Shape[0], 2, 4)}}).Value
	},
	"CosineProximity": func(c *layer.Context, x *program.Value) *program.Value {
		labels := c.Mul(x, c.Const([]float64{1, 2, 0.5, 1, 3, 1, 0, -1}, 8))
		return loss.CosineProximity{}.Rows(c.Builder, c.StopGradient(labels), x, activation.Identity{}, nil)
	},
	"Dot": func(c *layer.Context, x *program.Value) *program.Value {
		other := c.StopGradient(c.Mul(x, c.Const([]float64{1, 2, 0.5, 1, 3, 1, 0, -1}, 8)))
		return vertex.Dot{Axes: [2]int{1, 1}, Normalize: true}.Forward(c,
			[]layer.Activation{{Value: x}, {Value: other}}).Value
	},
	"LayerNormalization": func(c *layer.Context, x *program.Value) *program.Value {
		l := layer.LayerNormalization{Axes: []int{1}, Shape: []int{8}, Eps: 1e-3, NoScale: true, NoCenter: true}
		return l.Forward(c, []layer.Activation{{Value: x}}).Value
	},
	"GroupNormalization": func(c *layer.Context, x *program.Value) *program.Value {
		l := layer.GroupNormalization{NIn: 1, Groups: 1, Eps: 1e-3, NoScale: true, NoCenter: true}
		in := layer.Activation{Value: c.Reshape(x, x.Shape[0], 1, 8), Type: inputtype.Recurrent(1, 8)}
		y := l.Forward(c, []layer.Activation{in}).Value
		return c.Reshape(y, x.Shape[0], 8)
	},
	"Dense with LayerNorm": func(c *layer.Context, x *program.Value) *program.Value {
		one := make([]float64, 64)
		for i := range 8 {
			one[9*i] = 1
		}
		c.Params = map[string]*program.Value{"W": c.Const(one, 8, 8), "g": c.Fill(1, 8)}
		l := layer.Dense{LayerNorm: true, NoBias: true}
		l.NOut, l.Activation = 8, activation.Identity{}
		return l.Forward(c, []layer.Activation{{Value: x}}).Value
	},
	"LocalResponseNormalization": func(c *layer.Context, x *program.Value) *program.Value {
		l := layer.NewLocalResponseNormalization()
		in := layer.Activation{Value: c.Reshape(x, x.Shape[0], 8, 1, 1), Type: inputtype.Convolutional(1, 1, 8)}
		return l.Forward(c, []layer.Activation{in}).Value
	},
	"GlobalPooling of norms": func(c *layer.Context, x *program.Value) *program.Value {
		l := layer.GlobalPooling{Pooling: layer.PNormPooling, PNorm: 3}
		in := layer.Activation{Value: c.Reshape(x, x.Shape[0], 1, 8), Type: inputtype.Recurrent(1, 8)}
		return l.Forward(c, []layer.Activation{in}).Value
	},
}

// largeRun returns a formula's values for rows, and the gradient of their weighted sum.
func largeRun[T naive.Float](t *testing.T, form string, x []float64) (y, dx []T) {
	t.Helper()
	b := program.NewBuilder()
	rows := len(x) / 8
	in := b.Input("x", rows, 8)
	out := largeForms[form](&layer.Context{Builder: b, Batch: rows}, in)
	out = b.Reshape(out, rows, out.Shape.Size()/rows)
	weights := make([]float64, out.Shape[1])
	for i := range weights {
		weights[i] = 1 + float64(i)/3
	}
	b.Output("y", out)
	b.Output("dx", b.Gradients(b.SumAll(b.Mul(out, b.Const(weights, len(weights)))), nil, []*program.Value{in})[0])
	e, err := naive.Compile[T](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	input := make([]T, len(x))
	for i, v := range x {
		input[i] = T(v)
	}
	if err := e.Run(&naive.Bindings[T]{Inputs: [][]T{input}}); err != nil {
		t.Fatal(err)
	}
	return e.Output(0), e.Output(1)
}

// TestLargeRows: some rows have squares, or products of norms, that are too large or too small for float32. Values and
// gradients agree with those in float64 nevertheless. Rows of zeros and of NaN among them stay as they are.
func TestLargeRows(t *testing.T) {
	row := []float64{1, -0.5, 2, 0.75, -3, 1.5, 0.25, 2}
	for form := range largeForms {
		for _, size := range []float64{1, 1e4, 1e6, 1e10, 1e13, 1e15, 1e19, 1e25, 1e36, 1e-15, 1e-20, 1e-25, 1e-30} {
			x := make([]float64, 32) // the second row is zeros
			for i, v := range row {
				x[i], x[16+i], x[24+i] = float64(float32(v*size)), math.NaN(), v
			}
			y, dx := largeRun[float32](t, form, x)
			y64, dx64 := largeRun[float64](t, form, x)
			n := len(y) / 4
			for what, c := range map[string]struct {
				got  []float32
				want []float64
			}{"outputs": {y[:n], y64[:n]}, "gradients": {dx[:8], dx64[:8]}} {
				most := 0.0
				for _, v := range c.want {
					most = max(most, math.Abs(v))
				}
				for i, v := range c.want {
					// Parts of a gradient may cancel out. A part has the size of 1/‖x‖, or of 1.
					bound := 1e-4*most + 0x1p-124 // float32's denormal numbers are coarse
					if size >= 1 {
						bound += 1e-6 / size
					}
					if !near.Equal(float64(c.got[i]), v, bound, 0) {
						t.Errorf("%s at %g: %s are %v, wanted %v", form, size, what, c.got, c.want)
						break
					}
				}
			}
			for i := range n {
				if v := float64(y[n+i]); v > 2e-10 || !math.IsNaN(float64(y[2*n+i])) {
					t.Errorf("%s at %g: a row of zeros gives %v, one of NaN %v", form, size, y[n:2*n], y[2*n:3*n])
					break
				}
			}
			alone, slope := largeRun[float32](t, form, x[24:])
			for i, v := range alone {
				if v != y[3*n+i] {
					t.Errorf("%s: beside a row at %g, a row gives %v, alone %v", form, size, y[3*n:], alone)
					break
				}
			}
			for i, v := range slope {
				if v != dx[24+i] || math.IsNaN(float64(dx[8+i])) {
					t.Errorf("%s: beside a row at %g, gradients are %v, alone %v", form, size, dx, slope)
					break
				}
			}
		}
		y, _ := largeRun[float32](t, form, []float64{math.Inf(1), 1, 2, 3, 4, 5, 6, 7})
		finite := true
		for _, v := range y {
			finite = finite && !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
		}
		if finite {
			t.Errorf("%s of a row with an infinity is %v", form, y)
		}
	}
}
