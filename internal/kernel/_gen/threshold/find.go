package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// vectors is the number of vectors that the search tests before it branches.
const vectors = 4

// hits sets a general register to the bits of the elements of four vectors with |x| ≥ t.
func hits(s *simd.ISA, x []reg.VecVirtual, t, magnitude reg.VecVirtual) reg.GPVirtual {
	bits := GP64()
	if s.Wide {
		k := make([]reg.OpmaskVirtual, vectors)
		for j := range k {
			k[j] = K()
			VCMPPS(U8(greaterEqual), t, and(s, magnitude, x[j]), k[j])
		}
		KUNPCKWD(k[0], k[1], k[0])
		KUNPCKWD(k[2], k[3], k[2])
		KUNPCKDQ(k[0], k[2], k[0])
		KMOVQ(k[0], bits)
		return bits
	}
	part := GP64()
	for j := range x {
		v := and(s, magnitude, x[j])
		VCMPPS(U8(greaterEqual), t, v, v)
		if j == 0 {
			VMOVMSKPS(v, bits.As32())
			continue
		}
		VMOVMSKPS(v, part.As32())
		SHLL(U8(s.Lanes*j), part.As32())
		ORL(part.As32(), bits.As32())
	}
	return bits
}

// find writes the entries of x.
func find(s *simd.ISA) {
	group := vectors * s.Lanes
	TEXT("find"+s.Name, NOSPLIT, "func(dst *int32, room int, x *float32, n int, t float32, base int) (found, seen int)")
	Doc(fmt.Sprintf("find%s writes the entries of x, for n a multiple of %d, while there is room for a whole group of %d.",
		s.Name, group, group))
	Pragma("noescape")
	dst, room, x, n, base := param("dst"), param("room"), param("x"), param("n"), param("base")
	t, magnitude := broadcast(s, "t"), magnitudes(s)
	start, end := GP64(), GP64()
	MOVQ(dst, start)
	LEAQ(Mem{Base: dst, Index: room, Scale: 4, Disp: -4 * group}, end) // the last place with room for a group
	i := GP64()
	XORQ(i, i)
	INCQ(base)

	Label("loop")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	CMPQ(dst, end)
	JG(LabelRef("done"))
	v := make([]reg.VecVirtual, vectors)
	for j := range v {
		v[j] = s.Vec()
		s.Load(Mem{Base: x, Index: i, Scale: 4, Disp: s.Bytes() * j}, v[j])
	}
	bits := hits(s, v, t, magnitude)
	TESTQ(bits, bits)
	JNZ(LabelRef("hits"))
	Label("next")
	ADDQ(U8(group), i)
	JMP(LabelRef("loop"))

	Label("hits")
	j, sign, entry := GP64(), GP32(), GP32()
	TZCNTQ(bits, j)
	ADDQ(i, j)
	MOVL(Mem{Base: x, Index: j, Scale: 4}, sign)
	SARL(U8(31), sign)
	LEAL(Mem{Base: base, Index: j, Scale: 1}, entry)
	XORL(sign, entry)
	SUBL(sign, entry)
	MOVL(entry, Mem{Base: dst})
	ADDQ(U8(4), dst)
	less := GP64()
	LEAQ(Mem{Base: bits, Disp: -1}, less)
	ANDQ(less, bits)
	JNZ(LabelRef("hits"))
	JMP(LabelRef("next"))

	Label("done")
	SUBQ(start, dst)
	SHRQ(U8(2), dst)
	Store(dst, ReturnIndex(0))
	Store(i, ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// count counts the elements that reach t.
func count(s *simd.ISA) {
	group := vectors * s.Lanes
	TEXT("count"+s.Name, NOSPLIT, "func(x *float32, n int, t float32) int")
	Doc(fmt.Sprintf("count%s counts the elements of x that reach t, for n a multiple of %d.", s.Name, group))
	Pragma("noescape")
	x, n := param("x"), param("n")
	t, magnitude := broadcast(s, "t"), magnitudes(s)
	total := GP64()
	XORQ(total, total)
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	v := make([]reg.VecVirtual, vectors)
	for j := range v {
		v[j] = s.Vec()
		s.Load(Mem{Base: x, Disp: s.Bytes() * j}, v[j])
	}
	bits := hits(s, v, t, magnitude)
	POPCNTQ(bits, bits)
	ADDQ(bits, total)
	ADDQ(I32(4*group), x)
	SUBQ(U8(group), n)
	JMP(LabelRef("loop"))
	Label("done")
	Store(total, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
