package vector

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/random"
)

// TestSoftmaxDivides compares the bits with those of a division by the sum. Sums have a partial sum for each lane.
func TestSoftmaxDivides(t *testing.T) {
	lanes := map[kernel.Variant]int{kernel.AVX2: 8, kernel.AVX512: 16}
	for _, v := range kernel.Available() {
		width, k := lanes[v], For(v)
		if width == 0 {
			continue
		}
		s := random.NewSource(11)
		for _, cols := range append(lengths()[1:], 512, 3000) {
			for _, scale := range []float32{0.01, 1, 20, 100} { // the last one gives denormal quotients
				x := normals(s, cols)
				k.MulScalar(x, x, scale)
				if cols > 2 {
					x[cols/2] = float32(math.Inf(-1))
				}
				want, partial := make([]float32, cols), make([]float32, width)
				k.SubScalar(want, x, k.ReduceMax(x))
				k.Exp(want, want)
				for i, e := range want {
					partial[i%width] += e
				}
				for half := width / 2; half > 0; half /= 2 {
					k.Add(partial[:half], partial[:half], partial[half:2*half])
				}
				k.DivScalar(want, want, partial[0])
				k.Softmax(x, x, cols)
				for i, got := range x {
					if math.Float32bits(got) != math.Float32bits(want[i]) {
						t.Fatalf("%v, %d columns times %g: element %d is %g, want %g", v, cols, scale, i, got, want[i])
					}
				}
			}
		}
	}
}

func TestSoftmaxOfNaN(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, v := range kernel.Available() {
		for _, cols := range lengths()[1:] {
			for _, bad := range []float32{nan, inf} {
				x := make([]float32, 2*cols)
				x[cols/2] = bad
				For(v).Softmax(x, x, cols)
				for i, y := range x {
					if math.IsNaN(float64(y)) != (i < cols) {
						t.Fatalf("%v, %d columns, one of the first row %g: element %d is %g", v, cols, bad, i, y)
					}
				}
			}
		}
	}
}
