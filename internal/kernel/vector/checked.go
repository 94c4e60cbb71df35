//go:build (amd64 || arm64) && !noasm

package vector

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/random"
)

// These functions give the assembly kernels the signatures of Set, and check lengths. The kernels check nothing.

func at(v []float32) *float32 { return unsafe.SliceData(v) }

func unary(f func(dst, a *float32, n int)) Unary {
	return func(dst, a []float32) {
		if len(a) != len(dst) {
			mustMatch(len(dst), len(a))
		}
		f(at(dst), at(a), len(dst))
	}
}

func binary(f func(dst, a, b *float32, n int)) Binary {
	return func(dst, a, b []float32) {
		if len(a) != len(dst) || len(b) != len(dst) {
			mustMatch(len(dst), len(a), len(b))
		}
		f(at(dst), at(a), at(b), len(dst))
	}
}

func ternary(f func(dst, a, b, c *float32, n int)) func(dst, a, b, c []float32) {
	return func(dst, a, b, c []float32) {
		mustMatch(len(dst), len(a), len(b), len(c))
		f(at(dst), at(a), at(b), at(c), len(dst))
	}
}

func scalar(f func(dst, a *float32, s float32, n int)) Scalar {
	return func(dst, a []float32, s float32) {
		if len(a) != len(dst) {
			mustMatch(len(dst), len(a))
		}
		f(at(dst), at(a), s, len(dst))
	}
}

func twoScalars(f func(dst, a *float32, s, t float32, n int)) func(dst, a []float32, s, t float32) {
	return func(dst, a []float32, s, t float32) {
		mustMatch(len(dst), len(a))
		f(at(dst), at(a), s, t, len(dst))
	}
}

func binaryScalar(f func(dst, a, b *float32, s float32, n int)) func(dst, a, b []float32, s float32) {
	return func(dst, a, b []float32, s float32) {
		mustMatch(len(dst), len(a), len(b))
		f(at(dst), at(a), at(b), s, len(dst))
	}
}

func threeScalars(f func(dst, a *float32, s, t, u float32, n int)) func(dst, a []float32, s, t, u float32) {
	return func(dst, a []float32, s, t, u float32) {
		mustMatch(len(dst), len(a))
		f(at(dst), at(a), s, t, u, len(dst))
	}
}

func fourScalars(f func(dst, a *float32, s, t, u, v float32, n int)) func(dst, a []float32, s, t, u, v float32) {
	return func(dst, a []float32, s, t, u, v float32) {
		mustMatch(len(dst), len(a))
		f(at(dst), at(a), s, t, u, v, len(dst))
	}
}

func binaryFourScalars(f func(dst, a, b *float32, s, t, u, v float32, n int),
) func(dst, a, b []float32, s, t, u, v float32) {
	return func(dst, a, b []float32, s, t, u, v float32) {
		mustMatch(len(dst), len(a), len(b))
		f(at(dst), at(a), at(b), s, t, u, v, len(dst))
	}
}

func momentum(f func(p2, v2, p, v, d *float32, m, r, s, t float32, n int),
) func(p2, v2, p, v, d []float32, m, r, s, t float32) {
	return func(p2, v2, p, v, d []float32, m, r, s, t float32) {
		mustMatch(len(p2), len(v2), len(p), len(v), len(d))
		f(at(p2), at(v2), at(p), at(v), at(d), m, r, s, t, len(p2))
	}
}

func adam(f func(p2, m2, v2, p, m, v, g *float32, b, c, d, e, r, s, t float32, n int),
) func(p2, m2, v2, p, m, v, g []float32, b, c, d, e, r, s, t float32) {
	return func(p2, m2, v2, p, m, v, g []float32, b, c, d, e, r, s, t float32) {
		mustMatch(len(p2), len(m2), len(v2), len(p), len(m), len(v), len(g))
		f(at(p2), at(m2), at(v2), at(p), at(m), at(v), at(g), b, c, d, e, r, s, t, len(p2))
	}
}

func fill(f func(dst *float32, s float32, n int)) func(dst []float32, s float32) {
	return func(dst []float32, s float32) { f(at(dst), s, len(dst)) }
}

func reduction(f func(a *float32, n int) float32) Reduction {
	return func(a []float32) float32 { return f(at(a), len(a)) }
}

func reductionScalar(f func(a *float32, s float32, n int) float32) func(a []float32, s float32) float32 {
	return func(a []float32, s float32) float32 { return f(at(a), s, len(a)) }
}

func dot(f func(a, b *float32, n int) float32) func(a, b []float32) float32 {
	return func(a, b []float32) float32 {
		mustMatch(len(a), len(b))
		return f(at(a), at(b), len(a))
	}
}

func dotScalar(f func(a, b *float32, s float32, n int) float32) func(a, b []float32, s float32) float32 {
	return func(a, b []float32, s float32) float32 {
		mustMatch(len(a), len(b))
		return f(at(a), at(b), s, len(a))
	}
}

func addRows(f func(dst, a *float32, n, rows int)) func(dst, a []float32) {
	return func(dst, a []float32) {
		mustMatchRows(len(dst), len(a))
		if len(a) > 0 {
			f(at(dst), at(a), len(dst), len(a)/len(dst))
		}
	}
}

func softmax(f func(dst, x *float32, rows, n int)) func(dst, x []float32, cols int) {
	return func(dst, x []float32, cols int) {
		mustMatch(len(dst), len(x))
		mustMatchRows(cols, len(x))
		if len(x) > 0 {
			f(at(dst), at(x), len(x)/cols, cols)
		}
	}
}

func softmaxGrad(f func(dst, p, d *float32, s float32, rows, n int),
) func(dst, p, d []float32, cols int, s float32) {
	return func(dst, p, d []float32, cols int, s float32) {
		mustMatch(len(dst), len(p), len(d))
		mustMatchRows(cols, len(d))
		if len(d) > 0 {
			f(at(dst), at(p), at(d), s, len(d)/cols, cols)
		}
	}
}

func taps(f func(dst, x *float32, at *int32, w *float32, s float32, count, n int),
) func(dst, x []float32, taps []int32, w []float32, s float32) {
	return func(dst, x []float32, taps []int32, w []float32, s float32) {
		mustReach(len(dst), len(x), taps, len(w))
		f(at(dst), at(x), unsafe.SliceData(taps), at(w), s, len(taps), len(dst))
	}
}

func unzip(f func(even, odd, a *float32, n int)) func(even, odd, a []float32) {
	return func(even, odd, a []float32) {
		mustMatch(len(even), len(odd), len(a)-len(even))
		f(at(even), at(odd), at(a), len(even))
	}
}

func zip(f func(dst, even, odd *float32, n int)) func(dst, even, odd []float32) {
	return func(dst, even, odd []float32) {
		mustMatch(len(even), len(odd), len(dst)-len(even))
		f(at(dst), at(even), at(odd), len(even))
	}
}

func uniform(f func(dst *float32, k0, k1, first uint32, n int)) func(dst []float32, seed, offset uint64) {
	return func(dst []float32, seed, offset uint64) {
		for len(dst) > 0 {
			k0, k1 := random.Words(seed, offset>>32)
			n := min(uint64(len(dst)), 1<<32-offset&(1<<32-1)) // up to the end of the block
			f(at(dst), k0, k1, uint32(offset), int(n))
			dst = dst[n:]
			offset += n
		}
	}
}
