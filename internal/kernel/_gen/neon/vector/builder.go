package main

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

type vec = neon.V

// builder emits a kernel. Its methods on vectors read like formulas: each returns a new register. The formulas are
// those of the generator for AVX2, so that results have the same bits.
type builder struct{ *neon.Func }

// width is the number of floats in a vector.
const width = 4

func (b *builder) c(x float64) vec { return b.Const(math.Float32bits(float32(x))) }

func (b *builder) copy(x vec) vec {
	v := b.Vec()
	b.Move(v, x)
	return v
}

func (b *builder) zero() vec {
	v := b.Vec()
	b.Zero(v)
	return v
}

func (b *builder) of1(op neon.Op2, x vec) vec {
	v := b.Vec()
	b.V2(op, v, x)
	return v
}

func (b *builder) of2(op neon.Op, x, y vec) vec {
	v := b.Vec()
	b.V3(op, v, x, y)
	return v
}

func (b *builder) add(x, y vec) vec { return b.of2(neon.FADD, x, y) }
func (b *builder) sub(x, y vec) vec { return b.of2(neon.FSUB, x, y) }
func (b *builder) mul(x, y vec) vec { return b.of2(neon.FMUL, x, y) }
func (b *builder) div(x, y vec) vec { return b.of2(neon.FDIV, x, y) }
func (b *builder) and(x, y vec) vec { return b.of2(neon.AND, x, y) }
func (b *builder) or(x, y vec) vec  { return b.of2(neon.ORR, x, y) }

// above is max(limit, x), and below min(limit, x): NaN stays NaN.
func (b *builder) above(limit float64, x vec) vec { return b.of2(neon.FMAX, b.c(limit), x) }
func (b *builder) below(limit float64, x vec) vec { return b.of2(neon.FMIN, b.c(limit), x) }

// fma is x·y + z, fnma is z - x·y.
func (b *builder) fma(x, y, z vec) vec  { return b.into(neon.FMLA, z, x, y) }
func (b *builder) fnma(x, y, z vec) vec { return b.into(neon.FMLS, z, x, y) }

func (b *builder) into(op neon.Op, z, x, y vec) vec {
	v := b.copy(z)
	b.V3(op, v, x, y)
	return v
}

// polynomial is Σ coefficients[k]·x^k.
func (b *builder) polynomial(x vec, coefficients []float64) vec {
	top := len(coefficients) - 1
	v := b.c(coefficients[top])
	for k := top - 1; k >= 0; k-- {
		v = b.fma(v, x, b.c(coefficients[k]))
	}
	return v
}

// choose returns yes where the mask is set, no elsewhere.
func (b *builder) choose(mask, yes, no vec) vec { return b.into(neon.BSL, mask, yes, no) }

// ordered reports where x is not NaN.
func (b *builder) ordered(x vec) vec { return b.of2(neon.FCMEQ, x, x) }

func (b *builder) shift(s neon.Shift, x vec, n int) vec {
	v := b.Vec()
	b.Shift(s, v, x, n)
	return v
}

// all returns the first element in every element.
func (b *builder) all(x vec) vec {
	v := b.Vec()
	b.Lane(v, x, 0)
	return v
}

// tail is the number of elements of the last, incomplete vector.
type tail struct{ n neon.R }

// mask returns the mask of the tail's elements.
func (b *builder) mask(t *tail) vec {
	n := b.Vec()
	b.Dup(n, t.n)
	return b.of2(neon.CMGT, n, b.Words([4]uint32{0, 1, 2, 3}))
}

// fetch loads a vector. Elements beyond the tail are not read and are 0.
func (b *builder) fetch(p neon.R, vector int, t *tail) vec {
	v := b.Vec()
	if t == nil {
		b.Load(v, neon.Mem{Base: p, Disp: 4 * width * vector})
	} else {
		b.LoadPart(v, neon.Mem{Base: p, Disp: 4 * width * vector}, t.n)
	}
	return v
}

// fetchOr is fetch with another value than 0 beyond the tail.
func (b *builder) fetchOr(missing float64, p neon.R, t *tail) vec {
	v := b.fetch(p, 0, t)
	if t == nil {
		return v
	}
	return b.choose(b.mask(t), v, b.c(missing))
}

func (b *builder) put(v vec, p neon.R, vector int, t *tail) {
	if t == nil {
		b.Store(v, neon.Mem{Base: p, Disp: 4 * width * vector})
	} else {
		b.StorePart(v, neon.Mem{Base: p, Disp: 4 * width * vector}, t.n)
	}
}

// stream emits the loops over n elements: blocks of vectors, single vectors and the rest. It moves the pointers.
func (b *builder) stream(unroll int, n neon.R, pointers []neon.R, step func(vectors int, t *tail)) {
	levels := []int{unroll, 1}
	if unroll == 1 {
		levels = levels[1:]
	}
	for _, vectors := range levels {
		loop, next := b.Unique("loop"), b.Unique("next")
		b.Asm("SUBS", vectors*width, n, n)
		b.Branch("BLT", next)
		b.Label(loop)
		step(vectors, nil)
		for _, p := range pointers {
			b.Asm("ADD", 4*width*vectors, p, p)
		}
		b.Asm("SUBS", vectors*width, n, n)
		b.Branch("BGE", loop)
		b.Label(next)
		b.Asm("ADD", vectors*width, n, n)
	}
	done := b.Unique("done")
	b.Branch("CBZ", done, n)
	step(1, &tail{n})
	b.Label(done)
}

// register returns a copy of a register.
func (b *builder) register(r neon.R) neon.R {
	c := b.Reg()
	b.Asm("MOVD", r, c)
	return c
}
