package cpu

import "github.com/dl4go/dl4go/internal/kernel"

// Kernels is the instruction set of an [Executor]'s kernels. All compute the same formulas; their roundings differ, so
// results that must be reproducible on other machines need a fixed one. The zero value is the best of this machine.
type Kernels struct {
	variant kernel.Variant
	chosen  bool
}

// ParseKernels returns the kernels of that name: "portable", "avx2" or "avx512". A name that this machine or build
// does not have is an error, which lists those that it has.
func ParseKernels(name string) (Kernels, error) {
	v, err := kernel.Parse(name)
	return Kernels{v, err == nil}, err
}

// AvailableKernels lists the kernels that this machine and build have, slowest first.
func AvailableKernels() (all []Kernels) {
	for _, v := range kernel.Available() {
		all = append(all, Kernels{v, true})
	}
	return all
}

// String is the name.
func (k Kernels) String() string { return k.get().String() }

func (k Kernels) get() kernel.Variant {
	if !k.chosen {
		return kernel.Best()
	}
	return k.variant
}
