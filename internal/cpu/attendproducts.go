package cpu

import "github.com/dl4go/dl4go/internal/kernel/gemm"

// seat has the products of a thread, with the whole blocks and with the last block of a head.
type seat struct{ whole, last blockProducts }

// blockProducts are the products with a block of queries.
type blockProducts struct {
	scores, result multiplication // q·kᵀ and p·v
	weights, dq    multiplication // dy·vᵀ and ds·k
	dk, dv         multiplication // dsᵀ·q and pᵀ·dy; the transposes if t.sideways
}

// headFactor is the second factor of the products with all blocks of a head.
type headFactor struct {
	of    int        // 1: the keys, 2: the values
	shape gemm.Shape // of a product with one query
	size  int        // of the packed factor; 0: it is read as it is
}

// factorsOfHead returns the second factors with all keys: that of q·kᵀ, and then that of p·v or, for a gradient, those
// of dy·vᵀ and ds·k.
func (t *attending) factorsOfHead() []headFactor {
	factor := func(of, n, k int, transposed bool) headFactor {
		f := headFactor{of: of, shape: gemm.Shape{M: 1, N: n, K: k, TransB: transposed}}
		if f.shape.PackedB = transposed || t.x.factors == inTiles; f.shape.PackedB {
			f.size = aligned(t.x.packedSize(f.shape))
		}
		return f
	}
	scores := factor(1, t.keys, t.size, true)
	if t.grad == nil {
		return []headFactor{scores, factor(2, t.width, t.keys, false)}
	}
	return []headFactor{scores, factor(2, t.keys, t.width, true), factor(1, t.size, t.keys, false)}
}

// products plans the products with rows queries. space becomes the largest workspace of any.
func (t *attending) products(rows int, space *int) (b blockProducts) {
	plan := func(s gemm.Shape) multiplication {
		p := t.x.multiplication(s)
		*space = max(*space, p.Workspace(1))
		return p
	}
	with := func(factor int) multiplication {
		s := t.factors[factor].shape
		s.M = rows
		return plan(s)
	}
	b.scores = with(0)
	if t.grad == nil {
		b.result = with(1)
		return b
	}
	b.weights, b.dq = with(1), with(2)
	sum := func(size int) gemm.Shape {
		if t.sideways(size) {
			return gemm.Shape{M: size, N: t.keys, K: rows, TransA: true}
		}
		return gemm.Shape{M: t.keys, N: size, K: rows, TransA: true}
	}
	b.dk, b.dv = plan(sum(t.size)), plan(sum(t.width))
	return b
}

// sideways reports whether the gradients of keys or values of this size are computed as their transposes, which are
// transposed after the last block. Vectors of a tile then run across the keys, because the size does not fill them.
func (t *attending) sideways(size int) bool {
	_, columns := gemm.Size(t.x.executor.variant)
	return t.x.factors != inTiles && size < columns
}
