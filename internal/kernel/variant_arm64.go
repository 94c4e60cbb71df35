//go:build arm64 && !noasm

package kernel

// HasBF16 reports whether the kernels of AVX512 have products of bfloat16. Here, there is no AVX512.
func HasBF16() bool { return false }

func assembly() []Variant { return []Variant{NEON} }

// Best returns the fastest variant that this machine and build can run. Every arm64 has NEON.
func Best() Variant { return NEON }
