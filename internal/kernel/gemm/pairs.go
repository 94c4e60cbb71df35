package gemm

import "math"

// roundBF16 rounds to bfloat16, to the nearest, of two to the even one. It returns its bits. NaN becomes quiet.
func roundBF16(x float32) uint32 {
	bits := math.Float32bits(x)
	if x != x {
		return bits>>16 | 1<<6
	}
	return (bits + 0x7fff + bits>>16&1) >> 16
}

func pair(low, high float32) float32 {
	return math.Float32frombits(roundBF16(high)<<16 | roundBF16(low))
}

func pairRowsPortable(dst, low, high []float32) {
	for i := range dst {
		dst[i] = pair(low[i], high[i])
	}
}

func pairNeighboursPortable(dst, src []float32) {
	for i := range dst {
		high := float32(0)
		if 2*i+1 < len(src) {
			high = src[2*i+1]
		}
		dst[i] = pair(src[2*i], high)
	}
}

// runPairsPortable is the reference of VDPBF16PS: of a pair, the second terms are multiplied and added first.
func (t *Tile) runPairsPortable() {
	for r := range t.Rows {
		start := float32(0)
		if len(t.Start) > 0 {
			start = t.Start[r]
		}
		for c := range t.Cols {
			acc := start
			for k := range t.K {
				a, b := math.Float32bits(t.A[r*t.ARow+k*t.ACol]), math.Float32bits(t.B[k*t.BRow+c])
				acc = addBF16(acc, a&0xffff0000, b&0xffff0000)
				acc = addBF16(acc, a<<16, b<<16)
			}
			t.store(r, c, acc)
		}
	}
}

// smallest is the smallest float32 that is not denormal.
const smallest = 0x1p-126

// addBF16 returns acc + a·b with one rounding. Denormal operands and results are 0. a and b are the bits of a bfloat16,
// as a float32.
func addBF16(acc float32, a, b uint32) float32 {
	x, y, z := float64(withoutDenormal(a)), float64(withoutDenormal(b)), float64(withoutDenormal(math.Float32bits(acc)))
	product := x * y // exact: 16 significant bits
	sum := product + z
	if math.IsInf(sum, 0) || sum != sum {
		return float32(sum)
	}
	// Rounding twice, to 53 bits and to 24, would be wrong in the middle between two float32. So the first rounding is
	// to odd: an inexact sum is one whose last bit is 1.
	back := sum - product
	lost := (product - (sum - back)) + (z - back)
	if bits := math.Float64bits(sum); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	if sum < smallest && sum > -smallest {
		const scale = 0x1p64 // the exponent is not bounded when a result is found to be denormal
		if scaled := float32(sum * scale); scaled < smallest*scale && scaled > -smallest*scale {
			return float32(math.Copysign(0, sum))
		}
	}
	return float32(sum)
}

func withoutDenormal(bits uint32) float32 {
	if bits&0x7f800000 == 0 {
		bits &= 1 << 31
	}
	return math.Float32frombits(bits)
}
