package pixel

import "github.com/dl4go/dl4go/internal/kernel"

var portable = Set{
	Variant: kernel.Portable,
	Inverse: inversePortable,
	Fill:    fill,
	Blend:   blendPortable,
	Widen:   widenPortable,
	Colours: coloursPortable,
	Squeeze: squeezePortable,
	Mix:     mixPortable,
}
