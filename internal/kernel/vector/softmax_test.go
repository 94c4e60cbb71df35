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

// TestSoftmaxGrad compares the bits with those of the operations, one after the other.
func TestSoftmaxGrad(t *testing.T) {
	const rows, scale = 3, 0.3
	inf := float32(math.Inf(1))
	for _, v := range kernel.Available() {
		k := For(v)
		s := random.NewSource(12)
		for _, cols := range append(lengths()[1:], 512, 1111) {
			n := rows * cols
			p, d, want := normals(s, n), normals(s, n), make([]float32, n)
			for i, bad := range []float32{nan, inf} {
				d[(i+1)*cols+cols/2] = bad // of two rows
			}
			for at := 0; at < n; at += cols {
				y, p, d := want[at:at+cols], p[at:at+cols], d[at:at+cols]
				For(kernel.Portable).Mul(y, p, d)
				sum := For(kernel.Portable).Sum(y)
				for i := range y {
					y[i] = float32(float32(d[i]-sum)*p[i]) * scale
				}
			}
			dst, intact := guarded(n, 1)
			k.SoftmaxGrad(dst, p, d, cols, scale)
			if !intact() {
				t.Fatalf("%v, %d columns: wrote outside of dst", v, cols)
			}
			k.SoftmaxGrad(d, p, d, cols, scale)
			for i, w := range want {
				for _, got := range []float32{dst[i], d[i]} {
					if math.Float32bits(got) != math.Float32bits(w) && (got == got || w == w) {
						t.Fatalf("%v, %d columns: element %d is %g, want %g", v, cols, i, got, w)
					}
				}
			}
		}
	}
}
