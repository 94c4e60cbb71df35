package cpu

import "github.com/dl4go/dl4go/internal/kernel/gemm"

// seat has the products of a thread, with the whole blocks and with the last block of a head.
type seat struct{ whole, last blockProducts }

// blockProducts are the products with a block of queries.
type blockProducts struct {
	scores, result      multiplication // q·kᵀ and p·v
	weights, dq, dk, dv multiplication // dy·vᵀ, ds·k, dsᵀ·q and pᵀ·dy
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
	b.dk = plan(gemm.Shape{M: t.keys, N: t.size, K: rows, TransA: true})
	b.dv = plan(gemm.Shape{M: t.keys, N: t.width, K: rows, TransA: true})
	return b
}
