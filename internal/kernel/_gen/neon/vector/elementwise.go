package main

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
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
	binary("greater", comparison(neon.FCMGT)),
	binary("greaterEqual", comparison(neon.FCMGE)),
	binary("equal", comparison(neon.FCMEQ)),
	withScalar("addScalar", (*builder).add),
	withScalar("subScalar", (*builder).sub),
	withScalar("mulScalar", (*builder).mul),
	withScalar("divScalar", (*builder).div),
	withScalar("maxScalar", largest),
	withScalar("minScalar", smallest),
	withScalar("greaterScalar", comparison(neon.FCMGT)),
	withScalar("greaterEqualScalar", comparison(neon.FCMGE)),
	withScalar("equalScalar", comparison(neon.FCMEQ)),
	withScalar("scalarSub", flip((*builder).sub)),
	withScalar("scalarDiv", flip((*builder).div)),
	withScalar("scalarGreater", flip(comparison(neon.FCMGT))),
	withScalar("scalarGreaterEqual", flip(comparison(neon.FCMGE))),
	{name: "mulAdd", vectors: "a b c", of: func(b *builder, x []vec) vec { return b.fma(x[0], x[1], x[2]) }},
	{name: "select", vectors: "cond a b", of: func(b *builder, x []vec) vec {
		return b.choose(b.of2(neon.FCMEQ, x[0], b.c(0)), x[2], x[1])
	}},
	{name: "axpy", vectors: "dst a", scalars: "s", of: func(b *builder, x []vec) vec { return b.fma(x[2], x[1], x[0]) }},
	{name: "axpby", vectors: "dst a", scalars: "s t", of: func(b *builder, x []vec) vec {
		return b.fma(x[2], x[1], b.mul(x[3], x[0]))
	}},
	{name: "affine", vectors: "a", scalars: "s t", of: func(b *builder, x []vec) vec { return b.fma(x[1], x[0], x[2]) }},
	{name: "addScaled", vectors: "a b", scalars: "s", of: func(b *builder, x []vec) vec {
		return b.add(x[0], b.mul(x[2], x[1]))
	}},
	simple("neg", neon.FNEG),
	simple("abs", neon.FABS),
	unary("sign", func(b *builder, x vec) vec {
		up := b.and(b.of2(neon.FCMGT, x, b.c(0)), b.c(1))
		down := b.and(b.of2(neon.FCMGT, b.c(0), x), b.c(-1))
		return b.choose(b.ordered(x), b.or(up, down), x)
	}),
	simple("sqrt", neon.FSQRT),
	unary("square", func(b *builder, x vec) vec { return b.mul(x, x) }),
	unary("reciprocal", func(b *builder, x vec) vec { return b.div(b.c(1), x) }),
	simple("floor", neon.FRINTM),
	unary("flush", func(b *builder, x vec) vec { return b.and(b.of2(neon.CMTST, x, b.Const(exponent)), x) }),
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
	exponent = 0x7f800000
)

// largest returns x where x > y or x is NaN, y elsewhere.
func largest(b *builder, x, y vec) vec {
	return b.choose(b.of2(neon.ORN, b.of2(neon.FCMGT, x, y), b.ordered(x)), x, y)
}

func smallest(b *builder, x, y vec) vec {
	return b.choose(b.of2(neon.ORN, b.of2(neon.FCMGT, y, x), b.ordered(x)), x, y)
}

func comparison(op neon.Op) func(b *builder, x, y vec) vec {
	return func(b *builder, x, y vec) vec { return b.and(b.of2(op, x, y), b.c(1)) }
}

func flip(f func(b *builder, x, y vec) vec) func(b *builder, x, y vec) vec {
	return func(b *builder, x, y vec) vec { return f(b, y, x) }
}

func unary(name string, f func(b *builder, x vec) vec) kernel {
	return kernel{name: name, vectors: "a", of: func(b *builder, x []vec) vec { return f(b, x[0]) }}
}

func simple(name string, op neon.Op2) kernel {
	return unary(name, func(b *builder, x vec) vec { return b.of1(op, x) })
}

func transcendental(name string, f func(b *builder, x vec) vec) kernel {
	k := unary(name, f)
	k.heavy = true
	return k
}

func binary(name string, f func(b *builder, x, y vec) vec) kernel {
	return kernel{name: name, vectors: "a b", of: func(b *builder, x []vec) vec { return f(b, x[0], x[1]) }}
}

func withScalar(name string, f func(b *builder, x, y vec) vec) kernel {
	return kernel{name: name, vectors: "a", scalars: "s", of: func(b *builder, x []vec) vec { return f(b, x[0], x[1]) }}
}

// emit emits func(dst, vectors… *float32, scalars… float32, n int). Every element is computed by the same
// instructions.
func (k kernel) emit(file *neon.File) {
	vectors, scalars := strings.Fields(k.vectors), strings.Fields(k.scalars)
	pointers := vectors
	if len(vectors) == 0 || vectors[0] != "dst" {
		pointers = append([]string{"dst"}, vectors...)
	}
	signature := "func(" + strings.Join(pointers, ", ") + " *float32"
	if len(scalars) > 0 {
		signature += ", " + strings.Join(scalars, ", ") + " float32"
	}
	b := &builder{file.Func(k.name+"NEON", signature+", n int)", 20, "")}
	var base []neon.R
	for _, p := range pointers {
		base = append(base, b.Param(p))
	}
	var fixed []vec
	for _, s := range scalars {
		fixed = append(fixed, b.Broadcast(s))
	}
	unroll := 4
	if k.heavy {
		unroll = 1
	}
	b.stream(unroll, b.Param("n"), base, func(count int, t *tail) {
		for i := range count {
			var x []vec
			for _, v := range vectors {
				x = append(x, b.fetch(base[slices.Index(pointers, v)], i, t))
			}
			b.put(k.of(b, append(x, fixed...)), base[0], i, t)
		}
	})
	b.Return()
}
