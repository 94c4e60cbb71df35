package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// attention is softmax(q·kᵀ·scale + off)·v for q [heads, queries, size], k [heads, keys, size], v [heads, keys, width].
// off, if there is one, has a number for each key of an example, [examples, keys]. An example has heads/examples heads.
type attention struct {
	program.StopGradient
	scale float32
}

func (attention) Name() string { return "attention" }

// attentionGrad is the gradient of an attention, from q, k, v, the gradient of its result, and off if there is one. It
// has a result for each operand in of: 0 is q, 1 is k, 2 is v.
type attentionGrad struct {
	attention
	of []int
}

func (attentionGrad) Name() string { return "attention-grad" }

// The least attention that is computed as one: with fewer queries and keys the weights are small, and with few queries
// the keys would be packed for nothing. Vectors that are longer than a block of a sum would change its roundings.
const (
	leastQueries = 12
	leastWeights = 1 << 12
	mostOfHead   = 512
)

// fuseAttention replaces the operations of an attention by one, and those of its gradient by another. Then the weights
// of queries and keys are never stored as a whole. The result has the same bits. In the gradients of keys and values,
// sums over many queries are split in another way.
func fuseAttention(g *graph) {
	if g.factors == inPairs {
		return
	}
	for _, n := range slices.Clone(g.nodes) {
		if a, ok := matchAttention(n); ok {
			a.fuse()
			g.dropWithoutResult()
		}
	}
}

// attentionNodes are the nodes of an attention: result is its last one, and p its weights.
type attentionNodes struct {
	op         attention
	in         []operand // q, k, v, and off or not
	p          *value
	result     *node
	dy         operand // the gradient of the result
	product    *node   // dy·vᵀ, the gradient of the weights; nil for none
	dq, dk, dv *node   // the gradients of the operands; nil for none
}

// matchAttention finds the attention whose last node is n.
func matchAttention(n *node) (a attentionNodes, ok bool) {
	if n.op != (program.MatMul{}) || len(n.out) != 1 || len(n.out[0].shape) != 3 || !n.in[0].isWhole() {
		return a, false
	}
	a.result, a.p = n, n.in[0].value
	if a.p.dest != nil || a.p.node.op != (program.Softmax{Dim: 2}) || len(a.p.shape) != 3 {
		return a, false
	}
	step, ok := soleUse(a.p.node.in[0])
	if !ok {
		return a, false
	}
	var scores operand
	var off []operand
	if op, isBinary := step.op.(program.Binary); isBinary && op.Kind == program.Add {
		if !perKey(step.in[1], step.in[0].shape) {
			return a, false
		}
		off, scores = step.in[1:], step.in[0]
		if step, ok = soleUse(scores); !ok {
			return a, false
		}
	}
	scores, a.op.scale, ok = scaled(step)
	if !ok {
		return a, false
	}
	if step, ok = soleUse(scores); !ok || step.op != (program.MatMul{TransB: true}) || len(step.out[0].shape) != 3 {
		return a, false
	}
	a.in = append([]operand{step.in[0], step.in[1], n.in[1]}, off...)
	queries, keys := a.p.shape[1], a.p.shape[2]
	size, width := step.in[0].shape[2], n.in[1].shape[2]
	if queries < leastQueries || queries*keys < leastWeights || min(size, width) == 0 || max(size, width) > mostOfHead {
		return a, false
	}
	return a, a.gradients()
}

// soleUse returns the node that computes an operand if nothing else uses it.
func soleUse(o operand) (*node, bool) {
	return o.node, o.isWhole() && len(o.uses) == 1 && o.dest == nil
}

// scaled returns the operand that a node multiplies by a number.
func scaled(n *node) (o operand, by float32, ok bool) {
	op, isBinary := n.op.(program.Binary)
	if !isBinary || op.Kind != program.Mul {
		return o, 0, false
	}
	for i := range n.in {
		if c, constant := n.in[i].constant(); constant && n.in[1-i].isWhole() {
			return n.in[1-i], float32(c), true
		}
	}
	return o, 0, false
}

// perKey reports whether an operand of scores [examples, heads, queries, keys] has a number for each key of an example.
func perKey(off operand, scores tensor.Shape) bool {
	_, constant := off.constant()
	return !constant && len(scores) == 4 && off.shape.Equal(tensor.Shape{scores[0], 1, 1, scores[3]})
}

// gradients finds the nodes of the gradient. It reports false if other nodes use the weights.
func (a *attentionNodes) gradients() bool {
	var by []*node // multiplications of the weights
	for _, n := range a.p.uses {
		op, isProduct := n.op.(program.MatMul)
		switch {
		case n == a.result:
			if n.in[1].value == a.p {
				return false
			}
		case isProduct && op.TransA && !op.TransB && n.in[0].value == a.p && n.in[1].value != a.p && a.dv == nil:
			a.dv, a.dy = n, n.in[1]
		case n.op == program.Binary{Kind: program.Mul}:
			by = append(by, n)
		default:
			return false
		}
	}
	return len(by) == 0 || len(by) == 2 && a.softmaxGradient(by[0], by[1])
}

// softmaxGradient matches p·dp and p·(dp − Σ p·dp), the products with the weights p, and what follows.
func (a *attentionNodes) softmaxGradient(first, second *node) bool {
	other := func(n *node) operand {
		if n.in[0].value == a.p {
			return n.in[1]
		}
		return n.in[0]
	}
	dp, difference := other(first), other(second)
	if !dp.isWhole() || dp.dest != nil || len(dp.uses) != 2 {
		return false
	}
	minus, ok := soleUse(difference)
	if !ok || minus.op != (program.Binary{Kind: program.Sub}) || minus.in[0].value != dp.value {
		return false
	}
	sum, ok := soleUse(minus.in[1])
	if !ok || sum.op != (program.Reduce{Kind: program.Sum, Dims: program.Dims(2), Keep: true}) {
		return false
	}
	if n, ok := soleUse(sum.in[0]); !ok || n != first {
		return false
	}
	product := dp.node
	if product.op != (program.MatMul{TransB: true}) || !same(product.in[1], a.in[2]) || product.id < a.result.id ||
		a.dv != nil && !same(product.in[0], a.dy) {
		return false
	}
	a.dy, a.product = product.in[0], product
	ds := second.out[0]
	if len(ds.uses) != 1 || ds.dest != nil {
		return false
	}
	times := ds.uses[0]
	if o, by, ok := scaled(times); !ok || o.value != ds || by != a.op.scale || times.out[0].dest != nil {
		return false
	}
	return a.products(times.out[0])
}

// products finds the gradients of q and k, products with the gradient of the scores.
func (a *attentionNodes) products(scores *value) bool {
	for _, n := range scores.uses {
		op, isProduct := n.op.(program.MatMul)
		op.OverBatch = false
		switch {
		case !isProduct || n.in[0].value != scores || n.in[1].value == scores:
			return false
		case op == program.MatMul{} && same(n.in[1], a.in[1]) && a.dq == nil:
			a.dq = n
		case op == program.MatMul{TransA: true} && same(n.in[1], a.in[0]) && a.dk == nil:
			a.dk = n
		default:
			return false
		}
	}
	return true
}

// fuse replaces the nodes.
func (a attentionNodes) fuse() {
	a.result.op, a.result.in = a.op, a.in
	op := attentionGrad{attention: a.op}
	var host *node // the first node of the gradient, which becomes all of it
	for _, n := range []*node{a.product, a.dv} {
		if n != nil && (host == nil || n.id < host.id) {
			host = n
		}
	}
	if host == nil {
		return
	}
	var out []*value
	for i, n := range []*node{a.dq, a.dk, a.dv} {
		if n != nil {
			op.of, out = append(op.of, i), append(out, n.out[0])
			n.out[0].node, n.out = host, nil
		}
	}
	host.op, host.out = op, out
	host.in = append([]operand{a.in[0], a.in[1], a.in[2], a.dy}, a.in[3:]...)
}
