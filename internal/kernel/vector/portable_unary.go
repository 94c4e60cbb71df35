package vector

import "math"

// Elementwise kernels of the portable variant on one vector, and those with three operands. The functions are computed
// in float64 and rounded.

func negPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = -a[i]
	}
}

func squarePortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = a[i] * a[i]
	}
}

func reciprocalPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = 1 / a[i]
	}
}

func absPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Abs(float64(a[i])))
	}
}

func sqrtPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Sqrt(float64(a[i])))
	}
}

func floorPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Floor(float64(a[i])))
	}
}

func flushPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i, v := range a {
		if math.Float32bits(v)&0x7f800000 == 0 {
			v = 0
		}
		dst[i] = v
	}
}

func expPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Exp(float64(a[i])))
	}
}

func expm1Portable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Expm1(float64(a[i])))
	}
}

func logPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Log(float64(a[i])))
	}
}

func log1pPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Log1p(float64(a[i])))
	}
}

func tanhPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(math.Tanh(float64(a[i])))
	}
}

func sigmoidPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = float32(1 / (1 + math.Exp(-float64(a[i]))))
	}
}

func softplusPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i, v := range a {
		x := float64(v)
		dst[i] = float32(max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))))
	}
}

func signPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	for i, v := range a {
		switch {
		case v > 0:
			v = 1
		case v < 0:
			v = -1
		case v == 0:
			v = 0
		}
		dst[i] = v
	}
}

func power(a, b float32) float32 { return float32(math.Pow(float64(a), float64(b))) }

func fma(a, b, c float32) float32 { return float32(float64(a)*float64(b) + float64(c)) }

func mulAddPortable(dst, a, b, c []float32) {
	mustMatch(len(dst), len(a), len(b), len(c))
	for i := range dst {
		dst[i] = fma(a[i], b[i], c[i])
	}
}

func selectPortable(dst, cond, a, b []float32) {
	mustMatch(len(dst), len(cond), len(a), len(b))
	for i, c := range cond {
		if c != 0 {
			dst[i] = a[i]
		} else {
			dst[i] = b[i]
		}
	}
}

func axpyPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = fma(s, a[i], dst[i])
	}
}

func axpbyPortable(dst, a []float32, s, t float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = fma(s, a[i], t*dst[i])
	}
}

func affinePortable(dst, a []float32, s, t float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = fma(s, a[i], t)
	}
}

func copyPortable(dst, a []float32) {
	mustMatch(len(dst), len(a))
	copy(dst, a)
}

func fillPortable(dst []float32, s float32) {
	for i := range dst {
		dst[i] = s
	}
}
