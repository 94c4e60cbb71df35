package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// TestChains: kernels that do what several others do have the same bits, at odd lengths and with NaN, infinities and
// zeros of both signs.
func TestChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0,
		float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32}
	number := func() float32 {
		if rng.IntN(5) == 0 {
			return special[rng.IntN(len(special))]
		}
		return rng.Float32()*8 - 4
	}
	for _, v := range kernel.Available() {
		k := For(v)
		for n := range 140 {
			a, b, got, want := make([]float32, n+1)[1:], make([]float32, n+2)[2:], make([]float32, n+3)[3:], make([]float32, n)
			for i := range n {
				a[i], b[i] = number(), number()
			}
			x := [4]float32{number(), number(), number(), number()}
			same := func(what string) {
				t.Helper()
				for i := range got {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
						t.Fatalf("%v: %s of %v and %v with %v is %v, want %v", v, what, a[i], b[i], x, got[i], want[i])
					}
				}
			}
			k.MulScalar(want, b, x[0])
			k.Add(want, a, want)
			k.AddScaled(got, a, b, x[0])
			same("AddScaled")
			copy(got, b)
			k.AddScaled(got, a, got, x[0])
			same("AddScaled in place")
			k.MulScalar(want, b, x[0])
			k.Sub(want, a, want)
			k.AddScaled(got, a, b, -x[0])
			same("AddScaled with the sign changed")
			k.Add(want, a, b)
			k.MaxScalar(want, want, x[0])
			k.AddMax(got, a, b, x[0])
			same("AddMax")
			k.SubScalar(want, a, x[0])
			k.MulScalar(want, want, x[1])
			k.AddScalar(want, want, x[2])
			k.Norm(got, a, x[0], x[1], x[2])
			same("Norm")
			sum := append([]float32(nil), want...)
			k.MaxScalar(want, want, x[3])
			k.NormMax(got, a, x[0], x[1], x[2], x[3])
			same("NormMax")
			k.Add(want, sum, b)
			k.MaxScalar(want, want, x[3])
			copy(got, a)
			k.NormAddMax(got, got, b, x[0], x[1], x[2], x[3])
			same(fmt.Sprintf("NormAddMax in place of %d elements", n))
			k.GreaterScalar(want, b, x[0])
			k.Mul(want, a, want)
			k.MulGreater(got, a, b, x[0])
			same("MulGreater")
			copy(got, a)
			k.MulGreater(got, got, b, x[0])
			same("MulGreater in place")
			k.Square(want, b)
			k.ScalarSub(want, want, 1)
			k.Mul(want, a, want)
			k.TanhGrad(got, a, b)
			same("TanhGrad")
			copy(got, a)
			k.TanhGrad(got, got, b)
			same("TanhGrad in place")
			k.ScalarSub(want, b, 1)
			k.Mul(want, b, want)
			k.Mul(want, a, want)
			k.SigmoidGrad(got, a, b)
			same("SigmoidGrad")
			copy(got, b)
			k.SigmoidGrad(got, a, got)
			same("SigmoidGrad in place")
			k.SubScalar(want, a, x[0])
			k.Affine(want, want, x[1], x[2])
			k.SubAffine(got, a, x[0], x[1], x[2])
			same("SubAffine")
			k.SubScalar(want, a, x[0])
			k.Axpby(want, b, x[1], x[2])
			k.AddScalar(want, want, x[3])
			k.NormGrad(got, a, b, x[0], x[1], x[2], x[3])
			same("NormGrad")
			testMomentum(t, k, a, b, x)
			testAdam(t, k, a, b, x)
			copy(got, b)
			k.NormGrad(got, a, got, x[0], x[1], x[2], x[3])
			same(fmt.Sprintf("NormGrad in place of %d elements", n))
		}
	}
}

// testMomentum compares Momentum with the kernels whose bits it has, in place and not.
func testMomentum(t *testing.T, k *Set, a, b []float32, x [4]float32) {
	t.Helper()
	n := len(a)
	p, v, mv, w := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range v {
		p[i], v[i] = a[n-1-i], b[n-1-i]*1e-38
	}
	k.MulScalar(mv, v, x[0])
	k.MulScalar(w, b, x[1])
	k.Sub(w, mv, w)
	wantV, wantP := make([]float32, n), make([]float32, n)
	subtracted, minus := make([]float32, n), make([]float32, n)
	k.Flush(wantV, w)
	k.MulScalar(w, w, x[2])
	k.Sub(mv, mv, w)
	k.MulScalar(w, mv, x[3])
	k.Add(wantP, p, w)
	gotP, intactP := guarded(n, n%17)
	gotV, intactV := guarded(n, (n+3)%17)
	k.Momentum(gotP, gotV, p, v, b, x[0], x[1], x[2], x[3])
	k.Sub(subtracted, p, mv)
	k.Momentum(minus, gotV, p, v, b, x[0], x[1], x[2], -1)
	k.Momentum(p, v, p, v, b, x[0], x[1], x[2], x[3])
	if !intactP() || !intactV() {
		t.Fatalf("%v: Momentum wrote outside of the results of length %d", k.Variant, n)
	}
	for i := range n {
		if !sameBits(gotP[i], wantP[i]) || !sameBits(gotV[i], wantV[i]) || !sameBits(p[i], gotP[i]) ||
			!sameBits(v[i], gotV[i]) || !sameBits(minus[i], subtracted[i]) {
			t.Fatalf("%v, Momentum of %d elements: element %d is %v and %v, in place %v and %v, want %v and %v",
				k.Variant, n, i, gotP[i], gotV[i], p[i], v[i], wantP[i], wantV[i])
		}
	}
}

// testAdam compares Adam with the kernels whose bits it has, in place and not.
func testAdam(t *testing.T, k *Set, a, b []float32, x [4]float32) {
	t.Helper()
	n := len(a)
	p, m, v := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range v {
		p[i], m[i], v[i] = a[n-1-i], b[n-1-i]*1e-38, a[i]*1e-38
	}
	wantP, wantM, wantV := make([]float32, n), make([]float32, n), make([]float32, n)
	mean, square, part := make([]float32, n), make([]float32, n), make([]float32, n)
	k.MulScalar(mean, m, x[0])
	k.MulScalar(part, b, x[1])
	k.Add(mean, mean, part)
	k.Square(part, b)
	k.MulScalar(part, part, x[2])
	k.MulScalar(square, v, x[3])
	k.Add(square, square, part)
	k.Flush(wantM, mean)
	k.Flush(wantV, square)
	k.Sqrt(square, square)
	k.AddScalar(square, square, 1e-8)
	k.MulScalar(mean, mean, x[1])
	k.Div(mean, mean, square)
	k.MulScalar(part, mean, x[3])
	k.Add(wantP, p, part)
	subtracted, minus := make([]float32, n), make([]float32, n)
	k.Sub(subtracted, p, mean)
	gotP, intactP := guarded(n, n%17)
	gotM, intactM := guarded(n, (n+3)%17)
	gotV, intactV := guarded(n, (n+5)%17)
	k.Adam(gotP, gotM, gotV, p, m, v, b, x[0], x[1], x[3], x[2], x[1], 1e-8, x[3])
	k.Adam(minus, gotM, gotV, p, m, v, b, x[0], x[1], x[3], x[2], x[1], 1e-8, -1)
	k.Adam(p, m, v, p, m, v, b, x[0], x[1], x[3], x[2], x[1], 1e-8, x[3])
	if !intactP() || !intactM() || !intactV() {
		t.Fatalf("%v: Adam wrote outside of the results of length %d", k.Variant, n)
	}
	for i, c := range [][3][]float32{{gotP, p, wantP}, {gotM, m, wantM}, {gotV, v, wantV},
		{minus, minus, subtracted}} {
		for j := range n {
			if !sameBits(c[0][j], c[2][j]) || !sameBits(c[1][j], c[2][j]) {
				t.Fatalf("%v, Adam of %d elements: element %d of result %d is %v, in place %v, want %v",
					k.Variant, n, j, i, c[0][j], c[1][j], c[2][j])
			}
		}
	}
}
