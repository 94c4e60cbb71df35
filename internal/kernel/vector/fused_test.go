package vector

import (
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/random"
)

// fusedBits has a hash of what each kernel returns on the instruction sets with fused multiply-add. All of them, also
// those of other processors, have the same bits in all but Softmax.
var fusedBits = map[string]uint64{
	"MulAdd":                0x5f87e629cf30f84f,
	"Axpy":                  0xafcfc7480adb5c49,
	"Axpby":                 0x9ab597114eb3f5c9,
	"Affine":                0x5012b2c47be080c0,
	"Exp":                   0x82215bf00d1af11d,
	"Expm1":                 0x35eded38d5d670f4,
	"Log":                   0xac5cdaa65175e25,
	"Log1p":                 0xfd2dcd3d7795c751,
	"Tanh":                  0x5bf35f73530856f,
	"Sigmoid":               0xc90f75bf55ca77c8,
	"Softplus":              0x1e74657be45d06e3,
	"Sum":                   0x69900092006b735e,
	"SumAbs":                0x30421c0cf678c6c3,
	"SumSquares":            0x82cd9a0f6f086d88,
	"Dot":                   0x13b5cb4567500d10,
	"SumSquaredDifferences": 0xe8124129f6cb8d54,
	"DotDifference":         0xbeb37f1b62d8eac9,
}

// hash returns a hash of the bits. All NaNs are the same.
func hash(x []float32) uint64 {
	h := fnv.New64a()
	for _, v := range x {
		bits := math.Float32bits(v)
		if v != v {
			bits = 0x7fc00000
		}
		h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
	}
	return h.Sum64()
}

func TestFusedVariantsAgree(t *testing.T) {
	x := points()
	s := random.NewSource(11)
	o := operands{x, draw(s, len(x)), draw(s, len(x)), 0.3, -2}
	a, b := normals(s, 2000), normals(s, 2000)
	for _, v := range kernel.Available() {
		if v == kernel.Portable {
			continue
		}
		k := For(v)
		check := func(name string, results []float32) {
			if got, want := hash(results), fusedBits[name]; got != want {
				t.Errorf("%s, %s: other bits: %#x, want %#x", name, v, got, want)
			}
		}
		for _, e := range elementwiseKernels() {
			if slices.Contains(inexact, e.name) {
				y := make([]float32, len(x))
				e.call(k, y, o)
				check(e.name, y)
			}
		}
		for _, r := range reductions() {
			var sums []float32
			for _, n := range lengths() {
				n = min(n, len(a))
				sums = append(sums, r.call(k, a[:n], b[:n], 0.3))
			}
			check(r.name, sums)
		}
	}
}
