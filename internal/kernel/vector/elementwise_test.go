package vector

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/random"
)

// rounded is the error of a correctly rounded result, plus an allowance for the reference's own rounding.
const rounded = 0.5 + 1e-6

// operands of an elementwise kernel: up to three vectors and two scalars.
type operands struct {
	a, b, c []float32
	s, t    float32
}

// elementwise is one kernel, its formula in float64, and the allowed error in units in the last place.
type elementwise struct {
	name string
	call func(k *Set, dst []float32, o operands)
	want func(dst, a, b, c, s, t float64) float64
	ulp  float64
}

func binaryCase(name string, kernel func(*Set) Binary, want func(a, b float64) float64) elementwise {
	return elementwise{name, func(k *Set, dst []float32, o operands) { kernel(k)(dst, o.a, o.b) },
		func(_, a, b, _, _, _ float64) float64 { return want(a, b) }, rounded}
}

func scalarCase(name string, kernel func(*Set) Scalar, want func(a, s float64) float64) elementwise {
	return elementwise{name, func(k *Set, dst []float32, o operands) { kernel(k)(dst, o.a, o.s) },
		func(_, a, _, _, s, _ float64) float64 { return want(a, s) }, rounded}
}

func unaryCase(name string, kernel func(*Set) Unary, ulp float64, want func(a float64) float64) elementwise {
	return elementwise{name, func(k *Set, dst []float32, o operands) { kernel(k)(dst, o.a) },
		func(_, a, _, _, _, _ float64) float64 { return want(a) }, ulp}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func flip(f func(a, b float64) float64) func(a, b float64) float64 {
	return func(a, b float64) float64 { return f(b, a) }
}

func elementwiseKernels() []elementwise {
	add := func(a, b float64) float64 { return a + b }
	sub := func(a, b float64) float64 { return a - b }
	mul := func(a, b float64) float64 { return a * b }
	div := func(a, b float64) float64 { return a / b }
	largest := func(a, b float64) float64 {
		if a != a || b != b {
			return math.NaN()
		}
		return max(a, b)
	}
	smallest := func(a, b float64) float64 { return -largest(-a, -b) }
	greater := func(a, b float64) float64 { return one(a > b) }
	greaterEqual := func(a, b float64) float64 { return one(a >= b) }
	equal := func(a, b float64) float64 { return one(a == b) }
	return []elementwise{
		binaryCase("Add", func(k *Set) Binary { return k.Add }, add),
		binaryCase("Sub", func(k *Set) Binary { return k.Sub }, sub),
		binaryCase("Mul", func(k *Set) Binary { return k.Mul }, mul),
		binaryCase("Div", func(k *Set) Binary { return k.Div }, div),
		binaryCase("Max", func(k *Set) Binary { return k.Max }, largest),
		binaryCase("Min", func(k *Set) Binary { return k.Min }, smallest),
		binaryCase("Greater", func(k *Set) Binary { return k.Greater }, greater),
		binaryCase("GreaterEqual", func(k *Set) Binary { return k.GreaterEqual }, greaterEqual),
		binaryCase("Equal", func(k *Set) Binary { return k.Equal }, equal),
		binaryCase("Pow", func(k *Set) Binary { return k.Pow }, math.Pow),
		scalarCase("AddScalar", func(k *Set) Scalar { return k.AddScalar }, add),
		scalarCase("SubScalar", func(k *Set) Scalar { return k.SubScalar }, sub),
		scalarCase("MulScalar", func(k *Set) Scalar { return k.MulScalar }, mul),
		scalarCase("DivScalar", func(k *Set) Scalar { return k.DivScalar }, div),
		scalarCase("MaxScalar", func(k *Set) Scalar { return k.MaxScalar }, largest),
		scalarCase("MinScalar", func(k *Set) Scalar { return k.MinScalar }, smallest),
		scalarCase("GreaterScalar", func(k *Set) Scalar { return k.GreaterScalar }, greater),
		scalarCase("GreaterEqualScalar", func(k *Set) Scalar { return k.GreaterEqualScalar }, greaterEqual),
		scalarCase("EqualScalar", func(k *Set) Scalar { return k.EqualScalar }, equal),
		scalarCase("PowScalar", func(k *Set) Scalar { return k.PowScalar }, math.Pow),
		scalarCase("ScalarSub", func(k *Set) Scalar { return k.ScalarSub }, flip(sub)),
		scalarCase("ScalarDiv", func(k *Set) Scalar { return k.ScalarDiv }, flip(div)),
		scalarCase("ScalarGreater", func(k *Set) Scalar { return k.ScalarGreater }, flip(greater)),
		scalarCase("ScalarGreaterEqual", func(k *Set) Scalar { return k.ScalarGreaterEqual }, flip(greaterEqual)),
		scalarCase("ScalarPow", func(k *Set) Scalar { return k.ScalarPow }, flip(math.Pow)),
		{"MulAdd", func(k *Set, dst []float32, o operands) { k.MulAdd(dst, o.a, o.b, o.c) },
			func(_, a, b, c, _, _ float64) float64 { return a*b + c }, rounded},
		{"Select", func(k *Set, dst []float32, o operands) { k.Select(dst, o.a, o.b, o.c) },
			func(_, a, b, c, _, _ float64) float64 {
				if a != 0 {
					return b
				}
				return c
			}, 0},
		{"Axpy", func(k *Set, dst []float32, o operands) { k.Axpy(dst, o.a, o.s) },
			func(dst, a, _, _, s, _ float64) float64 { return s*a + dst }, rounded},
		{"Axpby", func(k *Set, dst []float32, o operands) { k.Axpby(dst, o.a, o.s, o.t) },
			func(dst, a, _, _, s, t float64) float64 { return s*a + float64(float32(t*dst)) }, rounded},
		{"Affine", func(k *Set, dst []float32, o operands) { k.Affine(dst, o.a, o.s, o.t) },
			func(_, a, _, _, s, t float64) float64 { return s*a + t }, rounded},
		unaryCase("Neg", func(k *Set) Unary { return k.Neg }, 0, func(a float64) float64 { return -a }),
		unaryCase("Abs", func(k *Set) Unary { return k.Abs }, 0, math.Abs),
		unaryCase("Sign", func(k *Set) Unary { return k.Sign }, 0, func(a float64) float64 {
			if a == 0 || a != a {
				return a
			}
			return math.Copysign(1, a)
		}),
		unaryCase("Sqrt", func(k *Set) Unary { return k.Sqrt }, rounded, math.Sqrt),
		unaryCase("Square", func(k *Set) Unary { return k.Square }, rounded, func(a float64) float64 { return a * a }),
		unaryCase("Reciprocal", func(k *Set) Unary { return k.Reciprocal }, rounded,
			func(a float64) float64 { return 1 / a }),
		unaryCase("Floor", func(k *Set) Unary { return k.Floor }, 0, math.Floor),
		unaryCase("Flush", func(k *Set) Unary { return k.Flush }, 0, func(a float64) float64 {
			if math.Abs(a) < 0x1p-126 {
				return 0
			}
			return a
		}),
		unaryCase("Copy", func(k *Set) Unary { return k.Copy }, 0, func(a float64) float64 { return a }),
		{"Fill", func(k *Set, dst []float32, o operands) { k.Fill(dst, o.s) },
			func(_, _, _, _, s, _ float64) float64 { return s }, 0},
		unaryCase("Exp", func(k *Set) Unary { return k.Exp }, ulpExp, math.Exp),
		unaryCase("Expm1", func(k *Set) Unary { return k.Expm1 }, ulpExpm1, math.Expm1),
		unaryCase("Log", func(k *Set) Unary { return k.Log }, ulpLog, math.Log),
		unaryCase("Log1p", func(k *Set) Unary { return k.Log1p }, ulpLog1p, math.Log1p),
		unaryCase("Tanh", func(k *Set) Unary { return k.Tanh }, ulpTanh, math.Tanh),
		unaryCase("Sigmoid", func(k *Set) Unary { return k.Sigmoid }, ulpSigmoid, func(a float64) float64 {
			return 1 / (1 + math.Exp(-a))
		}),
		unaryCase("Softplus", func(k *Set) Unary { return k.Softplus }, ulpSoftplus, func(a float64) float64 {
			return max(a, 0) + math.Log1p(math.Exp(-math.Abs(a)))
		}),
	}
}

var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, -2, 3, 10, -10,
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
	math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
	0x1p-126, -0x1p-126, 0x1.fffffcp-127, 0x1p-24, -0x1p-24, 0x1.fffffep-1, 0x1.000002p0, 88, 89, -87, -88, -103, -104,
	-110,
}

// draw returns special values among numbers of all sizes.
func draw(s *random.Source, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		if s.Intn(4) == 0 {
			v[i] = specials[s.Intn(len(specials))]
		} else {
			v[i] = float32(s.Normal() * math.Pow(10, float64(s.Intn(9)-4)))
		}
	}
	return v
}

// ulps returns the distance of got from want in units of float32's last place at want. Results that are both NaN, or
// the same infinity, have distance 0; denormals are measured in units of the smallest.
func ulps(got float32, want float64) float64 {
	g := float64(got)
	if g == want || math.IsNaN(g) && math.IsNaN(want) {
		return 0
	}
	if float64(float32(want)) == g { // both overflow, or underflow, to the same
		return 0.5
	}
	_, e := math.Frexp(want)
	return math.Abs(g-want) / math.Ldexp(1, max(e-24, -149))
}

// distance is ulps, except that Sigmoid may return 0 instead of a denormal.
func (e elementwise) distance(got float32, want float64) float64 {
	if e.name == "Sigmoid" && got == 0 && want < 0x1p-126 {
		return 0
	}
	return ulps(got, want)
}

func sameBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

const guard = 12345.5

// guarded returns a slice of n elements, off elements after a 64-byte boundary's neighbourhood, with guards on both
// sides; intact reports whether they are unchanged.
func guarded(n, off int) (v []float32, intact func() bool) {
	const zone = 32
	all := make([]float32, n+2*zone+off)
	for i := range all {
		all[i] = guard
	}
	v = all[zone+off : zone+off+n : zone+off+n]
	return v, func() bool {
		for i, x := range all {
			if (i < zone+off || i >= zone+off+n) && x != guard {
				return false
			}
		}
		return true
	}
}

func lengths() []int {
	var l []int
	for n := range 68 {
		l = append(l, n)
	}
	return append(l, 127, 128, 129, 255, 256, 257, 1000, 2048)
}

func TestElementwiseKernels(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		for _, e := range elementwiseKernels() {
			t.Run(fmt.Sprint(e.name, "/", v), func(t *testing.T) {
				s := random.NewSource(uint64(len(e.name)))
				for _, n := range lengths() {
					scalars := draw(s, 2)
					o := operands{draw(s, n+3)[3:], draw(s, n+2)[2:], draw(s, n+1)[1:], scalars[0], scalars[1]}
					before := draw(s, n)
					dst, intact := guarded(n, s.Intn(17))
					copy(dst, before)
					e.call(k, dst, o)
					if !intact() {
						t.Fatalf("length %d: wrote outside of dst", n)
					}
					for i, got := range dst {
						want := e.want(float64(before[i]), float64(o.a[i]), float64(o.b[i]), float64(o.c[i]), float64(o.s), float64(o.t))
						if d := e.distance(got, want); !(d <= e.ulp) {
							t.Fatalf("length %d, a %g, b %g, c %g, dst %g, s %g, t %g: %g is %.2f ulp from %g",
								n, o.a[i], o.b[i], o.c[i], before[i], o.s, o.t, got, d, want)
						}
						alone := []float32{before[i]}
						e.call(k, alone, operands{o.a[i : i+1], o.b[i : i+1], o.c[i : i+1], o.s, o.t})
						if !sameBits(alone[0], got) {
							t.Fatalf("length %d: element %d is %g (%#x), alone it is %g (%#x)",
								n, i, got, math.Float32bits(got), alone[0], math.Float32bits(alone[0]))
						}
					}
				}
			})
		}
	}
}

func TestDestinationMayBeAnOperand(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		for _, e := range elementwiseKernels() {
			if e.name == "Axpy" || e.name == "Axpby" { // dst is an operand already
				continue
			}
			s := random.NewSource(3)
			o := operands{draw(s, 150), draw(s, 150), draw(s, 150), 0.75, -2}
			want := make([]float32, 150)
			e.call(k, want, o)
			for which := range 3 {
				p := o
				aliased := []*[]float32{&p.a, &p.b, &p.c}[which]
				*aliased = append([]float32(nil), *aliased...)
				e.call(k, *aliased, p)
				for i, got := range *aliased {
					if !sameBits(got, want[i]) {
						t.Fatalf("%s, %s: operand %d as destination: element %d is %g, want %g", e.name, v, which, i, got, want[i])
					}
				}
			}
		}
	}
}

// inexact lists the kernels whose results may differ between variants.
var inexact = []string{"Exp", "Expm1", "Log", "Log1p", "Tanh", "Sigmoid", "Softplus", "MulAdd",
	"Axpy", "Axpby", "Affine"}

func TestExactKernelsAgreeAcrossVariants(t *testing.T) {
	s := random.NewSource(4)
	o := operands{draw(s, 4000), draw(s, 4000), draw(s, 4000), 0, -2}
	for _, e := range elementwiseKernels() {
		if slices.Contains(inexact, e.name) {
			continue
		}
		want, got := make([]float32, 4000), make([]float32, 4000)
		e.call(For(kernel.Portable), want, o)
		for _, v := range kernel.Available() {
			e.call(For(v), got, o)
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("%s, %s: a %g, b %g, c %g: %g, want %g", e.name, v, o.a[i], o.b[i], o.c[i], got[i], want[i])
				}
			}
		}
	}
}

func TestDifferentLengthsPanic(t *testing.T) {
	for _, v := range kernel.Available() {
		for _, e := range elementwiseKernels() {
			if e.name == "Fill" {
				continue
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, %s: no panic", e.name, v)
					}
				}()
				e.call(For(v), make([]float32, 5), operands{a: make([]float32, 4), b: make([]float32, 4), c: make([]float32, 4)})
			}()
		}
	}
}
