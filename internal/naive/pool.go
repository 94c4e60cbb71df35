package naive

import (
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// windows calls f for every window of a pooling, with the index of its result and those of the image's elements in it.
func windows(op program.Pool2D, x, y tensor.Shape, f func(yi int, cells []int)) {
	cells := make([]int, 0, op.KH*op.KW)
	for plane := range y[0] * y[1] {
		for i := range y[2] {
			for j := range y[3] {
				cells = cells[:0]
				for u := range op.KH {
					for v := range op.KW {
						h := i*op.Window.StrideH + u*op.Window.DilationH - op.Window.PadTop
						l := j*op.Window.StrideW + v*op.Window.DilationW - op.Window.PadLeft
						if h >= 0 && h < x[2] && l >= 0 && l < x[3] {
							cells = append(cells, (plane*x[2]+h)*x[3]+l)
						}
					}
				}
				f((plane*y[2]+i)*y[3]+j, cells)
			}
		}
	}
}

// largest returns the first of the cells that has the maximum or NaN.
func largest[T Float](x []T, cells []int) int {
	best := cells[0]
	for _, c := range cells[1:] {
		if !math.IsNaN(float64(x[best])) && !(x[c] <= x[best]) {
			best = c
		}
	}
	return best
}

func divisor(op program.Pool2D, cells []int) float64 {
	if op.IncludePad {
		return float64(op.KH * op.KW)
	}
	return float64(len(cells))
}

func pool2D[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Pool2D)
	x, y := in[0], out[0]
	return func() {
		windows(op, n.In[0].Shape, n.Out[0].Shape, func(yi int, cells []int) {
			switch {
			case len(cells) == 0:
				y[yi] = 0
			case op.Kind == program.MaxPool:
				y[yi] = x[largest(x, cells)]
			default:
				sum := 0.0
				for _, c := range cells {
					sum += float64(x[c])
				}
				y[yi] = T(sum / divisor(op, cells))
			}
		})
	}
}

func pool2DGrad[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Pool2DGrad).Pool
	x, dy := in[0], in[2]
	dx := make([]float64, len(x))
	return func() {
		windows(op, n.In[0].Shape, n.In[2].Shape, func(yi int, cells []int) {
			if len(cells) > 0 && op.Kind == program.MaxPool {
				dx[largest(x, cells)] += float64(dy[yi])
				return
			}
			for _, c := range cells {
				dx[c] += float64(dy[yi]) / divisor(op, cells)
			}
		})
		settle(out[0], dx)
	}
}
