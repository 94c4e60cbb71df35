package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// A pair is two neighbouring terms of a sum as bfloat16 in a doubleword, the first one below.

// addPairs adds the products of pairs to acc. Go's assembler has no VDPBF16PS, so the code first has an instruction
// with the same operands that no kernel of this command needs: see encodePairs.
func addPairs(x, y, acc Op) { VFMADD213PS(x, y, acc) }

var placeholder = regexp.MustCompile(`(VFMADD213PS|VPACKSSDW) +Z(\d+), Z(\d+), Z(\d+)`)

// encodePairs replaces the placeholders of addPairs and roundAMX in the generated file.
func encodePairs() error {
	path := flag.Lookup("out").Value.String()
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = placeholder.ReplaceAllFunc(text, func(line []byte) []byte {
		parts := placeholder.FindSubmatch(line)
		var r [3]int
		for i, digits := range parts[2:] {
			r[i], _ = strconv.Atoi(string(digits))
		}
		if string(parts[1]) == "VPACKSSDW" {
			return []byte(evex("VCVTNE2PS2BF16", 3, 0x72, r))
		}
		return []byte(evex("VDPBF16PS", 2, 0x52, r))
	})
	return os.WriteFile(path, text, 0o644)
}

// evex encodes an instruction of three vector registers of 512 bits: EVEX.512.F3.0F38.W0, or F2 with prefix 3.
func evex(name string, prefix, opcode int, r [3]int) string {
	x, y, dst := r[0], r[1], r[2]
	not := func(bit int) int { return bit&1 ^ 1 }
	p0 := not(dst>>3)<<7 | not(x>>4)<<6 | not(x>>3)<<5 | not(dst>>4)<<4 | 2
	p1 := (^y&15)<<3 | 1<<2 | prefix
	p2 := 2<<5 | not(y>>4)<<3
	modRM := 3<<6 | dst&7<<3 | x&7
	return fmt.Sprintf("LONG $0x%02x%02x%02x62; WORD $0x%02x%02x // %s Z%d, Z%d, Z%d", p2, p1, p0, modRM, opcode, name,
		x, y, dst)
}

// rounding rounds floats to bfloat16, to the nearest, of two to the even one.
type rounding struct{ one, half, quiet reg.VecVirtual }

func newRounding() rounding {
	r := rounding{ZMM(), ZMM(), ZMM()}
	for _, c := range []struct {
		v reg.VecVirtual
		x uint32
	}{{r.one, 1}, {r.half, 0x7fff}, {r.quiet, 1 << 22}} {
		x := GP32()
		MOVL(U32(c.x), x)
		VPBROADCASTD(x, c.v)
	}
	return r
}

// round returns v with the bfloat16 in the upper halves. The lower halves are of no meaning. NaN becomes quiet.
func (r rounding) round(v reg.VecVirtual) reg.VecVirtual {
	t, nan := ZMM(), K()
	VPSRLD(U8(16), v, t)
	VPANDD(r.one, t, t)
	VPADDD(r.half, t, t)
	VPADDD(v, t, t)
	VCMPPS(U8(3), v, v, nan)
	VPORD(r.quiet, v, nan, t)
	return t
}

// pairRows makes pairs of two rows.
func pairRows(s *simd.ISA) {
	TEXT("pairRows"+s.Name, NOSPLIT, "func(dst, low, high *float32, n int)")
	Doc("pairRows" + s.Name + " makes dst[i] the pair of low[i] and high[i] for i in [0, n).")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, low, high, n := param("dst"), param("low"), param("high"), param("n")
	r := newRounding()
	upper, x := ZMM(), GP32()
	MOVL(U32(0xffff0000), x)
	VPBROADCASTD(x, upper)
	eachVector(s, n, func(mask *simd.Mask) {
		a, b := ZMM(), ZMM()
		load(s, low, mask, a)
		load(s, high, mask, b)
		a, b = r.round(a), r.round(b)
		VPSRLD(U8(16), a, a)
		VPANDD(upper, b, b)
		VPORD(a, b, b)
		if mask != nil {
			s.StoreMasked(b, *mask, Mem{Base: dst})
		} else {
			s.Store(b, Mem{Base: dst})
		}
		for _, p := range []reg.GPVirtual{dst, low, high} {
			ADDQ(U8(s.Bytes()), p)
		}
	})
}

// pairNeighbours makes pairs of the neighbours in a row.
func pairNeighbours(s *simd.ISA) {
	TEXT("pairNeighbours"+s.Name, NOSPLIT, "func(dst, src *float32, n int)")
	Doc("pairNeighbours" + s.Name + " makes dst[i] the pair of src[2*i] and src[2*i+1]; src has n elements, and 0 follows.")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, src, n := param("dst"), param("src"), param("n")
	r := newRounding()
	eachVector(s, n, func(mask *simd.Mask) {
		a, words := ZMM(), YMM()
		load(s, src, mask, a)
		a = r.round(a)
		VPSRLD(U8(16), a, a)
		VPMOVDW(a, words)
		if mask != nil {
			pairs := GP64()
			LEAQ(Mem{Base: n, Disp: 1}, pairs)
			ANDQ(I8(-2), pairs)
			VMOVDQU16(words, s.Mask(pairs).K, Mem{Base: dst})
		} else {
			VMOVDQU16(words, Mem{Base: dst})
		}
		ADDQ(U8(s.Bytes()/2), dst)
		ADDQ(U8(s.Bytes()), src)
	})
}

func load(s *simd.ISA, p reg.GPVirtual, mask *simd.Mask, v reg.VecVirtual) {
	if mask != nil {
		s.LoadMasked(Mem{Base: p}, *mask, v)
	} else {
		s.Load(Mem{Base: p}, v)
	}
}

// eachVector runs body for n elements: for whole vectors without a mask, and for the rest with one. There, n is the
// length of the rest.
func eachVector(s *simd.ISA, n reg.GPVirtual, body func(mask *simd.Mask)) {
	Label("loop")
	CMPQ(n, U8(s.Lanes))
	JLT(LabelRef("rest"))
	body(nil)
	SUBQ(U8(s.Lanes), n)
	JMP(LabelRef("loop"))
	Label("rest")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	mask := s.Mask(n)
	body(&mask)
	Label("done")
	VZEROUPPER()
	RET()
}
