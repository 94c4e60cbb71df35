// Package simd names the vector instructions that the generators of several kernels share, for AVX-512 and for AVX2.
package simd

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ISA is an instruction set.
type ISA struct {
	Name  string
	Lanes int // floats in a vector
	Wide  bool
	table Mem
	parts int // stored so far
}

// AVX512 has vectors of 16 floats and mask registers.
func AVX512() *ISA { return &ISA{Name: "AVX512", Lanes: 16, Wide: true} }

// AVX2 has vectors of 8 floats. Masks are vectors, loaded from a table that this function defines.
func AVX2(table string) *ISA {
	m := GLOBL(table, RODATA|NOPTR)
	for i := range 16 {
		v := uint32(0)
		if i < 8 {
			v = 0xffffffff
		}
		DATA(4*i, U32(v))
	}
	return &ISA{Name: "AVX2", Lanes: 8, table: m}
}

// Bytes is the size of a vector.
func (s *ISA) Bytes() int { return 4 * s.Lanes }

// Vec returns a fresh vector register.
func (s *ISA) Vec() reg.VecVirtual {
	if s.Wide {
		return ZMM()
	}
	return YMM()
}

// Mask is one bit, or one lane, for each float.
type Mask struct {
	K reg.Register
	V reg.VecVirtual
}

// Mask returns the mask of the first n lanes, for n in [0, Lanes]. It does not change n.
func (s *ISA) Mask(n reg.GPVirtual) Mask {
	if s.Wide {
		bits, k := GP64(), K()
		MOVQ(I32(-1), bits)
		BZHIQ(n, bits, bits)
		KMOVW(bits.As32(), k)
		return Mask{K: k}
	}
	base, at := GP64(), GP64()
	v := YMM()
	LEAQ(s.table, base)
	MOVQ(U32(8), at)
	SUBQ(n, at)
	VMOVDQU(Mem{Base: base, Index: at, Scale: 4}, v)
	return Mask{V: v}
}

// Load reads a vector.
func (s *ISA) Load(m Mem, v reg.VecVirtual) { VMOVUPS(m, v) }

// Store writes a vector.
func (s *ISA) Store(v reg.VecVirtual, m Mem) { VMOVUPS(v, m) }

// LoadMasked reads the lanes of the mask and sets the others to zero.
func (s *ISA) LoadMasked(m Mem, k Mask, v reg.VecVirtual) {
	if s.Wide {
		VMOVUPS_Z(m, k.K, v)
	} else {
		VMASKMOVPS(m, k.V, v)
	}
}

// StoreMasked writes the lanes of a mask of Mask.
func (s *ISA) StoreMasked(v reg.VecVirtual, k Mask, m Mem) {
	if s.Wide {
		VMOVUPS(v, k.K, m)
	} else {
		s.parts++
		StorePart(current{}, v, k.V, m, fmt.Sprintf("part%dlanes", s.parts))
	}
}

// Zero clears a vector.
func (s *ISA) Zero(v reg.VecVirtual) {
	if s.Wide {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}
