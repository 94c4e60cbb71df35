// Package kernel names the instruction sets for which dl4go has kernels. The kernels themselves are in the packages
// below it: vector (elementwise and reductions), gemm (matrix products), conv (convolution), pool (pooling),
// threshold (the threshold codec) and pixel (pictures).
package kernel

import "fmt"

// Variant is an instruction set. The kernels of every variant compute the same formulas, with different roundings. Fix
// the variant for results that must be reproducible across machines.
type Variant int

const (
	// Portable is plain Go, the reference of the others.
	Portable Variant = iota
	// AVX2 needs AVX2, FMA3 and BMI2.
	AVX2
	// AVX512 needs AVX-512 F, BW, DQ and VL.
	AVX512
	// NEON is arm64's, with fused multiply-add. Every such processor has it.
	NEON
)

var names = [...]string{Portable: "portable", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

func (v Variant) String() string { return names[v] }

// Parse returns the variant of that name, or an error that lists the variants that this machine and build can run.
func Parse(name string) (Variant, error) {
	for _, v := range Available() {
		if v.String() == name {
			return v, nil
		}
	}
	return 0, fmt.Errorf("kernel variant %q: this machine and build have %v", name, Available())
}

// BF16 lists the names of the kernels of this machine that have products of bfloat16, slowest first.
func BF16() (names []string) {
	if HasBF16() {
		names = append(names, AVX512.String())
	}
	if HasAMX() {
		names = append(names, "amx")
	}
	return names
}

// Available lists the variants that this machine and build can run, slowest first.
func Available() []Variant {
	all := []Variant{Portable}
	for _, v := range assembly() {
		if v <= Best() {
			all = append(all, v)
		}
	}
	return all
}
