package naive

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

func lookup[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	w, index, y := in[0], in[1], out[0]
	wide, columns := n.In[0].Shape[0], n.In[0].Shape[1]
	return func() {
		for r, v := range index {
			c, ok := program.Column(v, columns)
			for i := range wide {
				if ok {
					y[r*wide+i] = w[i*columns+c]
				} else {
					y[r*wide+i] = T(math.NaN())
				}
			}
		}
	}
}

func lookupGrad[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	dy, index := in[0], in[1]
	wide, columns := n.Out[0].Shape[0], n.Out[0].Shape[1]
	dw := make([]float64, len(out[0]))
	return func() {
		for r, v := range index {
			if c, ok := program.Column(v, columns); ok {
				for i := range wide {
					dw[i*columns+c] += float64(dy[r*wide+i])
				}
			}
		}
		settle(out[0], dw)
	}
}

func setColumns[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	index, y := in[1], in[2]
	wide, columns := n.In[0].Shape[0], n.In[0].Shape[1]
	return func() {
		copy(out[0], in[0])
		for r, v := range index {
			if c, ok := program.Column(v, columns); ok {
				for i := range wide {
					out[0][i*columns+c] = y[r*wide+i]
				}
			}
		}
	}
}
