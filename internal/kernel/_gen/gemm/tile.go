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
	fieldNext, fieldNextStep                            = 160, 184
)

// tile computes a gemm.Tile. For every number of rows it has three loops: for tiles of two whole vectors, for tiles
// whose second vector is masked, and for tiles of a single, masked vector.
//
// With terms "Pairs", A and B hold pairs.
func tile(s *simd.ISA, maxRows int, terms string) {
	TEXT("tile"+terms+s.Name, NOSPLIT, "func(t *byte)")
	Doc("tile" + terms + s.Name + " computes t, a Tile of at most " + fmt.Sprint(maxRows) + " rows and two vectors.")
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
		loop(s, t, cols, "full", r, 2, false, terms)
		loop(s, t, cols, "two", r, 2, true, terms)
		loop(s, t, cols, "one", r, 1, true, terms)
	}
}

func loop(s *simd.ISA, t, cols reg.GPVirtual, mode string, rows, vectors int, masked bool, terms string) {
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

	// What is added to C is not in the first-level cache, and will be needed after the loop.
	twice := GP32()
	MOVL(field(fieldBeta), twice)
	ADDL(twice, twice) // -0 is 0
	JZ(LabelRef(label + "rows"))
	old, oldRow := pointer(fieldC), bytes(fieldCRow)
	for range acc {
		for i := range vectors {
			PREFETCHT1(Mem{Base: old, Disp: i * s.Bytes()})
		}
		ADDQ(oldRow, old)
	}
	Label(label + "rows")

	// A pointer to every third row: the next two rows are one and two strides further.
	row := bytes(fieldARow)
	step, bStep := bytes(fieldACol), bytes(fieldBRow)
	b, k := pointer(fieldB), pointer(fieldK)
	next, nextStep := pointer(fieldNext), bytes(fieldNextStep)
	TESTQ(next, next)
	CMOVQEQ(b, next) // fetching from address 0 is slow
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
		if vectors == 1 && s.Wide && terms == "" {
			VFMADD231PS_BCST(m, bv[0], acc[r][0])
			continue
		}
		x := s.Vec()
		VBROADCASTSS(m, x)
		for i, v := range bv {
			if terms == "" {
				VFMADD231PS(v, x, acc[r][i])
			} else {
				addPairs(v, x, acc[r][i])
			}
		}
	}
	for _, p := range a {
		ADDQ(step, p)
	}
	PREFETCHT1(Mem{Base: next})
	ADDQ(nextStep, next)
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
