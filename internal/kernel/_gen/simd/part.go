package simd

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// Code is the function that a generator is writing: a *build.Context, or the package's own.
type Code interface {
	GP32() reg.GPVirtual
	GP64() reg.GPVirtual
	XMM() reg.VecVirtual
	Label(name string)
	Instruction(i *ir.Instruction)
}

type current struct{}

func (current) GP32() reg.GPVirtual           { return build.GP32() }
func (current) GP64() reg.GPVirtual           { return build.GP64() }
func (current) XMM() reg.VecVirtual           { return build.XMM() }
func (current) Label(name string)             { build.Label(name) }
func (current) Instruction(i *ir.Instruction) { build.Instruction(i) }

// StorePart writes the lanes of v, a vector of AVX2, that a mask has: the first ones. They go 4, 2 and 1 at a time, because
// AMD's processors take some 40 cycles for a VMASKMOVPS to memory. label is unique in the function.
func StorePart(f Code, v, mask reg.VecVirtual, m Mem, label string) {
	do := func(i *ir.Instruction, err error) {
		if err != nil {
			panic(err)
		}
		f.Instruction(i)
	}
	lanes, at, x := f.GP32(), f.GP64(), f.XMM()
	name := func(n int) string { return fmt.Sprint(label, n) }
	do(x86.VMOVMSKPS(mask, lanes))
	do(x86.TESTL(U32(1<<7), lanes))
	do(x86.JZ(LabelRef(name(4))))
	do(x86.VMOVUPS(v, m))
	do(x86.JMP(LabelRef(name(0))))
	f.Label(name(4))
	do(x86.LEAQ(m, at))
	do(x86.VMOVAPS(v.AsX(), x))
	do(x86.TESTL(U32(1<<3), lanes))
	do(x86.JZ(LabelRef(name(2))))
	do(x86.VMOVUPS(x, Mem{Base: at}))
	do(x86.VEXTRACTF128(U8(1), v, x))
	do(x86.ADDQ(U8(16), at))
	do(x86.SHRL(U8(4), lanes))
	f.Label(name(2))
	do(x86.TESTL(U32(1<<1), lanes))
	do(x86.JZ(LabelRef(name(1))))
	do(x86.VMOVLPS(x, Mem{Base: at}))
	do(x86.VMOVHLPS(x, x, x))
	do(x86.ADDQ(U8(8), at))
	do(x86.SHRL(U8(2), lanes))
	f.Label(name(1))
	do(x86.TESTL(U32(1), lanes))
	do(x86.JZ(LabelRef(name(0))))
	do(x86.VMOVSS(x, Mem{Base: at}))
	f.Label(name(0))
}
