package cpu

import "github.com/dl4go/dl4go/internal/kernel"

// Kernels is the instruction set of an [Executor]'s kernels. All compute the same formulas, but with different
// roundings, so results that must be reproducible on other machines need a fixed one. The zero value is the best of
// this machine.
type Kernels struct {
	variant kernel.Variant
	chosen  bool
}

// ParseKernels returns the kernels of that name: "portable", "avx2", "avx512" or "neon". If this machine or build
// does not have them, the error lists those that it has.
func ParseKernels(name string) (Kernels, error) {
	v, err := kernel.Parse(name)
	return Kernels{v, err == nil}, err
}

// AvailableKernels lists the kernels of this machine and build, slowest first.
func AvailableKernels() (all []Kernels) {
	for _, v := range kernel.Available() {
		all = append(all, Kernels{v, true})
	}
	return all
}

// String returns the name.
func (k Kernels) String() string { return k.get().String() }

func (k Kernels) get() kernel.Variant {
	if !k.chosen {
		return kernel.Best()
	}
	return k.variant
}
