package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// The fields of conv.dot.
const (
	fieldA, fieldB, fieldC                                    = 0, 24, 48
	fieldARow, fieldAGroup, fieldBRow, fieldBGroup, fieldCRow = 72, 80, 88, 96, 104
	fieldRows, fieldCols, fieldN, fieldGroups, fieldAdd       = 112, 120, 128, 136, 144
)

// dot computes a conv.dot: one loop for every number of rows and columns.
func dot(s *simd.ISA, maxRows, maxCols int) {
	TEXT("dot"+s.Name, NOSPLIT, "func(d *byte)")
	Doc(fmt.Sprintf("dot%s computes d, a dot of at most %d rows and %d columns.", s.Name, maxRows, maxCols))
	Pragma("noescape")
	d := param("d")
	index := GP64()
	MOVQ(Mem{Base: d, Disp: fieldRows}, index)
	SHLQ(U8(3), index)
	ADDQ(Mem{Base: d, Disp: fieldCols}, index)
	for r := maxRows; r > 0; r-- {
		for c := maxCols; c > 0; c-- {
			if r+c > 2 {
				CMPQ(index, U8(8*r+c))
				JEQ(LabelRef(fmt.Sprintf("dot%d%d", r, c)))
			}
		}
	}
	JMP(LabelRef("dot11"))
	for r := maxRows; r > 0; r-- {
		for c := maxCols; c > 0; c-- {
			dotLoop(s, d, r, c)
		}
	}
}

// rows addresses up to 5 rows of an operand by a pointer, one stride and three.
type rows struct{ p, stride, three reg.GPVirtual }

func (r rows) at(i int) Mem {
	switch i {
	case 0:
		return Mem{Base: r.p}
	case 3:
		return Mem{Base: r.p, Index: r.three, Scale: 1}
	}
	return Mem{Base: r.p, Index: r.stride, Scale: uint8(i)}
}

func dotLoop(s *simd.ISA, d reg.GPVirtual, height, width int) {
	label := fmt.Sprintf("dot%d%d", height, width)
	Label(label)
	operand := func(pointer, stride, count int) rows {
		r := rows{p: GP64(), stride: GP64()}
		MOVQ(Mem{Base: d, Disp: pointer}, r.p)
		MOVQ(Mem{Base: d, Disp: stride}, r.stride)
		SHLQ(U8(2), r.stride)
		if count > 3 {
			r.three = GP64()
			LEAQ(Mem{Base: r.stride, Index: r.stride, Scale: 2}, r.three)
		}
		return r
	}
	a, b := operand(fieldA, fieldARow, height), operand(fieldB, fieldBRow, width)
	acc := make([][]reg.VecVirtual, height)
	for r := range acc {
		for range width {
			v := s.Vec()
			s.Zero(v)
			acc[r] = append(acc[r], v)
		}
	}
	groups, tail := GP64(), GP64()
	MOVQ(Mem{Base: d, Disp: fieldGroups}, groups)
	MOVQ(Mem{Base: d, Disp: fieldN}, tail)
	ANDQ(U8(s.Lanes-1), tail)
	var mask simd.Mask
	if s.Wide {
		mask = s.Mask(tail)
	}

	step := func(load func(m Mem, v reg.VecVirtual)) {
		bv := make([]reg.VecVirtual, width)
		for c := range bv {
			bv[c] = s.Vec()
			load(b.at(c), bv[c])
		}
		for r := range acc {
			av := s.Vec()
			load(a.at(r), av)
			for c := range bv {
				VFMADD231PS(av, bv[c], acc[r][c])
			}
		}
	}
	Label(label + "group")
	nextA, nextB, n := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: d, Disp: fieldAGroup}, nextA)
	LEAQ(Mem{Base: a.p, Index: nextA, Scale: 4}, nextA)
	MOVQ(Mem{Base: d, Disp: fieldBGroup}, nextB)
	LEAQ(Mem{Base: b.p, Index: nextB, Scale: 4}, nextB)
	MOVQ(Mem{Base: d, Disp: fieldN}, n)
	SUBQ(U8(s.Lanes), n)
	JLT(LabelRef(label + "tail"))
	Label(label + "loop")
	step(s.Load)
	ADDQ(U8(s.Bytes()), a.p)
	ADDQ(U8(s.Bytes()), b.p)
	SUBQ(U8(s.Lanes), n)
	JGE(LabelRef(label + "loop"))
	Label(label + "tail")
	TESTQ(tail, tail)
	JZ(LabelRef(label + "next"))
	if s.Wide {
		step(func(m Mem, v reg.VecVirtual) { s.LoadMasked(m, mask, v) })
	} else { // the loop leaves no register for the mask
		mask = s.Mask(tail)
		for c := range width {
			av, bv := s.Vec(), s.Vec()
			s.LoadMasked(b.at(c), mask, bv)
			for r := range acc {
				s.LoadMasked(a.at(r), mask, av)
				VFMADD231PS(av, bv, acc[r][c])
			}
		}
	}
	Label(label + "next")
	MOVQ(nextA, a.p)
	MOVQ(nextB, b.p)
	DECQ(groups)
	JNZ(LabelRef(label + "group"))

	// The lanes of each sum, pairwise; four sums to a vector.
	c, cRow, add := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: d, Disp: fieldC}, c)
	MOVQ(Mem{Base: d, Disp: fieldCRow}, cRow)
	SHLQ(U8(2), cRow)
	MOVQ(Mem{Base: d, Disp: fieldAdd}, add)
	var part simd.Mask
	lanes := min(width, 4)
	if lanes < 4 {
		MOVQ(U32(lanes), tail)
		part = s.Mask(tail)
	}
	for r := range acc {
		for first := 0; first < width; first += 4 {
			v := acc[r][first:min(width, first+4)]
			for len(v) < 4 {
				v = append(v[:len(v):len(v)], v[len(v)-1])
			}
			sum := sums(s, v)
			store(s, Mem{Base: c, Disp: 4 * first}, sum, min(4, width-first), part, add, fmt.Sprintf("%sstore%d%d", label, r, first))
		}
		if r < height-1 {
			ADDQ(cRow, c)
		}
	}
	VZEROUPPER()
	RET()
}

// sums returns a vector of the sums of the lanes of four vectors.
func sums(s *simd.ISA, v []reg.VecVirtual) reg.VecVirtual {
	pair := func(a, b reg.VecVirtual) reg.VecVirtual {
		low, high := s.Vec(), s.Vec()
		VUNPCKLPS(b, a, low)
		VUNPCKHPS(b, a, high)
		VADDPS(high, low, low)
		return low
	}
	ab, cd := pair(v[0], v[1]), pair(v[2], v[3])
	sum, other := s.Vec(), s.Vec()
	VUNPCKLPD(cd, ab, sum)
	VUNPCKHPD(cd, ab, other)
	VADDPS(other, sum, sum)
	out := XMM()
	if s.Wide {
		half, quarter := YMM(), XMM()
		VEXTRACTF64X4(U8(1), sum, half)
		VADDPS(half, sum.AsY(), half)
		VEXTRACTF32X4(U8(1), half, quarter)
		VADDPS(quarter, half.AsX(), out)
	} else {
		VEXTRACTF128(U8(1), sum, out)
		VADDPS(sum.AsX(), out, out)
	}
	return out
}

// store writes the first lanes of sum, adding what was there if add isn't 0.
func store(s *simd.ISA, m Mem, sum reg.VecVirtual, lanes int, part simd.Mask, add reg.GPVirtual, label string) {
	old := XMM()
	TESTQ(add, add)
	JZ(LabelRef(label))
	switch {
	case lanes == 4:
		VADDPS(m, sum, sum)
	case lanes == 1:
		VADDSS(m, sum, sum)
	case s.Wide:
		VMOVUPS_Z(m, part.K, old)
		VADDPS(old, sum, sum)
	default:
		VMASKMOVPS(m, part.V.AsX(), old)
		VADDPS(old, sum, sum)
	}
	Label(label)
	switch {
	case lanes == 4:
		VMOVUPS(sum, m)
	case lanes == 1:
		VMOVSS(sum, m)
	case s.Wide:
		VMOVUPS(sum, part.K, m)
	default:
		VMOVLPS(sum, m)
		if lanes == 3 {
			VEXTRACTPS(U8(2), sum, m.Offset(8))
		}
	}
}
