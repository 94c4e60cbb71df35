package gradcheck

import (
	"strings"
	"testing"

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
