package xla

import (
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// val is a value of StableHLO: its name, and the shape and type of its elements.
type val struct {
	name  string
	shape tensor.Shape
	elem  string // f32, i32, ui32 or i1
}

func (v val) kind() string { return kindOf(v.shape, v.elem) }

// kindOf writes a tensor type: tensor<2x3xf32>.
func kindOf(s tensor.Shape, elem string) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, d := range s {
		fmt.Fprintf(&b, "%dx", d)
	}
	return b.String() + elem + ">"
}

// emitter writes the operations of a function.
type emitter struct {
	strings.Builder
	next   int
	random map[uint64]int // the index of a stream's keys
	keys   val            // all streams' keys, [streams, 2]
	known  map[*program.Value]val
	used   map[*program.Value]bool
	arithmetic
}

// op writes one operation and returns its result. format holds its operands, attributes and type.
func (e *emitter) op(shape tensor.Shape, elem, format string, args ...any) val {
	v := val{fmt.Sprintf("%%%d", e.next), shape, elem}
	e.next++
	fmt.Fprintf(e, "%s = stablehlo.%s\n", v.name, fmt.Sprintf(format, args...))
	return v
}

// unary and binary write operations on elements; the operands have one shape.
func (e *emitter) unary(name string, x val) val {
	return e.op(x.shape, x.elem, "%s %s : %s", name, x.name, x.kind())
}

func (e *emitter) binary(name string, x, y val) val {
	return e.op(x.shape, x.elem, "%s %s, %s : %s", name, x.name, y.name, x.kind())
}

func (e *emitter) compare(direction string, x, y val) val {
	type_ := map[string]string{"f32": "FLOAT", "i32": "SIGNED", "ui32": "UNSIGNED", "i1": "UNSIGNED"}[x.elem]
	return e.op(x.shape, "i1", "compare %s, %s, %s, %s : (%s, %s) -> %s", direction, x.name, y.name, type_, x.kind(),
		y.kind(), kindOf(x.shape, "i1"))
}

// choose returns x where cond holds and y elsewhere. cond has their shape or is a scalar.
func (e *emitter) choose(cond, x, y val) val {
	return e.op(x.shape, x.elem, "select %s, %s, %s : %s, %s", cond.name, x.name, y.name, cond.kind(), x.kind())
}

func (e *emitter) convert(x val, elem string) val {
	return e.op(x.shape, elem, "convert %s : (%s) -> %s", x.name, x.kind(), kindOf(x.shape, elem))
}

// fill returns a tensor of one repeated number.
func (e *emitter) fill(x float64, shape tensor.Shape) val {
	return e.op(shape, "f32", "constant dense<0x%08X> : %s", math.Float32bits(float32(x)), kindOf(shape, "f32"))
}

func (e *emitter) fillInt(x int64, shape tensor.Shape, elem string) val {
	return e.op(shape, elem, "constant dense<%d> : %s", x, kindOf(shape, elem))
}

// constant returns a tensor of given numbers.
func (e *emitter) constant(x []float64, shape tensor.Shape) val {
	if len(x) == 0 {
		return e.op(shape, "f32", "constant dense<> : %s", kindOf(shape, "f32"))
	}
	var b strings.Builder
	for _, v := range x {
		bits := math.Float32bits(float32(v))
		fmt.Fprintf(&b, "%02X%02X%02X%02X", byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return e.op(shape, "f32", `constant dense<"0x%s"> : %s`, b.String(), kindOf(shape, "f32"))
}

func (e *emitter) iota(dim int, shape tensor.Shape, elem string) val {
	return e.op(shape, elem, "iota dim = %d : %s", dim, kindOf(shape, elem))
}

func (e *emitter) reshape(x val, shape tensor.Shape) val {
	if x.shape.Equal(shape) {
		return x
	}
	return e.op(shape, x.elem, "reshape %s : (%s) -> %s", x.name, x.kind(), kindOf(shape, x.elem))
}

func (e *emitter) flat(x val) val { return e.reshape(x, tensor.Shape{x.shape.Size()}) }

// broadcast repeats x to a shape; dims says which dimensions of the shape are x's.
func (e *emitter) broadcast(x val, shape tensor.Shape, dims []int) val {
	return e.op(shape, x.elem, "broadcast_in_dim %s, dims = %s : (%s) -> %s", x.name, list(dims), x.kind(),
		kindOf(shape, x.elem))
}

// repeat repeats x to a shape by the rules of program.Broadcast.
func (e *emitter) repeat(x val, shape tensor.Shape) val {
	if x.shape.Equal(shape) {
		return x
	}
	return e.broadcast(x, shape, tail(len(x.shape), len(shape)))
}

// tail returns the last n of the numbers of dimensions 0 to of-1.
func tail(n, of int) []int {
	dims := make([]int, n)
	for i := range dims {
		dims[i] = of - n + i
	}
	return dims
}

func (e *emitter) transpose(x val, perm []int) val {
	shape := make(tensor.Shape, len(perm))
	for i, d := range perm {
		shape[i] = x.shape[d]
	}
	return e.op(shape, x.elem, "transpose %s, dims = %s : (%s) -> %s", x.name, list(perm), x.kind(), kindOf(shape, x.elem))
}

// cut is a range of each dimension: from, to, step.
type cut struct{ from, to, step int }

func (e *emitter) slice(x val, cuts []cut) val {
	shape, parts := make(tensor.Shape, len(cuts)), make([]string, len(cuts))
	for i, c := range cuts {
		shape[i] = (c.to - c.from + c.step - 1) / c.step
		parts[i] = fmt.Sprintf("%d:%d:%d", c.from, c.to, c.step)
	}
	return e.op(shape, x.elem, "slice %s [%s] : (%s) -> %s", x.name, strings.Join(parts, ", "), x.kind(),
		kindOf(shape, x.elem))
}

// part returns the indices [from, to) of one dimension.
func (e *emitter) part(x val, dim, from, to int) val {
	if from == 0 && to == x.shape[dim] {
		return x
	}
	cuts := make([]cut, len(x.shape))
	for i, d := range x.shape {
		cuts[i] = cut{0, d, 1}
	}
	cuts[dim] = cut{from, to, 1}
	return e.slice(x, cuts)
}

// edge is the padding of a dimension: before, after (negative values cut off) and between elements.
type edge struct{ low, high, inside int }

func (e *emitter) pad(x, with val, edges []edge) val {
	shape := make(tensor.Shape, len(edges))
	var low, high, inside []int
	for i, p := range edges {
		shape[i] = x.shape[i] + p.low + p.high + max(0, x.shape[i]-1)*p.inside
		low, high, inside = append(low, p.low), append(high, p.high), append(inside, p.inside)
	}
	return e.op(shape, x.elem, "pad %s, %s, low = %s, high = %s, interior = %s : (%s, %s) -> %s", x.name, with.name,
		list(low), list(high), list(inside), x.kind(), with.kind(), kindOf(shape, x.elem))
}

func (e *emitter) concat(dim int, parts []val) val {
	if len(parts) == 1 {
		return parts[0]
	}
	shape := parts[0].shape.Clone()
	shape[dim] = 0
	names, kinds := make([]string, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		shape[dim] += p.shape[dim]
		names[i], kinds[i] = p.name, p.kind()
	}
	return e.op(shape, parts[0].elem, "concatenate %s, dim = %d : (%s) -> %s", strings.Join(names, ", "), dim,
		strings.Join(kinds, ", "), kindOf(shape, parts[0].elem))
}

// reduce combines the elements along dims by "add", "maximum" or "and".
func (e *emitter) reduce(by string, x, start val, dims []int) val {
	if len(dims) == 0 {
		return x
	}
	gone := map[int]bool{}
	for _, d := range dims {
		gone[d] = true
	}
	shape := tensor.Shape{}
	for i, d := range x.shape {
		if !gone[i] {
			shape = append(shape, d)
		}
	}
	return e.op(shape, x.elem, "reduce(%s init: %s) applies stablehlo.%s across dimensions = %s : (%s, %s) -> %s", x.name,
		start.name, by, list(dims), x.kind(), start.kind(), kindOf(shape, x.elem))
}

// sum sums along dims.
func (e *emitter) sum(x val, dims ...int) val { return e.reduce("add", x, e.fill(0, nil), dims) }

// list writes numbers as [1, 2].
func list(x []int) string { return "[" + numbers(x) + "]" }

func numbers(x []int) string {
	s := make([]string, len(x))
	for i, v := range x {
		s[i] = fmt.Sprint(v)
	}
	return strings.Join(s, ", ")
}
