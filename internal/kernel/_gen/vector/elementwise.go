package main

import (
	"math"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// kernel is an elementwise function of vectors and scalars. If dst is among the vectors, it is also read.
type kernel struct {
	name    string
	vectors string
	scalars string
	of      func(b *builder, x []vec) vec // gets the elements of the vectors, then the scalars
	heavy   bool                          // much arithmetic per element: no unrolling
}

var elementwise = []kernel{
	binary("add", (*builder).add),
	binary("sub", (*builder).sub),
	binary("mul", (*builder).mul),
	binary("div", (*builder).div),
	binary("max", largest),
	binary("min", smallest),
	binary("greater", comparison(greater)),
	binary("greaterEqual", comparison(greaterEqual)),
	binary("equal", comparison(equal)),
	withScalar("addScalar", (*builder).add),
	withScalar("subScalar", (*builder).sub),
	withScalar("mulScalar", (*builder).mul),
	withScalar("divScalar", (*builder).div),
	withScalar("maxScalar", largest),
	withScalar("minScalar", smallest),
	withScalar("greaterScalar", comparison(greater)),
	withScalar("greaterEqualScalar", comparison(greaterEqual)),
	withScalar("equalScalar", comparison(equal)),
	withScalar("scalarSub", flip((*builder).sub)),
	withScalar("scalarDiv", flip((*builder).div)),
	withScalar("scalarGreater", flip(comparison(greater))),
	withScalar("scalarGreaterEqual", flip(comparison(greaterEqual))),
	{name: "mulAdd", vectors: "a b c", of: func(b *builder, x []vec) vec { return b.fma(x[0], x[1], x[2]) }},
	{name: "select", vectors: "cond a b", of: func(b *builder, x []vec) vec {
		return b.choose(b.compare(notEqual, x[0], b.zero()), x[1], x[2])
	}},
	{name: "axpy", vectors: "dst a", scalars: "s", of: func(b *builder, x []vec) vec { return b.fma(x[2], x[1], x[0]) }},
	{name: "axpby", vectors: "dst a", scalars: "s t", of: func(b *builder, x []vec) vec {
		return b.fma(x[2], x[1], b.mul(x[3], x[0]))
	}},
	{name: "affine", vectors: "a", scalars: "s t", of: func(b *builder, x []vec) vec { return b.fma(x[1], x[0], x[2]) }},
	{name: "addScaled", vectors: "a b", scalars: "s", of: func(b *builder, x []vec) vec {
		return b.add(x[0], b.mul(x[2], x[1]))
	}},
	{name: "addMax", vectors: "a b", scalars: "s", of: func(b *builder, x []vec) vec {
		return largest(b, b.add(x[0], x[1]), x[2])
	}},
	{name: "norm", vectors: "a", scalars: "s t u", of: norm},
	{name: "normMax", vectors: "a", scalars: "s t u v", of: func(b *builder, x []vec) vec {
		return largest(b, norm(b, x), x[4])
	}},
	{name: "normAddMax", vectors: "a b", scalars: "s t u v", of: func(b *builder, x []vec) vec {
		y := norm(b, []vec{x[0], x[2], x[3], x[4]})
		return largest(b, b.add(y, x[1]), x[5])
	}},
	{name: "subAffine", vectors: "a", scalars: "s t u", of: func(b *builder, x []vec) vec {
		return b.fma(x[2], b.sub(x[0], x[1]), x[3])
	}},
	{name: "normGrad", vectors: "a b", scalars: "s t u v", of: func(b *builder, x []vec) vec {
		return b.add(b.fma(x[3], x[1], b.mul(x[4], b.sub(x[0], x[2]))), x[5])
	}},
	{name: "mulGreater", vectors: "a b", scalars: "s", of: func(b *builder, x []vec) vec {
		return b.mul(x[0], b.where(b.compare(greater, x[1], x[2]), b.c(1)))
	}},
	{name: "tanhGrad", vectors: "a b", of: func(b *builder, x []vec) vec {
		return b.mul(x[0], b.sub(b.reg(b.c(1)), b.mul(x[1], x[1])))
	}},
	{name: "sigmoidGrad", vectors: "a b", of: func(b *builder, x []vec) vec {
		return b.mul(x[0], b.mul(x[1], b.sub(b.reg(b.c(1)), x[1])))
	}},
	unary("neg", func(b *builder, x vec) vec { return b.xor(x, b.bits(signBit)) }),
	unary("abs", (*builder).abs),
	unary("sign", func(b *builder, x vec) vec {
		zero := b.zero()
		sign := b.or(b.where(b.compare(greater, x, zero), b.c(1)), b.where(b.compare(less, x, zero), b.c(-1)))
		return b.choose(b.compare(unordered, x, x), x, sign)
	}),
	unary("sqrt", func(b *builder, x vec) vec {
		v := b.vec()
		b.VSQRTPS(x, v)
		return v
	}),
	unary("square", func(b *builder, x vec) vec { return b.mul(x, x) }),
	unary("reciprocal", func(b *builder, x vec) vec { return b.div(b.reg(b.c(1)), x) }),
	unary("floor", func(b *builder, x vec) vec { return b.round(down, x) }),
	unary("flush", func(b *builder, x vec) vec { return b.where(b.normal(x), x) }),
	transcendental("exp", (*builder).exp),
	transcendental("expm1", (*builder).expm1),
	transcendental("log", (*builder).log),
	transcendental("log1p", (*builder).log1p),
	transcendental("tanh", (*builder).tanh),
	transcendental("sigmoid", (*builder).sigmoid),
	transcendental("softplus", (*builder).softplus),
	{name: "fill", scalars: "s", of: func(b *builder, x []vec) vec { return x[0] }},
}

const (
	signBit  = 1 << 31
	allBut   = signBit - 1
	exponent = 0x7f800000
)

func (b *builder) zero() vec {
	v := b.vec()
	b.VXORPS(v, v, v)
	return v
}

func (b *builder) abs(x vec) vec { return b.and(x, b.bits(allBut)) }

// largest returns x where x > y or x is NaN, y elsewhere.
func largest(b *builder, x vec, y op) vec {
	return b.choose(b.compare(unordered, x, x), x, b.of2(b.VMAXPS, x, y))
}

// norm is (a - s)·t + u, each operation rounded.
func norm(b *builder, x []vec) vec { return b.add(b.mul(b.sub(x[0], x[1]), x[2]), x[3]) }

func smallest(b *builder, x vec, y op) vec {
	return b.choose(b.compare(unordered, x, x), x, b.of2(b.VMINPS, x, y))
}

func comparison(predicate uint8) func(b *builder, x vec, y op) vec {
	return func(b *builder, x vec, y op) vec { return b.where(b.compare(predicate, x, y), b.c(1)) }
}

func flip(f func(b *builder, x vec, y op) vec) func(b *builder, x vec, y op) vec {
	return func(b *builder, x vec, y op) vec { return f(b, y.(vec), x) }
}

func unary(name string, f func(b *builder, x vec) vec) kernel {
	return kernel{name: name, vectors: "a", of: func(b *builder, x []vec) vec { return f(b, x[0]) }}
}

func transcendental(name string, f func(b *builder, x vec) vec) kernel {
	k := unary(name, f)
	k.heavy = true
	return k
}

func binary(name string, f func(b *builder, x vec, y op) vec) kernel {
	return kernel{name: name, vectors: "a b", of: func(b *builder, x []vec) vec { return f(b, x[0], x[1]) }}
}

func withScalar(name string, f func(b *builder, x vec, y op) vec) kernel {
	return kernel{name: name, vectors: "a", scalars: "s", of: func(b *builder, x []vec) vec { return f(b, x[0], x[1]) }}
}

// elementwise emits func(dst, vectors… *float32, scalars… float32, n int): blocks of four vectors, single vectors, and
// a masked vector for the rest. So every element is computed by the same instructions.
func (b *builder) elementwise(k kernel) {
	vectors, scalars := strings.Fields(k.vectors), strings.Fields(k.scalars)
	pointers := vectors
	if len(vectors) == 0 || vectors[0] != "dst" {
		pointers = append([]string{"dst"}, vectors...)
	}
	signature := "func(" + strings.Join(pointers, ", ") + " *float32"
	if len(scalars) > 0 {
		signature += ", " + strings.Join(scalars, ", ") + " float32"
	}
	registers := 20
	if !b.avx512() {
		registers = 4
	}
	b.kernel(k.name, signature+", n int)", registers, func(b *builder) {
		base := map[string]reg.Register{}
		for _, p := range pointers {
			base[p] = b.Load(b.Param(p), b.GP64())
		}
		var fixed []vec
		for _, s := range scalars {
			fixed = append(fixed, b.broadcast(s))
		}
		step := func(i reg.Register, vector int, t *tail) {
			var x []vec
			for _, v := range vectors {
				x = append(x, b.fetch(b.at(base[v], i, vector), t))
			}
			b.store(k.of(b, append(x, fixed...)), b.at(base["dst"], i, vector), t)
		}
		unroll := 4
		if k.heavy {
			unroll = 1
		}
		b.stream(unroll, step)
		b.finish()
	})
}

// broadcast returns a vector with a scalar parameter in every element.
func (b *builder) broadcast(param string) vec {
	p, err := b.Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	v := b.vec()
	b.VBROADCASTSS(p.Addr, v)
	return v
}

// at is the address of a vector, counted from element i.
func (b *builder) at(base, i reg.Register, vector int) operand.Mem {
	return operand.Mem{Base: base, Index: i, Scale: 4, Disp: 4 * b.width * vector}
}

// stream emits the loops over the n elements that parameter n counts. step gets the index of the next element, the
// number of the vector counted from there, and a mask for the last, incomplete vector.
func (b *builder) stream(unroll int, step func(i reg.Register, vector int, t *tail)) {
	b.streamBlocks(unroll, func(i reg.Register, vectors int, t *tail) {
		for vector := range vectors {
			step(i, vector, t)
		}
	})
}

// streamBlocks is stream with whole blocks of vectors at once.
func (b *builder) streamBlocks(unroll int, step func(i reg.Register, vectors int, t *tail)) {
	i, n := b.GP64(), b.GP64()
	b.XORQ(i, i)
	b.Load(b.Param("n"), n)
	levels := []int{unroll, 1}
	if unroll == 1 {
		levels = levels[1:]
	}
	for _, vectors := range levels {
		block, loop, next := operand.I32(vectors*b.width), b.label("loop"), b.label("next")
		b.CMPQ(n, block)
		b.JLT(operand.LabelRef(next))
		b.Label(loop)
		step(i, vectors, nil)
		b.ADDQ(block, i)
		b.SUBQ(block, n)
		b.CMPQ(n, block)
		b.JGE(operand.LabelRef(loop))
		b.Label(next)
	}
	done := b.label("done")
	b.TESTQ(n, n)
	b.JZ(operand.LabelRef(done))
	step(i, 1, b.tail(n))
	b.Label(done)
}

// tail returns the mask of the last, incomplete vector.
type tail struct{ mask }

func (b *builder) tail(n reg.GPVirtual) *tail {
	if b.avx512() {
		bits, k := b.GP64(), b.K()
		b.MOVQ(operand.I32(-1), bits)
		b.BZHIQ(n, bits, bits)
		b.KMOVW(bits.As32(), k)
		return &tail{mask{k: k}}
	}
	table, at, v := b.GP64(), b.GP64(), b.vec()
	b.LEAQ(b.tailTable(), table)
	b.MOVQ(n, at)
	b.NEGQ(at)
	b.VMOVUPS(operand.Mem{Base: table, Index: at, Scale: 4, Disp: 4 * b.width}, v)
	return &tail{mask{v: v}}
}

// tailTable is a vector of ones followed by a vector of zeros. The mask for n begins n elements before the middle.
func (b *builder) tailTable() operand.Mem {
	words := make([]uint64, b.width)
	for i := range b.width / 2 {
		words[i] = math.MaxUint64
	}
	return b.table("tail", words)
}

// fetch loads a vector. Elements beyond the tail are not read and are 0.
func (b *builder) fetch(m operand.Mem, t *tail) vec {
	v := b.vec()
	switch {
	case t == nil:
		b.VMOVUPS(m, v)
	case b.avx512():
		b.VMOVUPS_Z(m, t.k, v)
	default:
		b.VMASKMOVPS(m, t.v, v)
	}
	return v
}

func (b *builder) store(v vec, m operand.Mem, t *tail) {
	switch {
	case t == nil:
		b.VMOVUPS(v, m)
	case b.avx512():
		b.VMOVUPS(v, t.k, m)
	default:
		simd.StorePart(b, v, t.v, m, b.label("part")+"lanes")
	}
}
