package cpu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/kernel"
)

// Kernels is the instruction set of an [Executor]'s kernels. All compute the same formulas, but with different
// roundings, so results that must be reproducible on other machines need a fixed one. The zero value is the best of
// this machine, in float32.
type Kernels struct {
	variant kernel.Variant
	bf16    bool
	chosen  bool
}

const bf16Setting = "precision=bf16"

// ParseKernels returns the kernels of that name: "portable", "avx2", "avx512" or "neon", or "avx512?precision=bf16" for
// those of [Kernels.WithBF16]. If this machine or build does not have them, the error lists those that it has.
func ParseKernels(name string) (Kernels, error) {
	name, settings, has := strings.Cut(name, "?")
	v, err := kernel.Parse(name)
	k := Kernels{variant: v, chosen: err == nil}
	switch {
	case err != nil || !has:
		return k, err
	case settings != bf16Setting:
		return Kernels{}, fmt.Errorf("kernels %s: there is no setting %q; there is %s", name, settings, bf16Setting)
	}
	return k.WithBF16()
}

// WithBF16 returns the kernels with matrix products that round their factors to bfloat16, which has 8 significant bits.
// Sums are float32. Convolutions and all other operations stay float32, and so do parameters and updater state. The
// products take half the time. It fails unless the kernels are avx512 and the processor has AVX512_BF16.
func (k Kernels) WithBF16() (Kernels, error) {
	if v := k.get(); v != kernel.AVX512 {
		return Kernels{}, fmt.Errorf("the %v kernels have no products of bfloat16, only those of avx512 have; use float32", v)
	}
	if !kernel.HasBF16() {
		return Kernels{}, errors.New("this processor has no products of bfloat16 (AVX512_BF16); use float32")
	}
	return Kernels{variant: kernel.AVX512, bf16: true, chosen: true}, nil
}

// AvailableKernels lists the kernels of this machine and build, slowest first, in float32.
func AvailableKernels() (all []Kernels) {
	for _, v := range kernel.Available() {
		all = append(all, Kernels{variant: v, chosen: true})
	}
	return all
}

// String returns the name.
func (k Kernels) String() string {
	if k.bf16 {
		return k.get().String() + "?" + bf16Setting
	}
	return k.get().String()
}

func (k Kernels) get() kernel.Variant {
	if !k.chosen {
		return kernel.Best()
	}
	return k.variant
}
