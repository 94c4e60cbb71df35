//go:build arm64 && !noasm

package pixel

import "github.com/dl4go/dl4go/internal/kernel"

var sets = [...]*Set{kernel.Portable: &portable, kernel.NEON: portableAs(kernel.NEON)}

// portableAs returns the portable kernels as those of a variant that has no others for pictures.
func portableAs(v kernel.Variant) *Set {
	s := portable
	s.Variant = v
	return &s
}
