//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

// Best returns the fastest variant that this machine and build can run.
func Best() Variant {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return Portable
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL:
		return AVX2
	}
	return AVX512
}
