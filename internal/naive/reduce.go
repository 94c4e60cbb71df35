package naive

import (
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// groups returns, for each element of shape x, the index of the result of its reduction along dims.
func groups(x tensor.Shape, dims []int) (of []int, count int) {
	kept := x.Clone()
	for _, d := range dims {
		kept[d] = 1
	}
	return repeated(x, kept), kept.Size()
}

func reduce[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Reduce)
	of, count := groups(n.In[0].Shape, op.Dims.List())
	acc := make([]float64, count)
	if op.Kind == program.Max {
		return func() {
			for i := range acc {
				acc[i] = math.Inf(-1)
			}
			for i, x := range in[0] {
				acc[of[i]] = maximum(acc[of[i]], float64(x))
			}
			settle(out[0], acc)
		}
	}
	return func() {
		for i, x := range in[0] {
			acc[of[i]] += float64(x)
		}
		settle(out[0], acc)
	}
}

func softmax[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	of, count := groups(n.In[0].Shape, []int{n.Op.(program.Softmax).Dim})
	top, sum := make([]float64, count), make([]float64, count)
	return func() {
		for i := range top {
			top[i], sum[i] = math.Inf(-1), 0
		}
		for i, x := range in[0] {
			top[of[i]] = maximum(top[of[i]], float64(x))
		}
		for i, x := range in[0] {
			sum[of[i]] += math.Exp(float64(x) - top[of[i]])
		}
		for i, x := range in[0] {
			out[0][i] = T(math.Exp(float64(x)-top[of[i]]) / sum[of[i]])
		}
	}
}
