package vector

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// The largest errors, in units in the last place, that Set's doc comments promise.
const (
	ulpExp      = 1.1
	ulpExpm1    = 1.5
	ulpLog      = 0.9
	ulpLog1p    = 1.4
	ulpTanh     = 2.5
	ulpSigmoid  = 2.3
	ulpSoftplus = 1.7
)

// points returns a million numbers over the whole range of float32, including denormals, infinities and NaN. They are
// denser between -128 and 128.
func points() []float32 {
	x := append([]float32(nil), specials...)
	for i := 0; i < 1<<32; i += 7919 {
		x = append(x, math.Float32frombits(uint32(i)))
	}
	for i := range 400000 {
		x = append(x, float32(i-200000)/1561)
	}
	for i := range 100000 { // close to 0 and to 1, where the logarithms cancel
		y := float32(i-50000) / (1 << 19)
		x = append(x, y, 1+y)
	}
	return x
}

func TestAccuracy(t *testing.T) {
	x := points()
	y := make([]float32, len(x))
	for _, v := range kernel.Available() {
		for _, e := range elementwiseKernels() {
			switch e.name {
			case "Exp", "Expm1", "Log", "Log1p", "Tanh", "Sigmoid", "Softplus":
			default:
				continue
			}
			e.call(For(v), y, operands{a: x})
			worst, at := 0.0, float32(0)
			for i, got := range y {
				want := e.want(0, float64(x[i]), 0, 0, 0, 0)
				if d := e.distance(got, want); !(d <= worst) {
					worst, at = d, x[i]
				}
			}
			t.Logf("%s, %s: at most %.2f ulp, at %g", e.name, v, worst, at)
			if !(worst <= e.ulp) {
				t.Errorf("%s, %s: %.2f ulp at %g, want at most %g", e.name, v, worst, at, e.ulp)
			}
		}
	}
}
