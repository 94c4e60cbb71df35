package vector

import (
	"math"

	"github.com/dl4go/dl4go/internal/random"
)

// lanes is the number of partial sums of a reduction.
const lanes = 64

// fold adds the partial sums pairwise.
func fold(sums *[lanes]float32) float32 {
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			sums[i] += sums[i+half]
		}
	}
	return sums[0]
}

func sumPortable(a []float32) float32 {
	var sums [lanes]float32
	for i, v := range a {
		sums[i%lanes] += v
	}
	return fold(&sums)
}

func sumAbsPortable(a []float32) float32 {
	var sums [lanes]float32
	for i, v := range a {
		sums[i%lanes] += float32(math.Abs(float64(v)))
	}
	return fold(&sums)
}

func sumSquaresPortable(a []float32) float32 {
	var sums [lanes]float32
	for i, v := range a {
		sums[i%lanes] = fma(v, v, sums[i%lanes])
	}
	return fold(&sums)
}

func dotPortable(a, b []float32) float32 {
	mustMatch(len(a), len(b))
	var sums [lanes]float32
	for i, v := range a {
		sums[i%lanes] = fma(v, b[i], sums[i%lanes])
	}
	return fold(&sums)
}

func sumSquaredDifferencesPortable(a []float32, s float32) float32 {
	var sums [lanes]float32
	for i, v := range a {
		d := v - s
		sums[i%lanes] = fma(d, d, sums[i%lanes])
	}
	return fold(&sums)
}

func dotDifferencePortable(a, b []float32, s float32) float32 {
	mustMatch(len(a), len(b))
	var sums [lanes]float32
	for i, v := range a {
		sums[i%lanes] = fma(v, b[i]-s, sums[i%lanes])
	}
	return fold(&sums)
}

func reduceMaxPortable(a []float32) float32 {
	var largest [lanes]float32
	fillPortable(largest[:], float32(math.Inf(-1)))
	for i, v := range a {
		largest[i%lanes] = larger(v, largest[i%lanes])
	}
	for half := lanes / 2; half > 0; half /= 2 {
		maxPortable(largest[:half], largest[:half], largest[half:2*half])
	}
	return largest[0]
}

func addRowsPortable(dst, a []float32) {
	mustMatchRows(len(dst), len(a))
	for ; len(a) > 0; a = a[len(dst):] {
		for j := range dst {
			dst[j] += a[j]
		}
	}
}

func mustMatchRows(columns, n int) {
	if n != 0 && (columns == 0 || n%columns != 0) {
		panic("vector: a matrix whose rows do not fit")
	}
}

func softmaxPortable(dst, x []float32, cols int) {
	mustMatch(len(dst), len(x))
	mustMatchRows(cols, len(x))
	for ; len(x) > 0; dst, x = dst[cols:], x[cols:] {
		row := dst[:cols]
		subScalarPortable(row, x[:cols], reduceMaxPortable(x[:cols]))
		expPortable(row, row)
		divScalarPortable(row, row, sumPortable(row))
	}
}

func softmaxGradPortable(dst, p, d []float32, cols int, s float32) {
	mustMatch(len(dst), len(p), len(d))
	mustMatchRows(cols, len(d))
	for ; len(d) > 0; dst, p, d = dst[cols:], p[cols:], d[cols:] {
		var sums [lanes]float32
		for i, v := range d[:cols] {
			sums[i%lanes] += float32(p[i] * v)
		}
		sum := fold(&sums)
		for i, v := range d[:cols] {
			dst[i] = float32(float32(v-sum)*p[i]) * s
		}
	}
}

func uniformPortable(dst []float32, seed, offset uint64) {
	for i := range dst {
		dst[i] = random.Uniform(seed, offset+uint64(i))
	}
}
