package naive

import (
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// taps calls f for every product in a convolution of images x with filters w to y, with the indices of the elements of
// x, w and y.
// of the image, of the filter and of the result that meet.
func taps(win program.Window, x, w, y tensor.Shape, f func(xi, wi, yi int)) {
	for n := range y[0] {
		for o := range y[1] {
			for i := range y[2] {
				for j := range y[3] {
					yi := ((n*y[1]+o)*y[2]+i)*y[3] + j
					for c := range x[1] {
						for u := range w[2] {
							for v := range w[3] {
								h := i*win.StrideH + u*win.DilationH - win.PadTop
								l := j*win.StrideW + v*win.DilationW - win.PadLeft
								if h >= 0 && h < x[2] && l >= 0 && l < x[3] {
									f(((n*x[1]+c)*x[2]+h)*x[3]+l, ((o*x[1]+c)*w[2]+u)*w[3]+v, yi)
								}
							}
						}
					}
				}
			}
		}
	}
}

// settle rounds sums to the element type and clears them.
func settle[T Float](out []T, sum []float64) {
	for i, s := range sum {
		out[i], sum[i] = T(s), 0
	}
}

func conv2D[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	win := n.Op.(program.Conv2D).Window
	x, w, y := n.In[0].Shape, n.In[1].Shape, n.Out[0].Shape
	sum := make([]float64, y.Size())
	return func() {
		taps(win, x, w, y, func(xi, wi, yi int) { sum[yi] += float64(in[0][xi]) * float64(in[1][wi]) })
		settle(out[0], sum)
	}
}

func conv2DGradInput[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	win := n.Op.(program.Conv2DGradInput).Window
	x, w, y := n.Out[0].Shape, n.In[1].Shape, n.In[0].Shape
	sum := make([]float64, x.Size())
	return func() {
		taps(win, x, w, y, func(xi, wi, yi int) { sum[xi] += float64(in[0][yi]) * float64(in[1][wi]) })
		settle(out[0], sum)
	}
}

func conv2DGradFilter[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	win := n.Op.(program.Conv2DGradFilter).Window
	x, w, y := n.In[0].Shape, n.Out[0].Shape, n.In[1].Shape
	sum := make([]float64, w.Size())
	return func() {
		taps(win, x, w, y, func(xi, wi, yi int) { sum[wi] += float64(in[0][xi]) * float64(in[1][yi]) })
		settle(out[0], sum)
	}
}
