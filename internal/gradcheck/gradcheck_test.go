package gradcheck

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/program"
)

func TestFunctionFindsWrongGradient(t *testing.T) {
	wrong := func(b *program.Builder, x []*program.Value) *program.Value {
		g := b.Mul(x[0], b.Scalar(2.00001)) // x² has the gradient 2x
		return b.WithGradient(b.Unary(program.Square, x[0]), x[0], g)
	}
	_, err := Function(wrong, Uniform(1, 0.5, 1, 3))
	if err == nil || !strings.Contains(err.Error(), "relative error 5e-06") {
		t.Errorf("error = %v", err)
	}
}

func TestParamsFindsWrongGradient(t *testing.T) {
	build := func(scale float64) *program.Program {
		b := program.NewBuilder()
		w := b.View(program.Params, 0, 2, 2)
		score := b.SumAll(b.Unary(program.Square, b.Apply(program.MatMul{}, b.Input("x", 3, 2), w)))
		b.Output("score", score)
		b.Store(program.Gradient, 0, b.Mul(b.Gradients(score, nil, []*program.Value{w})[0], b.Scalar(scale)))
		return b.Build()
	}
	bind := &naive.Bindings[float64]{Inputs: [][]float64{Uniform(1, -1, 1, 3, 2).Data}}
	bind.Vectors[program.Params] = Uniform(2, -1, 1, 4).Data
	bind.Vectors[program.Gradient] = make([]float64, 4)
	if err := Params(build(1), bind, "score", nil); err != nil {
		t.Error(err)
	}
	if Params(build(1.00001), bind, "score", nil) == nil {
		t.Error("a gradient that is off by 1e-5 passes")
	}
	if Params(build(1), bind, "loss", nil) == nil {
		t.Error("a missing output passes")
	}
}
