// Package vector has the elementwise kernels, the reductions and the random numbers of the CPU executor.
//
// Elementwise kernels process slices of equal length. dst may be the same slice as an operand, but must not overlap
// one otherwise. An element's result only depends on its operands, not on its position, on the length or on alignment,
// so a computation may be split into chunks at will. Kernels keep nothing and allocate nothing. Any number of
// goroutines may call them. Different lengths panic.
//
// The results of Add, Sub, Mul, Div, Max, Min, the comparisons, AddScaled, AddMax, Norm, NormMax, NormAddMax,
// MulGreater, TanhGrad, SigmoidGrad, Momentum, Adam, Select, Neg, Abs, Sign, Sqrt, Square, Reciprocal, Floor, Flush,
// Sum, SumAbs, ReduceMax, SoftmaxGrad and Uniform have the same bits in every variant. Others may differ in the last
// places. The variants with assembly, on all processors, have the same bits in all but Softmax.
package vector

import "github.com/dl4go/dl4go/internal/kernel"

type (
	// Unary is a kernel dst[i] = f(a[i]).
	Unary func(dst, a []float32)
	// Binary is a kernel dst[i] = f(a[i], b[i]).
	Binary func(dst, a, b []float32)
	// Scalar is a kernel dst[i] = f(a[i], s).
	Scalar func(dst, a []float32, s float32)
	// Reduction combines the elements of a slice, in an order that depends on its length only.
	Reduction func(a []float32) float32
)

// Set holds the kernels of one variant.
type Set struct {
	Variant kernel.Variant

	// Two vectors. Max and Min return NaN if an operand is NaN, and the second operand if both are equal (also for 0
	// and -0). Greater, GreaterEqual and Equal return 1 or 0; with NaN, 0. Pow has math.Pow's special cases.
	Add, Sub, Mul, Div, Max, Min, Greater, GreaterEqual, Equal, Pow Binary

	// A vector and a scalar: a[i] ∘ s. MaxScalar with 0 is the rectifier: NaN stays NaN, -0 becomes 0.
	AddScalar, SubScalar, MulScalar, DivScalar, MaxScalar, MinScalar Scalar
	GreaterScalar, GreaterEqualScalar, EqualScalar, PowScalar        Scalar

	// A scalar and a vector: s ∘ a[i].
	ScalarSub, ScalarDiv, ScalarGreater, ScalarGreaterEqual, ScalarPow Scalar

	// MulAdd is dst = a·b + c with one rounding.
	MulAdd func(dst, a, b, c []float32)
	// Select is a where cond is not 0 (NaN is not 0), b elsewhere.
	Select func(dst, cond, a, b []float32)
	// Axpy is dst += s·a with one rounding.
	Axpy Scalar
	// Axpby is dst = s·a + t·dst; t·dst is rounded, then the sum.
	Axpby func(dst, a []float32, s, t float32)
	// Affine is dst = s·a + t with one rounding.
	Affine func(dst, a []float32, s, t float32)

	// The following have the bits of several of the others, one after the other: Add, SubScalar, MulScalar, AddScalar,
	// MaxScalar, GreaterScalar, Affine, Axpby, Sub, ScalarSub, Mul, Square, Sqrt, Div and Flush.

	// AddScaled is a + s·b.
	AddScaled func(dst, a, b []float32, s float32)
	// AddMax is max(a + b, s).
	AddMax func(dst, a, b []float32, s float32)
	// Norm is (a - s)·t + u, a normalisation.
	Norm func(dst, a []float32, s, t, u float32)
	// NormMax is max(Norm, v), and NormAddMax max(Norm + b, v).
	NormMax    func(dst, a []float32, s, t, u, v float32)
	NormAddMax func(dst, a, b []float32, s, t, u, v float32)
	// SubAffine is t·(a - s) + u with one rounding of the sum, a normalisation in training.
	SubAffine func(dst, a []float32, s, t, u float32)
	// NormGrad is t·b + u·(a - s) + v, the gradient of a normalisation: of the sums, the first has one rounding.
	NormGrad func(dst, a, b []float32, s, t, u, v float32)
	// MulGreater is a·(b > s), the gradient of a rectifier.
	MulGreater func(dst, a, b []float32, s float32)
	// TanhGrad is a·(1 - b²), and SigmoidGrad a·(b·(1 - b)).
	TanhGrad, SigmoidGrad Binary
	// Momentum is an update with Nesterov's momentum, times t: p2 = p + t·(m·v - s·w) and v2 = Flush(w), where w is
	// m·v - r·d. p2 may be p, and v2 may be v.
	Momentum func(p2, v2, p, v, d []float32, m, r, s, t float32)
	// Adam is an update by Adam, times t: p2 = p + t·(r·x/(√y + s)), m2 = Flush(x) and v2 = Flush(y), where x is b·m + c·g
	// and y is d·v + e·g². p2 may be p, m2 may be m, and v2 may be v.
	Adam func(p2, m2, v2, p, m, v, g []float32, b, c, d, e, r, s, t float32)

	// Sign is -1, 0 or 1; NaN for NaN, and 0 for -0.
	Neg, Abs, Sign, Sqrt, Square, Reciprocal, Floor Unary
	// Flush is a where |a| ≥ 2⁻¹²⁶ or a is NaN, and 0 elsewhere: it removes denormals, on which processors are slow.
	Flush Unary

	// The following errors, in units in the last place (ulp), were measured at a million points over all of float32.
	// NaN stays NaN.

	// Exp overflows to +Inf above 88.72 and returns denormals below -87.33. At most 1.1 ulp.
	Exp Unary
	// Expm1 is e^a - 1, also accurate in relative terms near 0. At most 1.5 ulp.
	Expm1 Unary
	// Log is the natural logarithm: -Inf for ±0, NaN below 0. At most 0.9 ulp.
	Log Unary
	// Log1p is log(1 + a), also accurate in relative terms near 0: -Inf for -1, NaN below -1. At most 1.4 ulp.
	Log1p Unary
	// Tanh is the hyperbolic tangent. At most 2.5 ulp.
	Tanh Unary
	// Sigmoid is 1/(1 + e^-a); it is 0 below -88.72. At most 2.3 ulp.
	Sigmoid Unary
	// Softplus is log(1 + e^a) = max(a, 0) + log1p(e^-|a|). At most 1.7 ulp.
	Softplus Unary

	// Copy is dst = a.
	Copy Unary
	// Fill sets every element to s.
	Fill func(dst []float32, s float32)

	// Sum, SumAbs (Σ|a|) and SumSquares (Σa²) are 0 for no elements; ReduceMax, the largest element, is -Inf. If an
	// element is NaN, so is the result. Element i is added to partial sum i mod 64; the partial sums are added
	// pairwise at the end.
	Sum, SumAbs, SumSquares, ReduceMax Reduction
	// Dot is Σ a·b, in the order of Sum.
	Dot func(a, b []float32) float32
	// SumSquaredDifferences is Σ (a-s)², in the order of Sum: a variance, with the mean s.
	SumSquaredDifferences func(a []float32, s float32) float32
	// DotDifference is Σ a·(b-s), in the order of Sum: the gradient of a normalisation's scale, with the mean s.
	DotDifference func(a, b []float32, s float32) float32

	// AddRows adds the rows of a [rows, len(dst)] to dst, one after the other: dst[j] += Σ a[i, j], a bias's gradient.
	AddRows func(dst, a []float32)

	// Softmax sets each row of cols elements of dst to e^(x-max) / Σ e^(x-max) of that row of x, with the row's own
	// max and sum: x [rows, cols] → dst [rows, cols], which may be x. A row's result does not depend on the other
	// rows. A row with NaN or +Inf becomes NaN.
	Softmax func(dst, x []float32, cols int)

	// SoftmaxGrad sets each row of cols elements of dst to (d - Σ p·d)·p·s of those rows of p and d, the gradient of s·x
	// for p = Softmax(s·x). It has the bits of Mul, Sum, SubScalar, Mul and MulScalar. dst may be d.
	SoftmaxGrad func(dst, p, d []float32, cols int, s float32)

	// Taps is dst[i] = s + Σ w[t]·x[at[t]+i], with the bits of Axpy for one t after the other. dst and x don't overlap.
	Taps func(dst, x []float32, at []int32, w []float32, s float32)
	// Unzip is even[i] = a[2i] and odd[i] = a[2i+1]; both have half the length of a. Zip is the inverse.
	Unzip func(even, odd, a []float32)
	Zip   func(dst, even, odd []float32)

	// Uniform sets dst[i] to random.Uniform(seed, offset+i).
	Uniform func(dst []float32, seed, offset uint64)
}

// For returns the kernels of a variant that kernel.Available lists. The set is shared: it must not be written to.
func For(v kernel.Variant) *Set { return sets[v] }

func mustMatch(n int, others ...int) {
	for _, m := range others {
		if m != n {
			panic("vector: slices of different lengths")
		}
	}
}
