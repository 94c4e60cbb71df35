package main

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

// lanes is the number of partial results; element i goes to number i mod lanes.
const lanes = 64

// reduction combines the elements of one or two vectors.
type reduction struct {
	name   string
	two    bool
	scalar bool
	// into adds the elements to the partial results acc. Elements beyond the tail are 0 in a, and in b.
	into func(b *builder, acc vec, x []vec, t *tail)
	max  bool
}

var reductions = []reduction{
	{name: "sum", into: func(b *builder, acc vec, x []vec, _ *tail) { b.V3(neon.FADD, acc, acc, x[0]) }},
	{name: "sumAbs", into: func(b *builder, acc vec, x []vec, _ *tail) {
		b.V3(neon.FADD, acc, acc, b.of1(neon.FABS, x[0]))
	}},
	{name: "sumSquares", into: func(b *builder, acc vec, x []vec, _ *tail) { b.V3(neon.FMLA, acc, x[0], x[0]) }},
	{name: "dot", two: true, into: func(b *builder, acc vec, x []vec, _ *tail) { b.V3(neon.FMLA, acc, x[0], x[1]) }},
	{name: "sumSquaredDifferences", scalar: true, into: func(b *builder, acc vec, x []vec, t *tail) {
		d := b.difference(x[0], x[1], t)
		b.V3(neon.FMLA, acc, d, d)
	}},
	{name: "dotDifference", two: true, scalar: true, into: func(b *builder, acc vec, x []vec, t *tail) {
		b.V3(neon.FMLA, acc, x[0], b.difference(x[1], x[2], t))
	}},
	{name: "reduceMax", max: true, into: func(b *builder, acc vec, x []vec, t *tail) {
		v := x[0]
		if t != nil {
			v = b.choose(b.mask(t), v, b.c(math.Inf(-1)))
		}
		b.Move(acc, largest(b, v, acc))
	}},
}

// difference is x - s, and 0 beyond the tail.
func (b *builder) difference(x, s vec, t *tail) vec {
	d := b.sub(x, s)
	if t != nil {
		d = b.and(d, b.mask(t))
	}
	return d
}

// emit emits func(a, b *float32, s float32, n int) float32; b and s are only present if they are used.
func (r reduction) emit(file *neon.File) {
	signature, pointers := "func(a", []string{"a"}
	if r.two {
		signature, pointers = signature+", b", append(pointers, "b")
	}
	signature += " *float32"
	if r.scalar {
		signature += ", s float32"
	}
	b := &builder{file.Func(r.name+"NEON", signature+", n int) (result float32)", 1, "")}
	var base []neon.R
	for _, p := range pointers {
		base = append(base, b.Param(p))
	}
	n := b.Param("n")
	var s []vec
	if r.scalar {
		s = append(s, b.Broadcast("s"))
	}
	acc := make([]vec, lanes/width)
	for j := range acc {
		if r.max {
			acc[j] = b.copy(b.c(math.Inf(-1)))
		} else {
			acc[j] = b.zero()
		}
	}
	r.steps(b, acc, s, base, n)
	b.Asm("FMOVS", b.fold(acc, r.max), b.Result("result"))
	b.Return()
}

// steps emits the loop over whole groups, then the rest, vector by vector.
func (r reduction) steps(b *builder, acc, s []vec, base []neon.R, n neon.R) {
	step := func(j int, t *tail) {
		var x []vec
		for _, p := range base {
			x = append(x, b.fetch(p, j, t))
		}
		r.into(b, acc[j], append(x, s...), t)
	}
	b.Asm("SUBS", lanes, n, n)
	b.Branch("BLT", "rest")
	b.Label("loop")
	for j := range acc {
		step(j, nil)
	}
	for _, p := range base {
		b.Asm("ADD", 4*lanes, p, p)
	}
	b.Asm("SUBS", lanes, n, n)
	b.Branch("BGE", "loop")
	b.Label("rest")
	b.Asm("ADD", lanes, n, n)
	for j := range acc {
		last, next := fmt.Sprint("last", j), fmt.Sprint("next", j)
		b.Asm("CMP", width, n)
		b.Branch("BLT", last)
		step(j, nil)
		b.Asm("SUB", width, n, n)
		b.Branch("JMP", next)
		b.Label(last)
		b.Branch("CBZ", "fold", n)
		step(j, &tail{n})
		b.Branch("JMP", "fold")
		b.Label(next)
	}
	b.Label("fold")
}

// fold combines the partial results pairwise: the first half with the second, and so on.
func (b *builder) fold(acc []vec, max bool) vec {
	for n := len(acc) / 2; n > 0; n /= 2 {
		for j := range n {
			acc[j] = b.combine(acc[j], acc[j+n], max)
		}
	}
	v := b.combine(acc[0], b.of2(neon.TRN2D, acc[0], acc[0]), max)
	second := b.Vec()
	b.Lane(second, v, 1)
	return b.combine(v, second, max)
}

// combine returns x + y, or the larger of both.
func (b *builder) combine(x, y vec, max bool) vec {
	if max {
		return largest(b, x, y)
	}
	return b.add(x, y)
}
