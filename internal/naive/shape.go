package naive

import "github.com/dl4go/dl4go/program"

// same copies the first operand: its elements are the result's.
func same[T Float](_ *Executable[T], _ *program.Node, in, out [][]T) step[T] {
	return func() { copy(out[0], in[0]) }
}

// gather sets element i of the result to element from[i] of x.
func gather[T Float](y, x []T, from []int) step[T] {
	return func() {
		for i, k := range from {
			y[i] = x[k]
		}
	}
}

func broadcast[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	return gather(out[0], in[0], repeated(n.Out[0].Shape, n.In[0].Shape))
}

func transpose[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	perm := n.Op.(program.Transpose).Perm.List()
	step := make([]int, len(perm))
	for i, s := range perm {
		step[i] = strides(n.In[0].Shape)[s]
	}
	return gather(out[0], in[0], index(n.Out[0].Shape, step, 0))
}

func slice[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Slice)
	step := strides(n.In[0].Shape)
	return gather(out[0], in[0], index(n.Out[0].Shape, step, op.From*step[op.Dim]))
}

func pad[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Pad)
	step := strides(n.Out[0].Shape)
	to := index(n.In[0].Shape, step, op.Before*step[op.Dim])
	return func() { // elements that are not written stay 0
		for i, k := range to {
			out[0][k] = in[0][i]
		}
	}
}

func concat[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	dim := n.Op.(program.Concat).Dim
	step := strides(n.Out[0].Shape)
	to := make([][]int, len(in))
	at := 0
	for k, v := range n.In {
		to[k] = index(v.Shape, step, at*step[dim])
		at += v.Shape[dim]
	}
	return func() {
		for k, x := range in {
			for i, j := range to[k] {
				out[0][j] = x[i]
			}
		}
	}
}
