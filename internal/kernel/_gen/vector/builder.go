package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type (
	vec = reg.VecVirtual
	op  = operand.Op
)

// builder emits kernels of one instruction set. Its methods on vectors read like formulas: each returns a new
// register, and operands are in the order of the formula. An operand that may be in memory is an op, others are vec.
type builder struct {
	*build.Context
	suffix string
	width  int // float32s in a vector

	constants map[uint32]operand.Mem // in the file's data
	tables    map[string]operand.Mem
	hoisted   map[uint32]vec // of the current kernel: kept in registers throughout
	used      []uint32       // by the current kernel, in order of first use
	labels    int
}

func newBuilder(suffix string, width int) *builder {
	return &builder{Context: build.NewContext(), suffix: suffix, width: width,
		constants: map[uint32]operand.Mem{}, tables: map[string]operand.Mem{}}
}

func (b *builder) avx512() bool { return b.width == 16 }

func (b *builder) vec() vec {
	if b.avx512() {
		return b.ZMM()
	}
	return b.YMM()
}

// kernel emits a function. emit runs twice. The first run learns the constants, so that the second can keep as many as
// fit in registers.
func (b *builder) kernel(name, signature string, registers int, emit func(b *builder)) {
	dry := newBuilder(b.suffix, b.width)
	dry.begin(name, signature)
	emit(dry)
	b.hoisted, b.used = map[uint32]vec{}, nil
	b.begin(name, signature)
	for _, bits := range dry.used[:min(len(dry.used), registers)] {
		v := b.vec()
		b.load(b.constant(bits), v)
		b.hoisted[bits] = v
	}
	emit(b)
}

func (b *builder) begin(name, signature string) {
	b.Function(name + b.suffix)
	b.Attributes(attr.NOSPLIT)
	b.Pragma("noescape")
	b.SignatureExpr(signature)
}

func (b *builder) finish() {
	b.VZEROUPPER()
	b.RET()
}

func (b *builder) label(name string) string {
	b.labels++
	return fmt.Sprintf("%s%d", name, b.labels)
}

// constant returns a vector of equal elements in memory: the whole vector for AVX2, one element to broadcast for
// AVX-512.
func (b *builder) constant(bits uint32) operand.Mem {
	if m, ok := b.constants[bits]; ok {
		return m
	}
	m := b.static(fmt.Sprintf("c%08x", bits))
	if b.avx512() {
		b.AppendDatum(operand.U32(bits))
	} else {
		for range b.width / 2 {
			b.AppendDatum(operand.U64(uint64(bits)<<32 | uint64(bits)))
		}
	}
	b.constants[bits] = m
	return m
}

// static begins a piece of read-only data.
func (b *builder) static(name string) operand.Mem {
	m := b.StaticGlobal(name + b.suffix)
	b.DataAttributes(attr.RODATA | attr.NOPTR)
	return m
}

// table is named read-only data.
func (b *builder) table(name string, words []uint64) operand.Mem {
	m, ok := b.tables[name]
	if !ok {
		m = b.static(name)
		for _, w := range words {
			b.AppendDatum(operand.U64(w))
		}
		b.tables[name] = m
	}
	return m
}

func (b *builder) load(constant operand.Mem, v vec) {
	if b.avx512() {
		b.VBROADCASTSS(constant, v)
	} else {
		b.VMOVUPS(constant, v)
	}
}

func (b *builder) bits(bits uint32) op {
	if v, ok := b.hoisted[bits]; ok {
		return v
	}
	m := b.constant(bits)
	found := false
	for _, u := range b.used {
		found = found || u == bits
	}
	if !found {
		b.used = append(b.used, bits)
	}
	if b.avx512() {
		v := b.vec()
		b.load(m, v)
		return v
	}
	return m
}

func (b *builder) c(x float64) op { return b.bits(math.Float32bits(float32(x))) }

// reg returns an operand in a register.
func (b *builder) reg(x op) vec {
	if v, ok := x.(vec); ok {
		return v
	}
	return b.copy(x)
}

func (b *builder) copy(x op) vec {
	v := b.vec()
	b.VMOVUPS(x, v)
	return v
}

// of2 applies an instruction with two sources. If it is not commutative, x is the first source in Intel's order.
func (b *builder) of2(f func(...op), x vec, y op) vec {
	v := b.vec()
	f(y, x, v)
	return v
}

func (b *builder) add(x vec, y op) vec { return b.of2(b.VADDPS, x, y) }
func (b *builder) sub(x vec, y op) vec { return b.of2(b.VSUBPS, x, y) }
func (b *builder) mul(x vec, y op) vec { return b.of2(b.VMULPS, x, y) }
func (b *builder) div(x vec, y op) vec { return b.of2(b.VDIVPS, x, y) }
func (b *builder) and(x vec, y op) vec { return b.of2(b.VANDPS, x, y) }
func (b *builder) or(x vec, y op) vec  { return b.of2(b.VORPS, x, y) }
func (b *builder) xor(x vec, y op) vec { return b.of2(b.VXORPS, x, y) }

// above is max(limit, x), and below min(limit, x), for a constant limit: NaN stays NaN.
func (b *builder) above(limit float64, x vec) vec { return b.of2(b.VMAXPS, b.reg(b.c(limit)), x) }
func (b *builder) below(limit float64, x vec) vec { return b.of2(b.VMINPS, b.reg(b.c(limit)), x) }

// fma is x·y + z.
func (b *builder) fma(x vec, y, z op) vec {
	v := b.copy(z)
	b.VFMADD231PS(y, x, v)
	return v
}

// fnma is z - x·y.
func (b *builder) fnma(x vec, y, z op) vec {
	v := b.copy(z)
	b.VFNMADD231PS(y, x, v)
	return v
}

// polynomial is Σ coefficients[k]·x^k.
func (b *builder) polynomial(x vec, coefficients []float64) vec {
	top := len(coefficients) - 1
	v := b.copy(b.c(coefficients[top]))
	for k := top - 1; k >= 0; k-- {
		b.VFMADD213PS(b.c(coefficients[k]), x, v)
	}
	return v
}

// Predicates of comparisons.
const (
	equal        = 0x00
	notEqual     = 0x04 // or unordered
	unordered    = 0x03
	notLess      = 0x05 // or unordered
	less         = 0x11
	greaterEqual = 0x1d
	greater      = 0x1e
)

// mask is the result of a comparison: an opmask register in AVX-512, a vector of all ones or zeros in AVX2.
type mask struct {
	k reg.OpmaskVirtual
	v vec
}

func (b *builder) compare(predicate uint8, x vec, y op) mask {
	if b.avx512() {
		k := b.K()
		b.VCMPPS(operand.U8(predicate), y, x, k)
		return mask{k: k}
	}
	v := b.vec()
	b.VCMPPS(operand.U8(predicate), y, x, v)
	return mask{v: v}
}

// normal reports where x's exponent is not 0. It uses no arithmetic, which denormals would slow down.
func (b *builder) normal(x vec) mask {
	if b.avx512() {
		k := b.K()
		b.VPTESTMD(b.bits(exponent), x, k)
		return mask{k: k}
	}
	return mask{v: b.of2(b.VPCMPGTD, b.and(x, b.bits(exponent)), b.zero())}
}

// choose returns yes where the mask is set, no elsewhere.
func (b *builder) choose(m mask, yes op, no vec) vec {
	v := b.vec()
	if b.avx512() {
		b.VBLENDMPS(yes, no, m.k, v)
	} else {
		b.VBLENDVPS(m.v, yes, no, v)
	}
	return v
}

// where returns yes where the mask is set, 0 elsewhere.
func (b *builder) where(m mask, yes op) vec {
	v := b.vec()
	if b.avx512() {
		b.VMOVAPS_Z(yes, m.k, v)
	} else {
		b.VANDPS(yes, m.v, v)
	}
	return v
}

const (
	nearest = 0x08
	down    = 0x09
)

// round rounds to whole numbers.
func (b *builder) round(mode uint8, x vec) vec {
	v := b.vec()
	if b.avx512() {
		b.VRNDSCALEPS(operand.U8(mode), x, v)
	} else {
		b.VROUNDPS(operand.U8(mode), x, v)
	}
	return v
}

// toInt converts whole numbers to int32, toFloat converts them back.
func (b *builder) toInt(x vec) vec {
	v := b.vec()
	b.VCVTPS2DQ(x, v)
	return v
}

func (b *builder) toFloat(x vec) vec {
	v := b.vec()
	b.VCVTDQ2PS(x, v)
	return v
}

func (b *builder) addInt(x vec, y op) vec { return b.of2(b.VPADDD, x, y) }
func (b *builder) subInt(x vec, y op) vec { return b.of2(b.VPSUBD, x, y) }
func (b *builder) mulInt(x vec, y op) vec { return b.of2(b.VPMULLD, x, y) }
func (b *builder) minInt(x vec, y op) vec { return b.of2(b.VPMINSD, x, y) }

func (b *builder) shift(f func(...op), x vec, n int) vec {
	v := b.vec()
	f(operand.U8(uint8(n)), x, v)
	return v
}
