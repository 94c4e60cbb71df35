// Command conv writes the kernels of convolutions.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	wide, narrow := simd.AVX512(), simd.AVX2("masks")
	for _, s := range []*simd.ISA{wide, narrow} {
		gather(s)
		collect(s)
	}
	dot(wide, 5)
	dot(narrow, 3)
	Generate()
}

func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// columns runs body for two vectors at a time, then for what is left of n columns: one vector, whole or masked, at a
// time. Between, the pointers advance. body gets the number of vectors; the last is masked if mask isn't nil.
func columns(s *simd.ISA, n reg.GPVirtual, body func(label string, vectors int, mask *simd.Mask), pointers ...reg.GPVirtual) {
	advance := func(vectors int) {
		for _, p := range pointers {
			ADDQ(U32(vectors*s.Bytes()), p)
		}
		SUBQ(U32(vectors*s.Lanes), n)
	}
	Label("two")
	CMPQ(n, U8(2*s.Lanes))
	JLT(LabelRef("one"))
	body("two", 2, nil)
	advance(2)
	JMP(LabelRef("two"))
	Label("one")
	CMPQ(n, U8(s.Lanes))
	JLT(LabelRef("rest"))
	body("one", 1, nil)
	advance(1)
	Label("rest")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	mask := s.Mask(n)
	body("rest", 1, &mask)
	Label("done")
	VZEROUPPER()
	RET()
}

func gather(s *simd.ISA) {
	TEXT("gather"+s.Name, NOSPLIT, "func(dst *float32, dstRow int, src *float32, offsets *int32, count, n int)")
	Doc("gather" + s.Name + " copies src[offsets[k]:][:n] to dst[k*dstRow:][:n] for every k in [0, count), count > 0.")
	Pragma("noescape")
	dst, dstRow, src := param("dst"), param("dstRow"), param("src")
	offsets, count, n := param("offsets"), param("count"), param("n")
	SHLQ(U8(2), dstRow)
	LEAQ(Mem{Base: offsets, Index: count, Scale: 4}, offsets)
	NEGQ(count)
	columns(s, n, func(label string, vectors int, mask *simd.Mask) {
		k, to, at := GP64(), GP64(), GP64()
		MOVQ(count, k)
		MOVQ(dst, to)
		Label(label + "Loop")
		MOVLQSX(Mem{Base: offsets, Index: k, Scale: 4}, at)
		for i := range vectors {
			v := s.Vec()
			from, to := Mem{Base: src, Index: at, Scale: 4, Disp: i * s.Bytes()}, Mem{Base: to, Disp: i * s.Bytes()}
			if mask != nil {
				s.LoadMasked(from, *mask, v)
				s.StoreMasked(v, *mask, to)
			} else {
				s.Load(from, v)
				s.Store(v, to)
			}
		}
		ADDQ(dstRow, to)
		INCQ(k)
		JNZ(LabelRef(label + "Loop"))
	}, dst, src)
}

// collect sums one vector of columns at a time; the lanes that a term has are masked in.
func collect(s *simd.ISA) {
	TEXT("collect"+s.Name, NOSPLIT,
		"func(dst *float32, dstChannel int, src *float32, srcChannel, channels int, terms *int32, count, n, width int)")
	Doc("collect"+s.Name+" is collect for channels > 0.", "A term is two int32.")
	Pragma("noescape")
	dst, src, channels := param("dst"), param("src"), param("channels")
	terms, count, n := param("terms"), param("count"), param("n")
	width := Load(Param("width"), GP64()).(reg.GPVirtual)
	LEAQ(Mem{Base: terms, Index: count, Scale: 8}, terms)
	NEGQ(count)

	var lane reg.VecVirtual
	if !s.Wide {
		iota := GLOBL("lanes", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(i))
		}
		lane = YMM()
		VMOVDQU(iota, lane)
	}
	Label("channel")
	base := GP64()
	XORQ(base, base)
	Label("columns")
	acc := s.Vec()
	s.Zero(acc)
	k := GP64()
	MOVQ(count, k)
	TESTQ(k, k)
	JZ(LabelRef("store"))

	Label("term")
	// Lanes [low, high) of this vector have the term.
	at, low := GP64(), GP64()
	MOVLQSX(Mem{Base: terms, Index: k, Scale: 8}, at)
	MOVLQSX(Mem{Base: terms, Index: k, Scale: 8, Disp: 4}, low)
	ADDQ(base, at)
	SUBQ(base, low)
	x := s.Vec()
	from := Mem{Base: src, Index: at, Scale: 4}
	if s.Wide {
		high, zero, sixteen, outside := GP64(), GP64(), GP64(), GP64()
		LEAQ(Mem{Base: low, Index: width, Scale: 1}, high)
		XORQ(zero, zero)
		MOVQ(U32(16), sixteen)
		clamp := func(r reg.GPVirtual) {
			CMPQ(r, zero)
			CMOVQLT(zero, r)
			CMPQ(r, sixteen)
			CMOVQGT(sixteen, r)
		}
		clamp(low)
		clamp(high)
		MOVQ(I32(-1), outside)
		BZHIQ(high, outside, high)
		BZHIQ(low, outside, low)
		ANDNQ(high, low, high)
		mask := K()
		KMOVW(high.As32(), mask)
		VMOVUPS_Z(from, mask, x)
	} else {
		first, last, below := YMM(), YMM(), YMM()
		VMOVD(low.As32(), first.AsX())
		VPBROADCASTD(first.AsX(), first)
		ADDQ(width, low)
		VMOVD(low.As32(), last.AsX())
		VPBROADCASTD(last.AsX(), last)
		VPCMPGTD(lane, first, below) // lane < first
		VPCMPGTD(lane, last, last)   // lane < last
		VPANDN(last, below, last)
		VMASKMOVPS(from, last, x)
	}
	VADDPS(x, acc, acc)
	INCQ(k)
	JNZ(LabelRef("term"))

	Label("store")
	left := GP64()
	MOVQ(n, left)
	SUBQ(base, left)
	to := Mem{Base: dst, Index: base, Scale: 4}
	CMPQ(left, U8(s.Lanes))
	JLT(LabelRef("part"))
	s.Store(acc, to)
	ADDQ(U8(s.Lanes), base)
	CMPQ(base, n)
	JLT(LabelRef("columns"))
	JMP(LabelRef("next"))
	Label("part")
	mask := s.Mask(left)
	s.StoreMasked(acc, mask, to)
	Label("next")
	step := GP64()
	Load(Param("dstChannel"), step)
	LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
	Load(Param("srcChannel"), step)
	LEAQ(Mem{Base: src, Index: step, Scale: 4}, src)
	DECQ(channels)
	JNZ(LabelRef("channel"))
	VZEROUPPER()
	RET()
}

// The fields of conv.dot.
const (
	fieldA, fieldB, fieldC                                    = 0, 24, 48
	fieldARow, fieldAGroup, fieldBRow, fieldBGroup, fieldCRow = 72, 80, 88, 96, 104
	fieldRows, fieldCols, fieldN, fieldGroups, fieldAdd       = 112, 120, 128, 136, 144
)

// dot computes a conv.dot: one loop for every number of rows and columns.
func dot(s *simd.ISA, size int) {
	TEXT("dot"+s.Name, NOSPLIT, "func(d *byte)")
	Doc(fmt.Sprintf("dot%s computes d, a dot of at most %d rows and columns.", s.Name, size))
	Pragma("noescape")
	d := param("d")
	index := GP64()
	MOVQ(Mem{Base: d, Disp: fieldRows}, index)
	SHLQ(U8(3), index)
	ADDQ(Mem{Base: d, Disp: fieldCols}, index)
	for r := size; r > 0; r-- {
		for c := size; c > 0; c-- {
			if r+c > 2 {
				CMPQ(index, U8(8*r+c))
				JEQ(LabelRef(fmt.Sprintf("dot%d%d", r, c)))
			}
		}
	}
	JMP(LabelRef("dot11"))
	for r := size; r > 0; r-- {
		for c := size; c > 0; c-- {
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
	mask := s.Mask(tail)

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
	step(func(m Mem, v reg.VecVirtual) { s.LoadMasked(m, mask, v) })
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

// sums gives a vector of the sums of the lanes of four vectors.
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
		VMASKMOVPS(sum, part.V.AsX(), m)
	}
}
