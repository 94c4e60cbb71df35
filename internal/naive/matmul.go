package naive

import "github.com/dl4go/dl4go/program"

func matMul[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.MatMul)
	y, a := n.Out[0].Shape, n.In[0].Shape
	r := len(y)
	rows, cols, batch := y[r-2], y[r-1], y[:r-2].Size()
	inner := a[r-1]
	if op.TransA {
		inner = a[r-2]
	}
	aRow, aInner := inner, 1
	if op.TransA {
		aRow, aInner = 1, rows
	}
	bInner, bCol := cols, 1
	if op.TransB {
		bInner, bCol = 1, inner
	}
	return func() {
		for q := range batch {
			a, b, y := in[0][q*rows*inner:], in[1][q*inner*cols:], out[0][q*rows*cols:]
			for i := range rows {
				for j := range cols {
					sum := 0.0
					for k := range inner {
						sum += float64(a[i*aRow+k*aInner]) * float64(b[k*bInner+j*bCol])
					}
					y[i*cols+j] = T(sum)
				}
			}
		}
	}
}
