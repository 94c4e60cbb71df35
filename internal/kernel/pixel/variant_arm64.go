//go:build arm64 && !noasm

package pixel

import "github.com/dl4go/dl4go/internal/kernel"

// Pictures have no kernels for NEON: its variant has the portable ones.
var sets = [...]*Set{kernel.Portable: &portable, kernel.NEON: &neon}

var neon = Set{
	Variant: kernel.NEON,
	Inverse: inversePortable,
	Fill:    fill,
	Blend:   blendPortable,
	Widen:   widenPortable,
	Colours: coloursPortable,
	Squeeze: squeezePortable,
	Mix:     mixPortable,
}
