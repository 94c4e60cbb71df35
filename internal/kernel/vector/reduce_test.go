package vector

import (
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
)

type reductionCase struct {
	name string
	call func(k *Set, a, b []float32, s float32) float32
	term func(a, b, s float64) float64
}

func reductions() []reductionCase {
	return []reductionCase{
		{"Sum", func(k *Set, a, b []float32, s float32) float32 { return k.Sum(a) },
			func(a, b, s float64) float64 { return a }},
		{"SumAbs", func(k *Set, a, b []float32, s float32) float32 { return k.SumAbs(a) },
			func(a, b, s float64) float64 { return math.Abs(a) }},
		{"SumSquares", func(k *Set, a, b []float32, s float32) float32 { return k.SumSquares(a) },
			func(a, b, s float64) float64 { return a * a }},
		{"Dot", func(k *Set, a, b []float32, s float32) float32 { return k.Dot(a, b) },
			func(a, b, s float64) float64 { return a * b }},
		{"SumSquaredDifferences", func(k *Set, a, b []float32, s float32) float32 { return k.SumSquaredDifferences(a, s) },
			func(a, b, s float64) float64 { return (a - s) * (a - s) }},
		{"DotDifference", func(k *Set, a, b []float32, s float32) float32 { return k.DotDifference(a, b, s) },
			func(a, b, s float64) float64 { return a * (b - s) }},
	}
}

func normals(s *random.Source, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(s.Normal())
	}
	return v
}

func TestReductions(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		for _, r := range reductions() {
			t.Run(fmt.Sprint(r.name, "/", v), func(t *testing.T) {
				s := random.NewSource(5)
				for _, n := range append(lengths(), 12345, 400000) {
					// Elements on either side must not be read into the result.
					all := append(append([]float32{nan}, normals(s, n)...), nan)
					a, b := all[1:n+1], normals(s, n)
					want, size := 0.0, 0.0
					for i := range a {
						term := r.term(float64(a[i]), float64(b[i]), 0.5)
						want += term
						size += math.Abs(term)
					}
					got := r.call(k, a, b, 0.5)
					if !near.Equal(float64(got), want, 2e-6*size, 0) {
						t.Fatalf("length %d: %g, want %g", n, got, want)
					}
					moved := append(make([]float32, 5), a...)[5:]
					if again := r.call(k, moved, b, 0.5); again != got {
						t.Fatalf("length %d: %g at another address, %g before", n, again, got)
					}
					if n > 0 {
						moved[n*3/4] = nan
						if got := r.call(k, moved, b, 0.5); got == got {
							t.Fatalf("length %d: NaN was lost: %g", n, got)
						}
					}
				}
			})
		}
	}
}

var nan = float32(math.NaN())

func TestSumsAgreeAcrossVariants(t *testing.T) {
	s := random.NewSource(6)
	for _, n := range lengths() {
		a := normals(s, n)
		for _, v := range kernel.Available() {
			if got, want := For(v).Sum(a), portable.Sum(a); got != want {
				t.Errorf("%s, length %d: sum %g, want %g", v, n, got, want)
			}
			if got, want := For(v).SumAbs(a), portable.SumAbs(a); got != want {
				t.Errorf("%s, length %d: sum of absolutes %g, want %g", v, n, got, want)
			}
			zeros := make([]float32, n)
			for i := range zeros {
				zeros[i] = float32(math.Copysign(0, float64(a[i])))
			}
			if got, want := For(v).ReduceMax(zeros), portable.ReduceMax(zeros); !sameBits(got, want) {
				t.Errorf("%s, length %d: maximum %g, want %g", v, n, got, want)
			}
		}
	}
}

func TestReduceMax(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		s := random.NewSource(7)
		for _, n := range lengths() {
			all := append(append([]float32{math.MaxFloat32}, normals(s, n)...), math.MaxFloat32)
			a := all[1 : n+1]
			want := math.Inf(-1)
			for i := range a {
				a[i] -= 10
				want = max(want, float64(a[i]))
			}
			if got := k.ReduceMax(a); float64(got) != want {
				t.Fatalf("%s, length %d: %g, want %g", v, n, got, want)
			}
			for i := range a {
				keep := a[i]
				a[i] = 7
				if got := k.ReduceMax(a); got != 7 {
					t.Fatalf("%s, length %d: missed element %d", v, n, i)
				}
				a[i] = nan
				if got := k.ReduceMax(a); got == got {
					t.Fatalf("%s, length %d: lost the NaN at %d: %g", v, n, i, got)
				}
				a[i] = keep
			}
		}
	}
}

func TestAddRows(t *testing.T) {
	for _, v := range kernel.Available() {
		s := random.NewSource(8)
		for _, cols := range lengths() {
			for _, rows := range []int{0, 1, 2, 7} {
				a := normals(s, rows*cols)
				dst, intact := guarded(cols, 3)
				copy(dst, normals(s, cols))
				want := append([]float32(nil), dst...)
				for i := range rows {
					for j := range want {
						want[j] += a[i*cols+j]
					}
				}
				For(v).AddRows(dst, a)
				if !intact() {
					t.Fatalf("%s, %d columns: wrote outside of dst", v, cols)
				}
				for j := range want {
					if dst[j] != want[j] {
						t.Fatalf("%s, %d by %d: column %d is %g, want %g", v, rows, cols, j, dst[j], want[j])
					}
				}
			}
		}
	}
}

func TestSumChannels(t *testing.T) {
	const batch, channels, size = 3, 5, 37
	a := normals(random.NewSource(9), batch*channels*size)
	for _, v := range kernel.Available() {
		dst := []float32{1, 2, 3, 4, 5}
		For(v).SumChannels(dst, a, size)
		for c := range dst {
			want := float64(c + 1)
			for n := range batch {
				for i := range size {
					want += float64(a[(n*channels+c)*size+i])
				}
			}
			if !near.Equal(float64(dst[c]), want, 1e-4, 0) {
				t.Errorf("%s: channel %d is %g, want %g", v, c, dst[c], want)
			}
		}
	}
}

func TestSoftmax(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		s := random.NewSource(10)
		for _, cols := range append(lengths()[1:], 3000) {
			const rows = 3
			x := normals(s, rows*cols)
			for i := range x {
				x[i] *= 30
			}
			y := make([]float32, len(x))
			k.Softmax(y, x, cols)
			for r := range rows {
				row := x[r*cols : (r+1)*cols]
				largest, sum := math.Inf(-1), 0.0
				for _, v := range row {
					largest = max(largest, float64(v))
				}
				for _, v := range row {
					sum += math.Exp(float64(v) - largest)
				}
				alone := append([]float32(nil), row...)
				k.Softmax(alone, alone, cols)
				for j, v := range row {
					want := math.Exp(float64(v)-largest) / sum
					if got := float64(y[r*cols+j]); !near.Equal(got, want, 1e-6*(1+largest-float64(v))*want+1e-37, 0) {
						t.Fatalf("%d columns: %g, want %g", cols, got, want)
					}
					if alone[j] != y[r*cols+j] {
						t.Fatalf("%d columns: the row alone, in place, gives %g, not %g", cols, alone[j], y[r*cols+j])
					}
				}
			}
		}
		x := []float32{1, 2, nan, 4, 5, 6}
		k.Softmax(x, x, 3)
		if x[0] == x[0] || x[1] == x[1] || x[5] != x[5] {
			t.Errorf("%s: a row with NaN and one without give %v", v, x)
		}
	}
}

func TestUniform(t *testing.T) {
	for _, v := range kernel.Available() {
		for _, n := range lengths() {
			for _, offset := range []uint64{0, 1, 1000, 1<<32 - 100, math.MaxUint64 - 20} {
				dst, intact := guarded(n, 1)
				For(v).Uniform(dst, 77, offset)
				if !intact() {
					t.Fatalf("%s, length %d: wrote outside of dst", v, n)
				}
				for i, got := range dst {
					if want := random.Uniform(77, offset+uint64(i)); got != want {
						t.Fatalf("%s, length %d: element %d+%d is %g, want %g", v, n, offset, i, got, want)
					}
				}
			}
		}
	}
}

func TestKernelsDoNotAllocate(t *testing.T) {
	a, b, c, d := make([]float32, 300), make([]float32, 300), make([]float32, 300), make([]float32, 300)
	for _, v := range kernel.Available() {
		k := For(v)
		if n := allocs.PerRun(10, func() {
			for _, e := range []func(){
				func() { k.Add(d, a, b) }, func() { k.MulScalar(d, a, 2) }, func() { k.MulAdd(d, a, b, c) },
				func() { k.Exp(d, a) }, func() { k.Pow(d, a, b) }, func() { k.Uniform(d, 1, 1<<32-7) }, func() { k.Sum(a) },
				func() { k.Dot(a, b) }, func() { k.AddRows(d[:30], a) }, func() { k.Softmax(d, a, 30) },
				func() { k.SoftmaxGrad(d, a, b, 30, 2) },
			} {
				e()
			}
		}); n != 0 {
			t.Errorf("%s: %g allocations", v, n)
		}
	}
}
