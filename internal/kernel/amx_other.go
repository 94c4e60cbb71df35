//go:build !(linux && amd64) || noasm

package kernel

// HasAMX reports whether the kernels of AVX512 have products of bfloat16 with AMX. Here, they have none.
func HasAMX() bool { return false }
