//go:build arm64 && !noasm

package kernel

// Available lists the variants that this machine and build can run, slowest first. Every arm64 has NEON.
func Available() []Variant { return []Variant{Portable, NEON} }
