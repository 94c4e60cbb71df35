//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

// HasBF16 reports whether the kernels of AVX512 have products of bfloat16: the processor has AVX512_BF16.
func HasBF16() bool { return cpu.X86.HasAVX512BF16 && Best() == AVX512 }

// assembly lists the variants with assembly, slowest first.
func assembly() []Variant { return []Variant{AVX2, AVX512} }

// Best returns the fastest variant that this machine and build can run.
func Best() Variant {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasBMI2:
		return Portable
	case !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512VL:
		return AVX2
	}
	return AVX512
}
