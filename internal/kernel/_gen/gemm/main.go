// Command gemm writes the micro-kernels of matrix products.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// The fields of gemm.Tile.
const (
	fieldA, fieldB, fieldC, fieldStart                  = 0, 24, 48, 72
	fieldARow, fieldACol, fieldBRow, fieldCRow          = 96, 104, 112, 120
	fieldRows, fieldCols, fieldK, fieldAlpha, fieldBeta = 128, 136, 144, 152, 156
)

func main() {
	ConstraintExpr("amd64,!noasm")
	tile(simd.AVX512(), 12)
	tile(simd.AVX2("tileMasks"), 6)
	transpose()
	Generate()
}

// tile computes the Tile t of: for every number of rows, one loop for tiles of two whole vectors, one for those whose
// second vector is masked, and one for those with a single, masked vector.
func tile(s *simd.ISA, maxRows int) {
	TEXT("tile"+s.Name, NOSPLIT, "func(t *byte)")
	Doc("tile" + s.Name + " computes t, a Tile of at most " + fmt.Sprint(maxRows) + " rows and two vectors.")
	Pragma("noescape")
	t := Load(Param("t"), GP64()).(reg.GPVirtual)
	field := func(offset int) Mem { return Mem{Base: t, Disp: offset} }

	cols, rows := GP64(), GP64()
	MOVQ(field(fieldCols), cols)
	MOVQ(field(fieldRows), rows)
	CMPQ(cols, U8(s.Lanes))
	JLE(LabelRef("one"))
	SUBQ(U8(s.Lanes), cols)
	CMPQ(cols, U8(s.Lanes))
	JNE(LabelRef("two"))
	for _, mode := range []string{"full", "two", "one"} {
		Label(mode)
		for r := maxRows; r > 1; r-- {
			CMPQ(rows, U8(r))
			JEQ(LabelRef(fmt.Sprint(mode, r)))
		}
		JMP(LabelRef(mode + "1"))
	}
	for r := maxRows; r >= 1; r-- {
		loop(s, t, cols, "full", r, 2, false)
		loop(s, t, cols, "two", r, 2, true)
		loop(s, t, cols, "one", r, 1, true)
	}
}

func loop(s *simd.ISA, t, cols reg.GPVirtual, mode string, rows, vectors int, masked bool) {
	label := fmt.Sprint(mode, rows)
	Label(label)
	field := func(offset int) Mem { return Mem{Base: t, Disp: offset} }
	pointer := func(offset int) reg.GPVirtual {
		r := GP64()
		MOVQ(field(offset), r)
		return r
	}
	bytes := func(offset int) reg.GPVirtual {
		r := pointer(offset)
		SHLQ(U8(2), r)
		return r
	}

	acc := make([][]reg.VecVirtual, rows)
	for r := range acc {
		for range vectors {
			acc[r] = append(acc[r], s.Vec())
		}
	}
	var mask simd.Mask
	if masked {
		mask = s.Mask(cols)
	}

	start := pointer(fieldStart)
	n := GP64()
	MOVQ(field(fieldStart+8), n)
	TESTQ(n, n)
	JZ(LabelRef(label + "zero"))
	for r := range acc {
		VBROADCASTSS(Mem{Base: start, Disp: 4 * r}, acc[r][0])
		if vectors == 2 {
			VMOVAPS(acc[r][0], acc[r][1])
		}
	}
	JMP(LabelRef(label + "begin"))
	Label(label + "zero")
	for r := range acc {
		for _, v := range acc[r] {
			s.Zero(v)
		}
	}
	Label(label + "begin")

	// A pointer to every third row: the two after it are one and two strides on.
	row := bytes(fieldARow)
	step, bStep := bytes(fieldACol), bytes(fieldBRow)
	b, k := pointer(fieldB), pointer(fieldK)
	a := []reg.GPVirtual{pointer(fieldA)}
	if rows > 3 {
		three := GP64()
		LEAQ(Mem{Base: row, Index: row, Scale: 2}, three)
		for r := 3; r < rows; r += 3 {
			p := GP64()
			LEAQ(Mem{Base: a[len(a)-1], Index: three, Scale: 1}, p)
			a = append(a, p)
		}
	}
	TESTQ(k, k)
	JZ(LabelRef(label + "end"))

	Label(label + "loop")
	bv := []reg.VecVirtual{s.Vec()}
	if vectors == 2 {
		bv = append(bv, s.Vec())
	}
	for i, v := range bv {
		m := Mem{Base: b, Disp: i * s.Bytes()}
		if masked && i == vectors-1 {
			s.LoadMasked(m, mask, v)
		} else {
			s.Load(m, v)
		}
	}
	for r := range acc {
		m := Mem{Base: a[r/3]}
		if r%3 > 0 {
			m.Index, m.Scale = row, uint8(r%3)
		}
		if vectors == 1 && s.Wide {
			VFMADD231PS_BCST(m, bv[0], acc[r][0])
			continue
		}
		x := s.Vec()
		VBROADCASTSS(m, x)
		for i, v := range bv {
			VFMADD231PS(v, x, acc[r][i])
		}
	}
	for _, p := range a {
		ADDQ(step, p)
	}
	ADDQ(bStep, b)
	DECQ(k)
	JNZ(LabelRef(label + "loop"))
	Label(label + "end")

	c, cRow := pointer(fieldC), bytes(fieldCRow)
	alpha, beta := GP32(), GP32()
	MOVL(field(fieldAlpha), alpha)
	MOVL(field(fieldBeta), beta)
	store := func(v reg.VecVirtual, i int) {
		m := Mem{Base: c, Disp: i * s.Bytes()}
		if masked && i == vectors-1 {
			s.StoreMasked(v, mask, m)
		} else {
			s.Store(v, m)
		}
	}
	ADDL(beta, beta) // -0 is 0
	JNZ(LabelRef(label + "beta"))
	CMPL(alpha, U32(0x3f800000))
	JNE(LabelRef(label + "alpha"))
	for r := range acc {
		for i, v := range acc[r] {
			store(v, i)
		}
		ADDQ(cRow, c)
	}
	JMP(LabelRef(label + "done"))

	Label(label + "alpha")
	factor := s.Vec()
	VBROADCASTSS(field(fieldAlpha), factor)
	for r := range acc {
		for i, v := range acc[r] {
			VMULPS(factor, v, v)
			store(v, i)
		}
		ADDQ(cRow, c)
	}
	JMP(LabelRef(label + "done"))

	Label(label + "beta")
	factor = s.Vec()
	VBROADCASTSS(field(fieldAlpha), factor)
	for r := range acc {
		for _, v := range acc[r] {
			VMULPS(factor, v, v)
		}
	}
	VBROADCASTSS(field(fieldBeta), factor)
	for r := range acc {
		for i, v := range acc[r] {
			old := s.Vec()
			m := Mem{Base: c, Disp: i * s.Bytes()}
			if masked && i == vectors-1 {
				s.LoadMasked(m, mask, old)
			} else {
				s.Load(m, old)
			}
			VFMADD231PS(factor, old, v)
			store(v, i)
		}
		ADDQ(cRow, c)
	}
	Label(label + "done")
	if s.Lanes > 4 {
		VZEROUPPER()
	}
	RET()
}

// transpose copies blocks of 16 by 16; at the edges, rows beyond the last are loaded from the last, and not stored.
func transpose() {
	TEXT("transposeAVX512", NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow, rows, cols int)")
	Doc("transposeAVX512 copies src [rows, cols] to dst [cols, rows].")
	Pragma("noescape")
	s := simd.AVX512()
	dst0 := Load(Param("dst"), GP64()).(reg.GPVirtual)
	dstRow := Load(Param("dstRow"), GP64()).(reg.GPVirtual)
	src0 := Load(Param("src"), GP64()).(reg.GPVirtual)
	srcRow := Load(Param("srcRow"), GP64()).(reg.GPVirtual)
	rows := Load(Param("rows"), GP64()).(reg.GPVirtual)
	SHLQ(U8(2), dstRow)
	SHLQ(U8(2), srcRow)

	Label("rowBlocks")
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	src, dst, cols, high, wide := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(src0, src)
	MOVQ(dst0, dst)
	Load(Param("cols"), cols)
	atMost16 := func(n, out reg.GPVirtual) {
		sixteen := GP64()
		MOVQ(U32(16), sixteen)
		MOVQ(n, out)
		CMPQ(n, U8(16))
		CMOVQGT(sixteen, out)
	}
	atMost16(rows, high)
	storeMask := s.Mask(high)

	Label("colBlocks")
	TESTQ(cols, cols)
	JLE(LabelRef("nextRows"))
	atMost16(cols, wide)
	loadMask := s.Mask(wide)
	from, next := GP64(), GP64()
	MOVQ(src, from)
	r := make([]reg.VecVirtual, 16)
	for i := range r {
		r[i] = ZMM()
		s.LoadMasked(Mem{Base: from}, loadMask, r[i])
		if i < 15 {
			LEAQ(Mem{Base: from, Index: srcRow, Scale: 1}, next)
			CMPQ(high, U8(i+1))
			CMOVQGT(next, from)
		}
	}
	pairs := func(lo, hi func(b, a, d Op)) func(a, b reg.VecVirtual) (reg.VecVirtual, reg.VecVirtual) {
		return func(a, b reg.VecVirtual) (reg.VecVirtual, reg.VecVirtual) {
			x, y := ZMM(), ZMM()
			lo(b, a, x)
			hi(b, a, y)
			return x, y
		}
	}
	floats := pairs(func(b, a, d Op) { VUNPCKLPS(b, a, d) }, func(b, a, d Op) { VUNPCKHPS(b, a, d) })
	doubles := pairs(func(b, a, d Op) { VUNPCKLPD(b, a, d) }, func(b, a, d Op) { VUNPCKHPD(b, a, d) })
	quarters := pairs(func(b, a, d Op) { VSHUFF32X4(U8(0x88), b, a, d) }, func(b, a, d Op) { VSHUFF32X4(U8(0xdd), b, a, d) })
	for i := 0; i < 16; i += 2 {
		r[i], r[i+1] = floats(r[i], r[i+1])
	}
	for g := 0; g < 16; g += 4 {
		a, b := doubles(r[g], r[g+2])
		c, d := doubles(r[g+1], r[g+3])
		r[g], r[g+1], r[g+2], r[g+3] = a, b, c, d
	}
	for j := range 4 {
		// Of each four rows, r[.+j] now has columns j, 4+j, 8+j and 12+j.
		v0, v1 := quarters(r[j], r[4+j])
		w0, w1 := quarters(r[8+j], r[12+j])
		r[j], r[8+j] = quarters(v0, w0)
		r[4+j], r[12+j] = quarters(v1, w1)
	}
	to := GP64()
	MOVQ(dst, to)
	for c := range r {
		s.StoreMasked(r[c], storeMask, Mem{Base: to})
		if c < 15 {
			CMPQ(wide, U8(c+1))
			JEQ(LabelRef("nextCols"))
			ADDQ(dstRow, to)
		}
	}
	ADDQ(dstRow, to)
	Label("nextCols")
	MOVQ(to, dst)
	ADDQ(U8(64), src)
	SUBQ(U8(16), cols)
	JMP(LabelRef("colBlocks"))

	Label("nextRows")
	high16 := GP64()
	MOVQ(srcRow, high16)
	SHLQ(U8(4), high16)
	ADDQ(high16, src0)
	ADDQ(U8(64), dst0)
	SUBQ(U8(16), rows)
	JMP(LabelRef("rowBlocks"))
	Label("done")
	VZEROUPPER()
	RET()
}
