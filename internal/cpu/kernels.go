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
	factors factors
	chosen  bool
}

// factors says how matrix products read their factors. Convolutions have pairs, but no tiles.
type factors int

const (
	inFloat32 factors = iota
	inPairs           // rounded to bfloat16, by AVX512_BF16
	inTiles           // rounded to bfloat16, by AMX
)

const (
	bf16Setting = "precision=bf16"
	amxName     = "amx"
)

// ParseKernels returns the kernels of that name: "portable", "avx2", "avx512" or "neon" in float32, or
// "avx512?precision=bf16" or "amx?precision=bf16" for those of [Kernels.WithBF16]. If this machine or build does not
// have them, the error lists those that it has.
func ParseKernels(name string) (Kernels, error) {
	base, settings, has := strings.Cut(name, "?")
	if has && settings != bf16Setting {
		return Kernels{}, fmt.Errorf("kernels %s: there is no setting %q; there is %s", base, settings, bf16Setting)
	}
	if base == amxName {
		return amx(has)
	}
	v, err := kernel.Parse(base)
	k := Kernels{variant: v, chosen: err == nil}
	if err != nil || !has {
		return k, err
	}
	return k.WithBF16()
}

// InstructionSet returns what the kernels of that name use for all but products, such as "avx512". This machine need
// not have it.
func InstructionSet(name string) string {
	base, _, _ := strings.Cut(name, "?")
	if base == amxName {
		return kernel.AVX512.String()
	}
	return base
}

func amx(bf16 bool) (Kernels, error) {
	switch {
	case !bf16:
		return Kernels{}, fmt.Errorf("kernels %s: they are for products of bfloat16; write %[1]s?%s", amxName, bf16Setting)
	case !kernel.HasAMX():
		return Kernels{}, fmt.Errorf("kernels %s?%s: this processor has no AMX (amx_tile, amx_bf16), or its system does not "+
			"permit it; choose avx512", amxName, bf16Setting)
	}
	return Kernels{variant: kernel.AVX512, factors: inTiles, chosen: true}, nil
}

// WithBF16 returns the kernels with matrix products that round their factors to bfloat16, which has 8 significant bits.
// So do the convolutions of avx512, where that is faster: see conv.BF16. Sums are float32. The convolutions of AMX and
// all other operations stay float32, and so do parameters and updater state. Of the zero value, the kernels are those
// of AMX if this machine has it. Otherwise it fails unless the kernels are avx512 and the processor has AVX512_BF16.
func (k Kernels) WithBF16() (Kernels, error) {
	switch v := k.get(); {
	case k.factors != inFloat32:
		return k, nil
	case v != kernel.AVX512:
		return Kernels{}, fmt.Errorf("the %v kernels have no products of bfloat16, only those of avx512 and amx have; "+
			"use float32", v)
	case !kernel.HasBF16():
		return Kernels{}, errors.New("this processor has no products of bfloat16 (AVX512_BF16); use float32")
	case !k.chosen && kernel.HasAMX():
		return amx(true)
	}
	return Kernels{variant: kernel.AVX512, factors: inPairs, chosen: true}, nil
}

// SlowBF16 reports whether the kernels round factors to bfloat16 and take longer here than in float32.
func (k Kernels) SlowBF16() bool { return k.factors == inPairs && kernel.SlowBF16() }

// AvailableKernels lists the kernels of this machine and build, slowest first, in float32.
func AvailableKernels() (all []Kernels) {
	for _, v := range kernel.Available() {
		all = append(all, Kernels{variant: v, chosen: true})
	}
	return all
}

// String returns the name.
func (k Kernels) String() string {
	switch k.factors {
	case inPairs:
		return k.get().String() + "?" + bf16Setting
	case inTiles:
		return amxName + "?" + bf16Setting
	}
	return k.get().String()
}

func (k Kernels) get() kernel.Variant {
	if !k.chosen {
		return kernel.Best()
	}
	return k.variant
}
