package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// PackedSize returns the length of op(B) in the order in which tiles read it: strips of columns, one after the other.
func PackedSize(v kernel.Variant, s Shape) int {
	_, lane := Size(v)
	return ceil(s.N, lane) * stripSize(s.K, lane)
}

// Pack writes op(B) to dst, which has PackedSize elements, all 0. B has no gaps between its rows. Plans whose Shape has
// PackedB and the same N and K read dst, whatever their M.
func Pack(v kernel.Variant, s Shape, dst, b []float32) {
	_, lane := Size(v)
	for col := 0; col < s.N && s.K > 0; col += lane {
		to, width := dst[col/lane*stripSize(s.K, lane):], min(lane, s.N-col)
		if s.TransB {
			Transpose(v, to, lane, b[col*s.K:], s.K, width, s.K)
		} else {
			CopyRows(v, to, lane, b[col:], s.N, s.K, width)
		}
	}
}

// packedStrip returns rows [k0, …) of a strip of a packed matrix.
func packedStrip(p *Plan, b []float32, strip, k0 int) []float32 {
	return b[strip*p.stripSize()+k0*p.lane:]
}

// rowStrips is the number of strips by which one row is multiplied at a time: enough chains of multiply-adds to hide
// their latency.
const rowStrips = 4

// stripColumns returns the number of columns that are computed at a time for one row times a packed matrix. It is 0 if
// tiles do that: NEON has a kernel for tiles alone.
func stripColumns(v kernel.Variant, lane int) int {
	if v == kernel.NEON {
		return 0
	}
	return rowStrips * lane
}

// strips is the product of one row with a packed matrix.
type strips Plan

// Run computes some elements of the row. Where fewer than rowStrips strips are left, the last one takes the places of
// the others, and those results are dropped.
func (t *strips) Run(worker, i int) {
	p := (*Plan)(t)
	q := &p.call
	step := 1
	if p.TransA {
		step = q.lda
	}
	first := i * p.vectorColumns
	y := q.c[first:min(first+p.vectorColumns, p.N)]
	whole := len(y) == p.vectorColumns
	out := y
	if !whole {
		out = q.scratch[worker*p.workerSize():][:p.vectorColumns]
		if q.beta != 0 {
			copy(out, y)
		}
	}
	count, length := Blocks(p.K)
	beta := q.beta
	for kb := range count {
		k0 := kb * length
		var w [rowStrips][]float32
		for s := range w {
			w[s] = packedStrip(p, q.b, min(i*rowStrips+s, p.strips-1), k0)
		}
		multiplyStrips(p.variant, out, q.a[min(len(q.a), k0*step):], step, &w, min(length, p.K-k0), q.alpha, beta)
		beta = 1
	}
	if !whole {
		copy(y, out)
	}
	q.finished(worker, 0, 0, 1, first, first+len(y))
}

func multiplyStripsPortable(y, x []float32, xStep int, w *[rowStrips][]float32, k int, alpha, beta float32) {
	lane := len(y) / rowStrips
	for s, w := range w {
		multiplyColumnsPortable(y[s*lane:][:lane], x, xStep, w, lane, k, alpha, beta)
	}
}

// A Follower continues a computation with the results that are in the cache.
type Follower interface {
	// Finished is called when elements [from, to) of the result have their final values: once for each element, by
	// the worker that computed them.
	Finished(worker, from, to int)
}

// Following is the part of a plan that may have a follower.
type Following struct{ Follower Follower } // or nil

// Follow lets f continue with the elements of the plan's result, by their offsets.
func (p *Following) Follow(f Follower) { p.Follower = f }

// Follow lets f continue with the elements of C, by their offsets in c.
func (p *BF16) Follow(f Follower) { p.words.Follow(f) }

// finished tells the follower of a block of C, which begins at an offset.
func (q *call) finished(worker, at, row0, row1, col0, col1 int) {
	if q.then == nil {
		return
	}
	if col1-col0 == q.ldc {
		q.then.Finished(worker, at+row0*q.ldc, at+row1*q.ldc)
		return
	}
	for r := row0; r < row1; r++ {
		q.then.Finished(worker, at+r*q.ldc+col0, at+r*q.ldc+col1)
	}
}
