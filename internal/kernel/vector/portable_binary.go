package vector

// Elementwise kernels of the portable variant on two vectors, and on a vector and a scalar.

func larger(a, b float32) float32 {
	if a > b || a != a {
		return a
	}
	return b
}

func smaller(a, b float32) float32 {
	if a < b || a != a {
		return a
	}
	return b
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func addPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func subPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func mulPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func divPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func maxPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = larger(a[i], b[i])
	}
}

func minPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = smaller(a[i], b[i])
	}
}

func greaterPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = truth(a[i] > b[i])
	}
}

func greaterEqualPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = truth(a[i] >= b[i])
	}
}

func equalPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = truth(a[i] == b[i])
	}
}

func powPortable(dst, a, b []float32) {
	mustMatch(len(dst), len(a), len(b))
	for i := range dst {
		dst[i] = power(a[i], b[i])
	}
}

func addScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = a[i] + s
	}
}

func subScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = a[i] - s
	}
}

func mulScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = a[i] * s
	}
}

func divScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = a[i] / s
	}
}

func maxScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = larger(a[i], s)
	}
}

func minScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = smaller(a[i], s)
	}
}

func greaterScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = truth(a[i] > s)
	}
}

func greaterEqualScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = truth(a[i] >= s)
	}
}

func equalScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = truth(a[i] == s)
	}
}

func powScalarPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = power(a[i], s)
	}
}

func scalarSubPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = s - a[i]
	}
}

func scalarDivPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = s / a[i]
	}
}

func scalarGreaterPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = truth(s > a[i])
	}
}

func scalarGreaterEqualPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = truth(s >= a[i])
	}
}

func scalarPowPortable(dst, a []float32, s float32) {
	mustMatch(len(dst), len(a))
	for i := range dst {
		dst[i] = power(s, a[i])
	}
}
