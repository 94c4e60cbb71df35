// Package peak keeps the multiply-add units busy, to measure their peak for comparison with kernels.
package peak

//go:generate go run -C ../../_gen ./peak -out ../gemm/peak/peak_amd64.s -stubs ../gemm/peak/peak_amd64.go -pkg peak

import "github.com/dl4go/dl4go/internal/kernel"

// Run does rounds of independent multiply-adds in registers and returns the number of floating-point operations.
func Run(v kernel.Variant, rounds int) (flops int) { return run(v, rounds) }

func portable(rounds int) (flops int) {
	var a, b, c, d float32
	x := float32(rounds)
	for range rounds {
		a += float32(x * a)
		b += float32(x * b)
		c += float32(x * c)
		d += float32(x * d)
	}
	if a+b+c+d != 0 {
		return 0
	}
	return rounds * 8
}
