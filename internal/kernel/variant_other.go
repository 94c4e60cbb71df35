//go:build (!amd64 && !arm64) || noasm

package kernel

// Available lists the variants that this machine and build can run: the portable one only.
func Available() []Variant { return []Variant{Portable} }
