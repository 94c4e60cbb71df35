package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// attending runs an attention or its gradient. It takes a block of queries at a time, whose weights stay in the
// second-level cache. The gradient computes the weights once more.
type attending struct {
	attention
	x    *Executable
	node *node
	grad []int     // the operands to differentiate by; nil: run the attention itself
	in   []operand // q, k, v, and for the gradient dy
	off  *operand  // nil for none

	heads, queries, keys, size, width int
	perExample                        int // heads that have the same numbers of off
	rows, blocks                      int // of a head; its last block may have fewer rows
	pieces                            int // of a head, for balance between threads

	alone    *parallel.Pool // runs a product on the thread that asks for it
	seats    []seat         // of the threads
	seatSize int
	work     *buffer

	mem [4][]float32 // of in
	add []float32    // of off
	out [3][]float32 // the result; or the gradients of q, k and v, nil where they are not needed
	own []float32
}

// A block has as many queries as blockWeights weights need, but blockQueries at least: with their gradients, weights
// then take less than half of the cache.
const (
	blockWeights = 48 << 10
	blockQueries = leastQueries
)

// seat has the products of a thread, with the whole blocks and with the last block of a head.
type seat struct{ whole, last blockProducts }

// blockProducts are the products with a block of queries.
type blockProducts struct {
	scores, result      *gemm.Plan // q·kᵀ and p·v
	weights, dq, dk, dv *gemm.Plan // dy·vᵀ, ds·k, dsᵀ·q and pᵀ·dy
}

func newAttending(x *Executable, n *node, m *memory) (instruction, error) {
	t := &attending{x: x, node: n, in: n.in[:3], alone: parallel.New(1)}
	rest := n.in[3:]
	switch op := n.op.(type) {
	case attention:
		t.attention = op
	case attentionGrad:
		t.attention, t.grad = op.attention, op.of
		t.in, rest = n.in[:4], n.in[4:]
	}
	q, k, v := t.in[0].shape, t.in[1].shape, t.in[2].shape
	t.heads, t.queries, t.keys, t.size, t.width = q[0], q[1], k[1], q[2], v[2]
	if len(rest) > 0 {
		t.off, t.perExample = &rest[0], t.heads/rest[0].shape[0]
	}
	t.rows = max(blockQueries, blockWeights/t.keys/blockQueries*blockQueries)
	t.rows = min(t.rows, t.queries)
	t.blocks = (t.queries + t.rows - 1) / t.rows
	threads := x.executor.Threads()
	t.pieces = 1
	if t.grad == nil { // the gradients of k and v are sums over all blocks
		t.pieces = min(t.blocks, (partsEach*threads+t.heads-1)/t.heads)
	}
	t.seats = make([]seat, threads)
	space := 0
	for i := range t.seats {
		t.seats[i].whole = t.products(t.rows, &space)
		t.seats[i].last = t.products(t.queries-(t.blocks-1)*t.rows, &space)
	}
	packedK, packedV, weights := t.sizes()
	t.seatSize = packedK + packedV + 2*weights + aligned(t.keys) + aligned(space)
	t.work = m.work(n.unit, threads*t.seatSize)
	return t, nil
}

// scoresOf and weightsOf are the shapes of q·kᵀ and of dy·vᵀ.
func (t *attending) scoresOf(rows int) gemm.Shape {
	return gemm.Shape{M: rows, N: t.keys, K: t.size, TransB: true, PackedB: true}
}

func (t *attending) weightsOf(rows int) gemm.Shape {
	return gemm.Shape{M: rows, N: t.keys, K: t.width, TransB: true, PackedB: true}
}

// sizes returns the memory of a head's packed keys and values, and of a block's weights.
func (t *attending) sizes() (packedK, packedV, weights int) {
	v := t.x.executor.variant
	packedK, weights = aligned(gemm.PackedSize(v, t.scoresOf(1))), aligned(t.rows*t.keys)
	if t.grad != nil {
		packedV = aligned(gemm.PackedSize(v, t.weightsOf(1)))
	}
	return packedK, packedV, weights
}

// products plans the products with rows queries. space becomes the largest workspace of any.
func (t *attending) products(rows int, space *int) (b blockProducts) {
	plan := func(s gemm.Shape) *gemm.Plan {
		p := gemm.New(t.x.executor.variant, s)
		*space = max(*space, p.Workspace(1))
		return p
	}
	b.scores = plan(t.scoresOf(rows))
	if t.grad == nil {
		b.result = plan(gemm.Shape{M: rows, N: t.width, K: t.keys})
		return b
	}
	b.weights = plan(t.weightsOf(rows))
	b.dq = plan(gemm.Shape{M: rows, N: t.size, K: t.keys})
	b.dk = plan(gemm.Shape{M: t.keys, N: t.size, K: rows, TransA: true})
	b.dv = plan(gemm.Shape{M: t.keys, N: t.width, K: rows, TransA: true})
	return b
}

func (t *attending) run(x *Executable) {
	for i, o := range t.in {
		t.mem[i] = x.read(o)
	}
	if t.off != nil {
		t.add = x.read(*t.off)
	}
	if t.grad == nil {
		t.out[0] = x.elements(t.node.out[0])
	}
	for i, of := range t.grad {
		t.out[of] = x.elements(t.node.out[i])
	}
	t.own = x.work(t.work)
	x.executor.pool.Do(t.heads*t.pieces, t)
	t.add, t.own = nil, nil
	clear(t.mem[:])
	clear(t.out[:])
}

// Run computes a piece of a head.
func (t *attending) Run(worker, part int) {
	work := t.own[worker*t.seatSize:][:t.seatSize]
	take := func(n int) (x []float32) {
		x, work = work[:n], work[n:]
		return x
	}
	packedK, packedV, weights := t.sizes()
	r := running{attending: t, head: part / t.pieces, k: take(packedK), v: take(packedV), p: take(weights),
		dp: take(weights), row: take(aligned(t.keys))[:t.keys], work: work}
	v := t.x.executor.variant
	gemm.Pack(v, t.scoresOf(1), r.k, r.of(1))
	if t.grad != nil {
		gemm.Pack(v, t.weightsOf(1), r.v, r.of(2))
	}
	piece := part % t.pieces
	for b := piece * t.blocks / t.pieces; b < (piece+1)*t.blocks/t.pieces; b++ {
		r.first, r.rows, r.with = b*t.rows, t.rows, &t.seats[worker].whole
		if b == t.blocks-1 {
			r.rows, r.with = t.queries-r.first, &t.seats[worker].last
		}
		r.weights()
		if t.grad != nil {
			r.gradient()
		} else {
			y := t.out[0][(r.head*t.queries+r.first)*t.width:]
			r.with.result.Run(t.alone, 1, r.p, t.keys, r.of(2), t.width, 0, y, t.width, r.work)
		}
	}
}

// running is a block of queries of a head that a thread computes.
type running struct {
	*attending
	head, first, rows int
	with              *blockProducts
	k, v              []float32 // packed
	p, dp             []float32 // weights and their gradient
	row, work         []float32
}

// of returns the elements of operand i of the head.
func (r *running) of(i int) []float32 {
	s := r.in[i].shape
	return r.mem[i][r.head*s[1]*s[2]:][:s[1]*s[2]]
}

// queriesOf returns the elements of operand i, q or dy, of the block.
func (r *running) queriesOf(i int) []float32 {
	n := r.in[i].shape[2]
	return r.of(i)[r.first*n:][:r.rows*n]
}

// weights computes the weights.
func (r *running) weights() {
	s := r.x.executor.vec
	r.with.scores.Run(r.alone, r.scale, r.queriesOf(0), r.size, r.k, 0, 0, r.p, r.keys, r.work)
	p := r.p[:r.rows*r.keys]
	if r.off != nil {
		add := r.add[r.head/r.perExample*r.keys:][:r.keys]
		for i := range r.rows {
			row := p[i*r.keys:][:r.keys]
			s.Add(row, row, add)
		}
	}
	s.Softmax(p, p, r.keys)
}

// gradient adds the block's part to the gradients of k and v, and computes that of q.
func (r *running) gradient() {
	s := r.x.executor.vec
	dy, beta := r.queriesOf(3), float32(0)
	if r.first > 0 {
		beta = 1
	}
	if dv := r.out[2]; dv != nil {
		dv = dv[r.head*r.keys*r.width:]
		r.with.dv.Run(r.alone, 1, r.p, r.keys, dy, r.width, beta, dv, r.width, r.work)
	}
	if r.out[0] == nil && r.out[1] == nil {
		return
	}
	r.with.weights.Run(r.alone, 1, dy, r.width, r.v, 0, 0, r.dp, r.keys, r.work)
	for i := range r.rows {
		p, ds := r.p[i*r.keys:][:r.keys], r.dp[i*r.keys:][:r.keys]
		s.Mul(r.row, p, ds)
		s.SubScalar(ds, ds, s.Sum(r.row))
		s.Mul(ds, ds, p)
		s.MulScalar(ds, ds, r.scale)
	}
	if dq := r.out[0]; dq != nil {
		dq = dq[(r.head*r.queries+r.first)*r.size:]
		r.with.dq.Run(r.alone, 1, r.dp, r.keys, r.of(1), r.size, 0, dq, r.size, r.work)
	}
	if dk := r.out[1]; dk != nil {
		dk = dk[r.head*r.keys*r.size:]
		r.with.dk.Run(r.alone, 1, r.dp, r.keys, r.queriesOf(0), r.size, beta, dk, r.size, r.work)
	}
}

func (t *attending) String() string {
	return fmt.Sprintf("%s of %d heads, blocks of %d queries", t.node.op.Name(), t.heads, t.rows) + describe(t.node)
}

func init() { kernels["attention"], kernels["attention-grad"] = newAttending, newAttending }
