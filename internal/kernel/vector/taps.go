package vector

// mustReach checks the operands of Taps: n results from elements of x at the offsets, with a weight each.
func mustReach(n, x int, at []int32, weights int) {
	mustMatch(len(at), weights)
	for _, off := range at {
		if off < 0 || int(off)+n > x {
			panic("vector: a tap outside of its operand")
		}
	}
}

func tapsPortable(dst, x []float32, at []int32, w []float32, s float32) {
	mustReach(len(dst), len(x), at, len(w))
	fillPortable(dst, s)
	for t, off := range at {
		axpyPortable(dst, x[off:][:len(dst)], w[t])
	}
}

func unzipPortable(even, odd, a []float32) {
	mustMatch(len(even), len(odd), len(a)-len(even))
	for i := range even {
		even[i], odd[i] = a[2*i], a[2*i+1]
	}
}

func zipPortable(dst, even, odd []float32) {
	mustMatch(len(even), len(odd), len(dst)-len(even))
	for i := range even {
		dst[2*i], dst[2*i+1] = even[i], odd[i]
	}
}
