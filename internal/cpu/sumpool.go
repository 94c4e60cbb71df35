package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/program"
)

// sumBeforePooling makes sums over whole images read the gradient of a max pooling's result, which is smaller than that
// of its operand. Each element of it goes to one place of the operand's gradient, so both have the same sum but for
// roundings. The gradient of a convolution's bias is such a sum.
func sumBeforePooling(g *graph) {
	for _, n := range g.nodes {
		op, ok := n.op.(program.Reduce)
		if !ok || op.Kind != program.Sum {
			continue
		}
		x, dims := n.in[0], op.Dims.List()
		if x.node == nil || !x.isWhole() || !x.shape.Equal(x.value.shape) ||
			!slices.Contains(dims, 2) || !slices.Contains(dims, 3) {
			continue
		}
		grad, ok := x.node.op.(program.Pool2DGrad)
		if !ok || grad.Pool.Kind != program.MaxPool {
			continue
		}
		image, dy := x.node.in[0].shape, x.node.in[2]
		if len(outside(poolGeometry(grad.Pool, image, dy.shape))) == 0 {
			n.in = []operand{dy}
		}
	}
}
