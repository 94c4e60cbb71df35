package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// rewrite replaces patterns by cheaper ones. A pattern must not depend on the batch if it changes roundings, because
// the result of a row would then depend on the batch.
func (g *graph) rewrite(s *vector.Set) {
	g.foldConstants(s)
	g.compareWithResult()
	g.transposeInProducts()
	g.packBeforeLoops()
	g.sumRowsDirectly()
	sumBeforePooling(g)
	g.prune()
	fuseAttention(g)
	g.prune()
	g.sliceOperands()
	g.prune()
	g.biasInConvolutions()
	g.prune()
	g.foldNormalisations()
	g.prune()
	g.foldIntoSums()
	g.prune()
}

// replace makes all users of v use o instead, in v's shape.
func (g *graph) replace(v *value, o operand) {
	for _, n := range g.nodes {
		for i, in := range n.in {
			if in.value == v {
				off := o.off + in.off
				if _, constant := o.constant(); constant {
					off = 0
				}
				n.in[i] = operand{o.value, off, in.shape}
			}
		}
	}
}

// foldConstants computes elementwise operations on constants of one repeated element.
func (g *graph) foldConstants(s *vector.Set) {
	for _, n := range g.nodes {
		if len(n.in) == 0 || n.out[0].dest != nil {
			continue
		}
		x := make([]float32, len(n.in))
		all := true
		for i, o := range n.in {
			c, ok := o.constant()
			x[i] = float32(c)
			all = all && ok
		}
		if !all {
			continue
		}
		var y [1]float32
		switch op := n.op.(type) {
		case program.Unary:
			unaryKernel(s, op.Kind)(y[:], x)
		case program.Binary:
			binaryKernel(s, op.Kind).vectors(y[:], x[:1], x[1:])
		case program.Select:
			s.Select(y[:], x[:1], x[1:2], x[2:])
		case program.BroadcastTo:
			y[0] = x[0]
		default:
			continue
		}
		v := n.out[0]
		c := &program.Value{Kind: program.FromConst, Shape: v.shape, Const: []float64{float64(y[0])}}
		g.replace(v, whole(g.value(&value{from: c, shape: v.shape, size: 1})))
	}
}

// compareWithResult rewrites x > y as max(x, y) > y if max(x, y) is computed already, and as x > min(y, x) if min(y,
// x) is. So the backward half of a rectifier reads its result, and its operand need not be kept.
func (g *graph) compareWithResult() {
	for _, n := range g.nodes {
		if op, ok := n.op.(program.Binary); !ok || op.Kind != program.Greater {
			continue
		}
		x, y := n.in[0], n.in[1]
		for _, m := range g.nodes[:n.id] {
			op, ok := m.op.(program.Binary)
			if !ok || !m.out[0].shape.Equal(n.out[0].shape) {
				continue
			}
			if op.Kind == program.Maximum && same(m.in[0], x) && same(m.in[1], y) {
				n.in[0] = whole(m.out[0])
			}
			if op.Kind == program.Minimum && same(m.in[0], y) && same(m.in[1], x) {
				n.in[1] = whole(m.out[0])
			}
		}
	}
}

func same(a, b operand) bool { return a.value == b.value && a.off == b.off && a.shape.Equal(b.shape) }

// transposeInProducts makes matrix products read a transposed matrix directly from its untransposed storage.
func (g *graph) transposeInProducts() {
	for _, n := range g.nodes {
		op, ok := n.op.(program.MatMul)
		if !ok || len(n.out[0].shape) != 2 {
			continue
		}
		for i, o := range n.in {
			if o.node == nil || !o.isWhole() || !o.shape.Equal(o.value.shape) {
				continue
			}
			if _, transposed := o.node.op.(program.Transpose); !transposed || o.node.op.(program.Transpose).Perm != "1,0" {
				continue
			}
			n.in[i] = o.node.in[0]
			if i == 0 {
				op.TransA = !op.TransA
			} else {
				op.TransB = !op.TransB
			}
		}
		n.op = op
	}
}

// sliceOperands turns slices of a sum or product into sums or products of slices, unless something reads the whole.
// Groups then do both at once.
func (g *graph) sliceOperands() {
	var nodes []*node
	for _, n := range g.nodes {
		if isSlice(n) && n.in[0].isWhole() && n.in[0].dest == nil {
			from := n.in[0].node
			op, ok := from.op.(program.Binary)
			whole := ok && n.in[0].shape.Equal(from.out[0].shape)
			for _, o := range from.in {
				_, constant := o.constant()
				whole = whole && !constant && o.shape.Equal(from.out[0].shape)
			}
			for _, c := range from.out[0].uses {
				whole = whole && isSlice(c)
			}
			if whole {
				slice := n.op
				n.op, n.in = op, nil
				from.out[0].uses = slices.DeleteFunc(from.out[0].uses, func(c *node) bool { return c == n })
				for _, o := range from.in {
					s := &node{op: slice, in: []operand{o}, scope: n.scope}
					nodes = append(nodes, s)
					n.in = append(n.in, operand{g.result(s, n.out[0].shape, len(g.program.Values)+len(g.values)), 0, n.out[0].shape})
				}
			}
		}
		nodes = append(nodes, n)
	}
	g.nodes = nodes
}

// biasInConvolutions makes a convolution start its sums at the bias that is added to its result.
func (g *graph) biasInConvolutions() {
	for _, n := range g.nodes {
		if op, ok := n.op.(program.Binary); !ok || op.Kind != program.Add {
			continue
		}
		for i, o := range n.in {
			if o.node == nil || !o.isWhole() || len(o.uses) != 1 || o.dest != nil || !o.shape.Equal(n.out[0].shape) {
				continue
			}
			c, bias := o.node, n.in[1-i]
			if c.op.Name() != "conv2d" || len(c.in) != 2 || !o.shape.Equal(o.value.shape) ||
				!perChannel(bias.shape, o.shape[1]) {
				continue
			}
			if _, constant := bias.constant(); constant || bias.node != nil && bias.node.id > c.id {
				continue
			}
			c.in = append(c.in, bias)
			c.out[0] = n.out[0]
			c.out[0].node = c
			n.out = nil
			break
		}
	}
	g.dropWithoutResult()
}

// dropWithoutResult drops the nodes whose results other nodes have taken over.
func (g *graph) dropWithoutResult() {
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return len(n.out) == 0 })
}

// perChannel reports whether a shape, broadcast to images, has one element for each channel. It refuses four
// dimensions, which may be a batch of one example.
func perChannel(s tensor.Shape, channels int) bool {
	return s.Equal(tensor.Shape{channels, 1, 1})
}

// foldIntoSums makes sums along the last dimensions compute the squares or magnitudes that they add. Sums of all
// elements can also compute products.
func (g *graph) foldIntoSums() {
	for _, n := range g.nodes {
		op, ok := n.op.(program.Reduce)
		if !ok || op.Kind != program.Sum || op.InOrder {
			continue
		}
		o := n.in[0]
		dims := op.Dims.List()
		whole := len(dims) == len(o.shape) // the same for a batch of one example as for others
		spans := spansOf(o.shape, dims)
		if len(spans) == 0 || !spans[len(spans)-1].reduced || !o.isWhole() || len(o.uses) != 1 || o.dest != nil {
			continue
		}
		f := folded{Reduce: op}
		switch m := o.node.op.(type) {
		case program.Unary:
			switch m.Kind {
			case program.Square:
				f.of = squares
			case program.Abs:
				f.of = magnitudes
			}
		case program.Binary:
			if a, b := o.node.in[0], o.node.in[1]; m.Kind == program.Mul && whole && varies(a, o.value) && varies(b, o.value) {
				f.of = products
			}
		}
		if f.of == elements {
			continue
		}
		n.op, n.in = f, nil
		for _, a := range o.node.in { // the same elements, in the sum's shape
			n.in = append(n.in, operand{a.value, a.off, o.shape})
		}
	}
}

// varies reports whether an operand has one element for each element of the result v.
func varies(o operand, v *value) bool {
	_, constant := o.constant()
	return !constant && o.shape.Size() == v.size
}
