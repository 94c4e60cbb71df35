//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

// HasBF16 reports whether the kernels of AVX512 have products of bfloat16: the processor has AVX512_BF16.
func HasBF16() bool { return cpu.X86.HasAVX512BF16 && Best() == AVX512 }

// Available lists the variants that this machine and build can run, slowest first.
func Available() []Variant {
	all := []Variant{Portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		all = append(all, AVX2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
			all = append(all, AVX512)
		}
	}
	return all
}
