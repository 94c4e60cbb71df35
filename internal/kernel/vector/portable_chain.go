package vector

import "math"

// Kernels of the portable variant that do what several others do, with the same roundings: conversions forbid compilers
// to fuse a product with a sum.

func addScaledPortable(dst, a, b []float32, s float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] + float32(s*b[i])
	}
}

func addMaxPortable(dst, a, b []float32, s float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = larger(a[i]+b[i], s)
	}
}

func norm(a, s, t, u float32) float32 { return float32((a-s)*t) + u }

func normPortable(dst, a []float32, s, t, u float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = norm(a[i], s, t, u)
	}
}

func normMaxPortable(dst, a []float32, s, t, u, v float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = larger(norm(a[i], s, t, u), v)
	}
}

func normAddMaxPortable(dst, a, b []float32, s, t, u, v float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = larger(norm(a[i], s, t, u)+b[i], v)
	}
}

func subAffinePortable(dst, a []float32, s, t, u float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = fma(t, a[i]-s, u)
	}
}

func normGradPortable(dst, a, b []float32, s, t, u, v float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = fma(t, b[i], float32(u*(a[i]-s))) + v
	}
}

func mulGreaterPortable(dst, a, b []float32, s float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		var one float32
		if b[i] > s {
			one = 1
		}
		dst[i] = a[i] * one
	}
}

func tanhGradPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] * (1 - float32(b[i]*b[i]))
	}
}

func sigmoidGradPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] * float32(b[i]*(1-b[i]))
	}
}

func momentumPortable(p2, v2, p, v, d []float32, m, r, s, t float32) {
	mustMatch(len(p2), len(v2), len(p), len(v), len(d))
	for i := range p2 {
		mv := float32(m * v[i])
		w := mv - float32(r*d[i])
		p2[i] = p[i] + float32(t*(mv-float32(s*w)))
		v2[i] = w
	}
	flushPortable(v2, v2)
}

func adamPortable(p2, m2, v2, p, m, v, g []float32, b, c, d, e, r, s, t float32) {
	mustMatch(len(p2), len(m2), len(v2), len(p), len(m), len(v), len(g))
	for i := range p2 {
		x := float32(b*m[i]) + float32(c*g[i])
		y := float32(d*v[i]) + float32(e*float32(g[i]*g[i]))
		p2[i] = p[i] + float32(t*(float32(r*x)/(float32(math.Sqrt(float64(y)))+s)))
		m2[i], v2[i] = x, y
	}
	flushPortable(m2, m2)
	flushPortable(v2, v2)
}
