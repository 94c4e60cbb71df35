// Command gemm writes the micro-kernels of matrix products.
package main

import (
	"fmt"
	"math/bits"

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
	wide, narrow := simd.AVX512(), simd.AVX2("tileMasks")
	tile(wide, 12)
	tile(narrow, 6)
	for _, s := range []*simd.ISA{wide, narrow} {
		transpose(s)
		vector(s)
	}
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

// transpose copies square blocks of one vector's lanes; at the edges, rows beyond the last are loaded from the last, and
// not stored.
func transpose(s *simd.ISA) {
	n := s.Lanes
	TEXT("transpose"+s.Name, NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow, rows, cols int)")
	Doc("transpose" + s.Name + " copies src [rows, cols] to dst [cols, rows].")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst0, dstRow, src0, srcRow, rows := param("dst"), param("dstRow"), param("src"), param("srcRow"), param("rows")
	SHLQ(U8(2), dstRow)
	SHLQ(U8(2), srcRow)

	Label("rowBlocks")
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	src, dst, cols, high, wide := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(src0, src)
	MOVQ(dst0, dst)
	Load(Param("cols"), cols)
	atMost := func(x, out reg.GPVirtual) {
		limit := GP64()
		MOVQ(U32(n), limit)
		MOVQ(x, out)
		CMPQ(x, limit)
		CMOVQGT(limit, out)
	}
	atMost(rows, high)
	storeMask := s.Mask(high)

	Label("colBlocks")
	TESTQ(cols, cols)
	JLE(LabelRef("nextRows"))
	atMost(cols, wide)
	both, next := GP64(), GP64()
	LEAQ(Mem{Base: wide, Index: high, Scale: 1}, both)
	CMPQ(both, U8(2*n))
	JNE(LabelRef("part"))

	swap := func(load func(i int, m Mem, v reg.VecVirtual), store func(i int, v reg.VecVirtual, m Mem), step func(i int, from reg.GPVirtual)) {
		from, to := GP64(), GP64()
		MOVQ(src, from)
		r := make([]reg.VecVirtual, n)
		for i := range r {
			r[i] = s.Vec()
			load(i, Mem{Base: from}, r[i])
			if i < n-1 {
				step(i, from)
			}
		}
		if s.Wide {
			swap16(r)
		} else {
			swap8(r)
		}
		MOVQ(dst, to)
		for i, v := range r {
			store(i, v, Mem{Base: to})
			ADDQ(dstRow, to)
		}
		MOVQ(to, dst)
		ADDQ(U8(s.Bytes()), src)
		SUBQ(U8(n), cols)
		JMP(LabelRef("colBlocks"))
	}
	swap(func(_ int, m Mem, v reg.VecVirtual) { s.Load(m, v) },
		func(_ int, v reg.VecVirtual, m Mem) { s.Store(v, m) },
		func(_ int, from reg.GPVirtual) { ADDQ(srcRow, from) })
	Label("part")
	loadMask := s.Mask(wide)
	swap(func(_ int, m Mem, v reg.VecVirtual) { s.LoadMasked(m, loadMask, v) },
		func(i int, v reg.VecVirtual, m Mem) {
			s.StoreMasked(v, storeMask, m)
			if i < n-1 {
				CMPQ(wide, U8(i+1))
				JEQ(LabelRef("nextRows"))
			}
		},
		func(i int, from reg.GPVirtual) {
			LEAQ(Mem{Base: from, Index: srcRow, Scale: 1}, next)
			CMPQ(high, U8(i+1))
			CMOVQGT(next, from)
		})

	Label("nextRows")
	block := GP64()
	MOVQ(srcRow, block)
	SHLQ(U8(bits.Len(uint(n))-1), block)
	ADDQ(block, src0)
	ADDQ(U8(s.Bytes()), dst0)
	SUBQ(U8(n), rows)
	JMP(LabelRef("rowBlocks"))
	Label("done")
	VZEROUPPER()
	RET()
}

// vector multiplies rows by a vector: square blocks of the rows are transposed in registers, so that every element
// remains one chain of multiply-adds.
func vector(s *simd.ISA) {
	n := s.Lanes
	TEXT("vector"+s.Name, NOSPLIT, "func(y, w *float32, wRow int, x *float32, xStep, rows, k int, alpha, beta float32)")
	Doc(fmt.Sprintf("vector%s computes y[r] = alpha*Σ w[r*wRow+i]*x[i*xStep] + beta*y[r] for r in [0, rows), rows at most %d.",
		s.Name, n))
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	w, wRow, x, xStep, rows, k := param("w"), param("wRow"), param("x"), param("xStep"), param("rows"), param("k")
	SHLQ(U8(2), wRow)
	SHLQ(U8(2), xStep)
	acc := s.Vec()
	s.Zero(acc)
	from, next := GP64(), GP64()

	block := func(load func(m Mem, v reg.VecVirtual), last func(i int)) {
		MOVQ(w, from)
		r := make([]reg.VecVirtual, n)
		for i := range r {
			r[i] = s.Vec()
			load(Mem{Base: from}, r[i])
			if i < n-1 {
				LEAQ(Mem{Base: from, Index: wRow, Scale: 1}, next)
				CMPQ(rows, U8(i+1))
				CMOVQGT(next, from)
			}
		}
		if s.Wide {
			swap16(r)
		} else {
			swap8(r)
		}
		for i := range r {
			if s.Wide {
				VFMADD231PS_BCST(Mem{Base: x}, r[i], acc)
			} else {
				v := s.Vec()
				VBROADCASTSS(Mem{Base: x}, v)
				VFMADD231PS(v, r[i], acc)
			}
			ADDQ(xStep, x)
			last(i)
		}
	}
	Label("loop")
	CMPQ(k, U8(n))
	JLT(LabelRef("tail"))
	block(s.Load, func(int) {})
	ADDQ(U8(s.Bytes()), w)
	SUBQ(U8(n), k)
	JMP(LabelRef("loop"))
	Label("tail")
	TESTQ(k, k)
	JZ(LabelRef("store"))
	mask := s.Mask(k)
	block(func(m Mem, v reg.VecVirtual) { s.LoadMasked(m, mask, v) }, func(i int) {
		if i < n-1 {
			CMPQ(k, U8(i+1))
			JEQ(LabelRef("store"))
		}
	})

	Label("store")
	y := param("y")
	factor, old := s.Vec(), s.Vec()
	lanes := s.Mask(rows)
	float := func(name string) Mem {
		c, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return c.Addr
	}
	VBROADCASTSS(float("alpha"), factor)
	VMULPS(factor, acc, acc)
	beta := GP32()
	MOVL(float("beta"), beta)
	ADDL(beta, beta) // -0 is 0
	JZ(LabelRef("new"))
	VBROADCASTSS(float("beta"), factor)
	s.LoadMasked(Mem{Base: y}, lanes, old)
	VFMADD231PS(factor, old, acc)
	Label("new")
	s.StoreMasked(acc, lanes, Mem{Base: y})
	VZEROUPPER()
	RET()
}

// pairs applies two instructions to two registers.
func pairs(lo, hi func(b, a, d Op)) func(a, b reg.VecVirtual, fresh func() reg.VecVirtual) (x, y reg.VecVirtual) {
	return func(a, b reg.VecVirtual, fresh func() reg.VecVirtual) (x, y reg.VecVirtual) {
		x, y = fresh(), fresh()
		lo(b, a, x)
		hi(b, a, y)
		return x, y
	}
}

var (
	floats   = pairs(func(b, a, d Op) { VUNPCKLPS(b, a, d) }, func(b, a, d Op) { VUNPCKHPS(b, a, d) })
	doubles  = pairs(func(b, a, d Op) { VUNPCKLPD(b, a, d) }, func(b, a, d Op) { VUNPCKHPD(b, a, d) })
	halves   = pairs(func(b, a, d Op) { VPERM2F128(U8(0x20), b, a, d) }, func(b, a, d Op) { VPERM2F128(U8(0x31), b, a, d) })
	quarters = pairs(func(b, a, d Op) { VSHUFF32X4(U8(0x88), b, a, d) }, func(b, a, d Op) { VSHUFF32X4(U8(0xdd), b, a, d) })
)

// fours transposes within every four rows: then, of each four, r[.+j] has columns j, 4+j, and so on.
func fours(r []reg.VecVirtual, fresh func() reg.VecVirtual) {
	for i := 0; i < len(r); i += 2 {
		r[i], r[i+1] = floats(r[i], r[i+1], fresh)
	}
	for g := 0; g < len(r); g += 4 {
		a, b := doubles(r[g], r[g+2], fresh)
		c, d := doubles(r[g+1], r[g+3], fresh)
		r[g], r[g+1], r[g+2], r[g+3] = a, b, c, d
	}
}

func swap16(r []reg.VecVirtual) {
	fours(r, ZMM)
	for j := range 4 {
		v0, v1 := quarters(r[j], r[4+j], ZMM)
		w0, w1 := quarters(r[8+j], r[12+j], ZMM)
		r[j], r[8+j] = quarters(v0, w0, ZMM)
		r[4+j], r[12+j] = quarters(v1, w1, ZMM)
	}
}

func swap8(r []reg.VecVirtual) {
	fours(r, YMM)
	for j := range 4 {
		r[j], r[4+j] = halves(r[j], r[4+j], YMM)
	}
}
