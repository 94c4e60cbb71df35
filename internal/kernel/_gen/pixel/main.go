// Command pixel writes the kernels of pictures.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	inverse()
	blend()
	widen()
	colours()
	squeeze()
	mix()
	Generate()
}

func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// words returns a vector that repeats some 16-bit numbers.
func words(name string, of ...int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(2*i, I16(int16(of[i%len(of)])))
	}
	return m
}

// doublewords returns a vector that repeats some 32-bit numbers.
func doublewords(name string, of ...int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, I32(int32(of[i%len(of)])))
	}
	return m
}

// repeat emits body for n groups.
func repeat(n reg.GPVirtual, body func()) {
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	body()
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
