package naive

import "github.com/dl4go/dl4go/program"

// depthwise is a depthwise convolution, or a gradient of one: each channel is a convolution of one channel.
func depthwise[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	var win program.Window
	var x, w, y []int
	sum := make([]float64, n.Out[0].Shape.Size())
	var add func(xi, wi, yi int)
	switch op := n.Op.(type) {
	case program.DepthwiseConv2D:
		win, x, w, y = op.Window, n.In[0].Shape, n.In[1].Shape, n.Out[0].Shape
		add = func(xi, wi, yi int) { sum[yi] += float64(in[0][xi]) * float64(in[1][wi]) }
	case program.DepthwiseConv2DGradInput:
		win, x, w, y = op.Window, n.Out[0].Shape, n.In[1].Shape, n.In[0].Shape
		add = func(xi, wi, yi int) { sum[xi] += float64(in[0][yi]) * float64(in[1][wi]) }
	case program.DepthwiseConv2DGradFilter:
		win, x, w, y = op.Window, n.In[0].Shape, n.Out[0].Shape, n.In[1].Shape
		add = func(xi, wi, yi int) { sum[wi] += float64(in[0][xi]) * float64(in[1][yi]) }
	}
	image, cells, pixels := x[2]*x[3], w[2]*w[3], y[2]*y[3]
	return func() {
		for i := range x[0] * x[1] {
			for k := range w[1] {
				f := i%x[1]*w[1] + k
				taps(win, []int{1, 1, x[2], x[3]}, []int{1, 1, w[2], w[3]}, []int{1, 1, y[2], y[3]}, func(xi, wi, yi int) {
					add(i*image+xi, f*cells+wi, (i*w[1]+k)*pixels+yi)
				})
			}
		}
		settle(out[0], sum)
	}
}
