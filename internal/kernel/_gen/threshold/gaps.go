package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The model of gaps; see Gaps in Go.
const (
	window  = 4
	escape  = 24
	regular = 22
)

// sumsOfGaps defines, for each k of the code, the least sum of gaps that has it, and the number of sums that do.
func sumsOfGaps() Mem {
	m := GLOBL("sumsOfGaps", RODATA|NOPTR)
	least := func(k int) uint64 {
		if k == 0 {
			return 0
		}
		return (1<<(k+window+7)+122)/123 - 1<<(window-1)
	}
	for k := range 40 {
		DATA(16*k, U64(least(k)))
		DATA(16*k+8, U64(least(k+1)-least(k)))
	}
	return m
}

// readGaps reads values. The parameter k of the code seldom changes, so the loop guesses that it stays: a value need not
// wait for the gaps before it. The bits that the loop has read ahead are in acc, each the other way round: n of them
// count, at least 56.
func readGaps(sums Mem, multiples bool) {
	name, parameters, with := "readGaps", "dst *int32", "without"
	if multiples {
		name, parameters, with = "readMultiples", "dst, multiples *int32", "with"
	}
	TEXT(name, NOSPLIT, "func("+parameters+", values int, src *byte, bit int, sum uint64, at, end int) "+
		"(left, bitNow int, sumNow uint64, atNow int)")
	Doc(fmt.Sprintf("%s is Set.ReadGaps for values %s multiples.", name, with),
		"It needs eight bytes of src for each value, and eight more.")
	Pragma("noescape")
	dst, left, next := param("dst"), param("values"), param("src")
	bit, sum, at, end := param("bit"), param("sum"), param("at"), param("end")
	var toMultiples reg.GPVirtual
	LEAQ(Mem{Base: dst, Index: left, Scale: 4}, dst)
	if multiples {
		toMultiples = param("multiples")
		LEAQ(Mem{Base: toMultiples, Index: left, Scale: 4}, toMultiples)
	}
	NEGQ(left)
	acc, n := GP64(), GP64()
	MOVQ(bit, n)
	SHRQ(U8(3), bit)
	ADDQ(bit, next)
	ANDQ(U8(7), n)
	MOVQ(Mem{Base: next}, acc)
	NOTQ(acc)
	SHRXQ(n, acc, acc)
	ADDQ(U8(8), next)
	NEGQ(n)
	ADDQ(U8(64), n)
	k, low, width := GP64(), AllocLocal(8), AllocLocal(8)
	JMP(LabelRef("model"))

	Label("loop")
	q, rest, gap, to := GP64(), GP64(), GP64(), GP64() // gap and q are one more
	TZCNTQ(acc, q)
	CMPQ(q, U8(escape))
	JAE(LabelRef("done"))
	INCQ(q)
	SHRXQ(q, acc, rest)
	low1 := GP64()
	BZHIQ(k, rest, low1)
	SHLXQ(k, q, gap)
	SUBQ(low1, gap)
	LEAQ(Mem{Base: at, Index: gap, Scale: 1}, to)
	CMPQ(to, end)
	JA(LabelRef("done"))
	SHRXQ(k, rest, rest)
	after := GP64()
	MOVQ(n, after)
	SUBQ(q, after)
	SUBQ(k, after)
	up := GP64()
	SHRQ(U8(1), rest)
	SBBQ(up, up)
	if multiples {
		readMultiple(rest, after, Mem{Base: toMultiples, Index: left, Scale: 4})
	} else {
		DECQ(after)
	}
	MOVQ(to, at)
	XORL(up.As32(), to.As32())
	SUBL(to.As32(), up.As32())
	MOVL(up.As32(), Mem{Base: dst, Index: left, Scale: 4})
	MOVQ(after, n)
	ahead, bytes := GP64(), GP64()
	MOVQ(Mem{Base: next}, ahead)
	NOTQ(ahead)
	SHLXQ(n, ahead, acc)
	ORQ(rest, acc)
	MOVQ(n, bytes)
	XORQ(U8(63), bytes)
	SHRQ(U8(3), bytes)
	ADDQ(bytes, next)
	ORQ(U8(56), n)
	less := GP64()
	MOVQ(sum, less)
	SHRQ(U8(window), less)
	SUBQ(less, sum)
	LEAQ(Mem{Base: sum, Index: gap, Scale: 1, Disp: -1}, sum)
	INCQ(left)
	JZ(LabelRef("done"))
	beyond := GP64()
	MOVQ(sum, beyond)
	SUBQ(low, beyond)
	CMPQ(beyond, width)
	JB(LabelRef("loop"))

	Label("model")
	argument, table := GP64(), GP64()
	IMUL3Q(U8(123), sum, argument)
	ADDQ(U32(123<<(window-1)), argument)
	SHRQ(U8(window+7), argument)
	ORQ(U8(1), argument)
	BSRQ(argument, k)
	MOVQ(k, argument)
	SHLQ(U8(4), argument)
	LEAQ(sums, table)
	ADDQ(table, argument)
	MOVQ(Mem{Base: argument}, table)
	MOVQ(table, low)
	MOVQ(Mem{Base: argument, Disp: 8}, table)
	MOVQ(table, width)
	JMP(LabelRef("loop"))

	Label("done")
	NEGQ(left)
	SUBQ(address("src"), next)
	SHLQ(U8(3), next)
	SUBQ(n, next)
	for i, x := range []reg.GPVirtual{left, next, sum, at} {
		Store(x, ReturnIndex(i))
	}
	RET()
}

// readMultiple reads a multiple from rest, and subtracts its bits and one more from after.
func readMultiple(rest, after reg.GPVirtual, dst Mem) {
	m, low, value := GP64(), GP64(), GP64()
	TZCNTQ(rest, m)
	CMPQ(m, U8(regular))
	JAE(LabelRef("done"))
	SUBQ(m, after)
	SUBQ(m, after)
	SUBQ(U8(2), after)
	JL(LabelRef("done"))
	SHRXQ(m, rest, rest)
	SHRQ(U8(1), rest)
	MOVQ(I32(-2), value)
	SHLXQ(m, value, value)
	BZHIQ(m, rest, low)
	ADDQ(low, value)
	NOTQ(value)
	SHRXQ(m, rest, rest)
	MOVL(value.As32(), dst)
}
