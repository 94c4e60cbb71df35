//go:build !amd64 || noasm

package kernel

// Best returns the fastest variant that this machine and build can run: the portable one.
func Best() Variant { return Portable }
