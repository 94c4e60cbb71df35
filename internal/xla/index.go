package xla

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// columnsOf returns the numbers of a table's columns as integers, and whether they are in range.
func columnsOf(e *emitter, index val, count int) (numbers, ok val) {
	number := func(x float64) val { return e.fill(x, index.shape) }
	ok = e.binary("and", e.compare("GT", index, number(-1)), e.compare("LT", index, number(float64(count))))
	whole := e.convert(e.choose(ok, index, number(0)), "i32")
	last := e.fillInt(int64(count), index.shape, "i32")
	return whole, e.binary("and", ok, e.compare("LT", whole, last))
}

// gather takes rows of a table, by their numbers.
func gather(e *emitter, table, rows val) val {
	n := table.shape[1]
	index := e.reshape(rows, tensor.Shape{rows.shape[0], 1})
	out := tensor.Shape{rows.shape[0], n}
	v := val{fmt.Sprintf("%%%d", e.next), out, table.elem}
	e.next++
	fmt.Fprintf(e, "%s = \"stablehlo.gather\"(%s, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], "+
		"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, %d>, "+
		"indices_are_sorted = false} : (%s, %s) -> %s\n", v.name, table.name, index.name, n, table.kind(),
		index.kind(), v.kind())
	return v
}

func lookup(e *emitter, _ program.Lookup, n *program.Node, in []val) val {
	out := n.Out[0].Shape
	missing := e.fill(math.NaN(), out)
	if in[0].shape[1] == 0 {
		return missing
	}
	rows, ok := columnsOf(e, in[1], in[0].shape[1])
	y := gather(e, e.transpose(in[0], []int{1, 0}), rows)
	return e.choose(e.broadcast(ok, out, []int{0}), y, missing)
}

func lookupGrad(e *emitter, _ program.LookupGrad, n *program.Node, in []val) val {
	out := n.Out[0].Shape
	if out.Size() == 0 {
		return e.fill(0, out)
	}
	rows, ok := columnsOf(e, in[1], out[1])
	sum := scatter(e, e.fill(0, tensor.Shape{out[1], out[0]}), beyond(e, rows, ok, out[1]), in[0], "add")
	return e.transpose(sum, []int{1, 0})
}

func setColumns(e *emitter, _ program.SetColumns, n *program.Node, in []val) val {
	columns := in[0].shape[1]
	if in[0].shape.Size() == 0 || in[2].shape.Size() == 0 {
		return in[0]
	}
	rows, ok := columnsOf(e, in[1], columns)
	table := scatter(e, e.transpose(in[0], []int{1, 0}), beyond(e, rows, ok, columns), in[2], "")
	return e.transpose(table, []int{1, 0})
}

// beyond returns the numbers of rows, with the first number after the table for those that are out of range: scatter
// ignores them.
func beyond(e *emitter, rows, ok val, count int) val {
	return e.choose(ok, rows, e.fillInt(int64(count), rows.shape, "i32"))
}

// scatter combines rows with those of a table that have the numbers in index, by an operation; without one, they
// replace them.
func scatter(e *emitter, table, index, rows val, op string) val {
	index = e.reshape(index, tensor.Shape{index.shape[0], 1})
	old, new, result := e.next, e.next+1, e.next+1
	v := val{fmt.Sprintf("%%%d", e.next+3), table.shape, "f32"}
	combined := ""
	if op != "" {
		result = e.next + 2
		combined = fmt.Sprintf("%%%d = stablehlo.%s %%%d, %%%d : tensor<f32>\n", result, op, old, new)
	}
	e.next += 4
	fmt.Fprintf(e, "%s = \"stablehlo.scatter\"(%s, %s, %s) ({\n^bb0(%%%d: tensor<f32>, %%%d: tensor<f32>):\n"+
		"%sstablehlo.return %%%d : tensor<f32>\n}) "+
		"{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "+
		"scatter_dims_to_operand_dims = [0], "+
		"index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (%s, %s, %s) -> %s\n",
		v.name, table.name, index.name, rows.name, old, new, combined, result, table.kind(), index.kind(), rows.kind(),
		v.kind())
	return v
}

// reversed reverses the steps of sequences; with a mask, only the steps that are present.
func reversed(e *emitter, o program.Reverse, _ *program.Node, in []val) val {
	dim := o.Dim
	if len(in) == 1 {
		return flip(e, in[0], dim)
	}
	x := in[0]
	if dim == 2 {
		x = e.transpose(x, []int{0, 2, 1})
	}
	rows, steps, n := x.shape[0], x.shape[1], x.shape[2]
	there := notZero(e, in[1]) // [rows, steps]
	from := partners(e, there)
	row := e.binary("multiply", e.iota(0, from.shape, "i32"), e.fillInt(int64(steps), from.shape, "i32"))
	y := gather(e, e.reshape(x, tensor.Shape{rows * steps, n}), e.flat(e.binary("add", row, from)))
	y = e.reshape(y, x.shape)
	y = e.choose(e.broadcast(there, x.shape, []int{0, 1}), y, e.fill(0, x.shape))
	if dim == 2 {
		y = e.transpose(y, []int{0, 2, 1})
	}
	return y
}

// partners returns the step with which each step trades places: the k-th present step with the k-th from the end.
func partners(e *emitter, there val) val {
	rows, steps := there.shape[0], there.shape[1]
	pairs := tensor.Shape{rows, steps, steps} // of a step and another
	zero := e.fillInt(0, nil, "i32")
	one := e.convert(there, "i32")
	other := e.broadcast(one, pairs, []int{0, 2})
	before := e.convert(e.compare("LT", e.iota(2, pairs, "i32"), e.iota(1, pairs, "i32")), "i32")
	rank := e.reduce("add", e.binary("multiply", other, before), zero, []int{2})
	last := e.binary("subtract", e.reduce("add", one, zero, []int{1}), e.fillInt(1, tensor.Shape{rows}, "i32"))
	wanted := e.binary("subtract", e.broadcast(last, rank.shape, []int{0}), rank)
	match := e.compare("EQ", e.broadcast(wanted, pairs, []int{0, 1}), e.broadcast(rank, pairs, []int{0, 2}))
	found := e.binary("multiply", e.convert(match, "i32"), other)
	return e.reduce("add", e.binary("multiply", found, e.iota(2, pairs, "i32")), zero, []int{2})
}
