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
	factors  []headFactor
	seatSize int
	work     *buffer

	mem [4][]float32 // of in
	add []float32    // of off
	out [3][]float32 // the result; or the gradients of q, k and v, nil where they are not needed
	own []float32
}

// blockWeights is the number of weights of a block, unless the least number of queries needs more. With their
// gradients, weights then take less than half of the cache.
const blockWeights = 48 << 10

// blockQueries returns the number by which the queries of a block can be divided: rows of tiles.
func (t *attending) blockQueries() int {
	if t.x.factors == inTiles {
		return 32
	}
	return leastQueries
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
	step := t.blockQueries()
	t.rows = max(step, blockWeights/t.keys/step*step)
	t.rows = min(t.rows, t.queries)
	t.blocks = (t.queries + t.rows - 1) / t.rows
	threads := x.executor.Threads()
	t.pieces = 1
	if t.grad == nil { // the gradients of k and v are sums over all blocks
		t.pieces = min(t.blocks, (partsEach*threads+t.heads-1)/t.heads)
	}
	t.factors = t.factorsOfHead()
	t.seats = make([]seat, threads)
	space := 0
	for i := range t.seats {
		t.seats[i].whole = t.products(t.rows, &space)
		t.seats[i].last = t.products(t.queries-(t.blocks-1)*t.rows, &space)
	}
	t.seatSize = 2*aligned(t.rows*t.keys) + aligned(space)
	if t.grad != nil {
		t.seatSize += aligned(t.keys*t.size) + aligned(t.keys*t.width)
	}
	for _, f := range t.factors {
		t.seatSize += f.size
	}
	t.work = m.work(n.unit, threads*t.seatSize)
	return t, nil
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
	weights := aligned(t.rows * t.keys)
	r := running{attending: t, head: part / t.pieces, p: take(weights), dp: take(weights)}
	for i, f := range t.factors {
		if r.with[i] = r.of(f.of); f.size > 0 {
			packed := take(f.size)
			t.x.packMatrix(f.shape, packed, r.with[i])
			r.with[i] = packed
		}
	}
	if t.grad != nil {
		r.dk, r.dv = take(aligned(t.keys*t.size)), take(aligned(t.keys*t.width))
	}
	r.work = work
	piece := part % t.pieces
	for b := piece * t.blocks / t.pieces; b < (piece+1)*t.blocks/t.pieces; b++ {
		r.first, r.rows, r.products = b*t.rows, t.rows, &t.seats[worker].whole
		if b == t.blocks-1 {
			r.rows, r.products = t.queries-r.first, &t.seats[worker].last
		}
		r.weights()
		if t.grad != nil {
			r.gradient()
		} else {
			y := t.out[0][(r.head*t.queries+r.first)*t.width:]
			r.products.result.Run(t.alone, 1, r.p, t.keys, r.with[1], t.width, 0, y, t.width, r.work)
		}
	}
}

// running is a block of queries of a head that a thread computes.
type running struct {
	*attending
	head, first, rows int
	products          *blockProducts
	with              [3][]float32 // the factors of the head
	p, dp             []float32    // weights and their gradient
	dk, dv            []float32    // the transposes of the gradients of keys and values so far
	work              []float32
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
	p := r.p[:r.rows*r.keys]
	if r.x.factors == inTiles {
		r.products.scores.Run(r.alone, 1, r.queriesOf(0), r.size, r.with[0], 0, 0, p, r.keys, r.work)
		s.MulScalar(p, p, r.scale)
	} else {
		r.products.scores.Run(r.alone, r.scale, r.queriesOf(0), r.size, r.with[0], 0, 0, p, r.keys, r.work)
	}
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
	dy := r.queriesOf(3)
	if dv := r.out[2]; dv != nil {
		r.addTo(dv, r.width, r.products.dv, r.p, dy, r.dv)
	}
	if r.out[0] == nil && r.out[1] == nil {
		return
	}
	r.products.weights.Run(r.alone, 1, dy, r.width, r.with[1], 0, 0, r.dp, r.keys, r.work)
	ds := r.dp[:r.rows*r.keys]
	s.SoftmaxGrad(ds, r.p[:len(ds)], ds, r.keys, r.scale)
	if dq := r.out[0]; dq != nil {
		dq = dq[(r.head*r.queries+r.first)*r.size:]
		r.products.dq.Run(r.alone, 1, r.dp, r.keys, r.with[2], r.size, 0, dq, r.size, r.work)
	}
	if dk := r.out[1]; dk != nil {
		r.addTo(dk, r.size, r.products.dk, r.dp, r.queriesOf(0), r.dk)
	}
}

// addTo adds the block's part, xᵀ·y, to the gradient of keys or values, which have vectors of a size. sum keeps the
// transpose of the head's gradient from block to block if it is computed.
func (r *running) addTo(gradient []float32, size int, product multiplication, x, y, sum []float32) {
	gradient = gradient[r.head*r.keys*size:]
	beta := float32(0)
	if r.first > 0 {
		beta = 1
	}
	if !r.sideways(size) {
		product.Run(r.alone, 1, x, r.keys, y, size, beta, gradient, size, r.work)
		return
	}
	product.Run(r.alone, 1, y, size, x, r.keys, beta, sum, r.keys, r.work)
	if r.first+r.rows == r.queries {
		gemm.Transpose(r.x.executor.variant, gradient, size, sum, r.keys, size, r.keys)
	}
}

func (t *attending) String() string {
	return fmt.Sprintf("%s of %d heads, blocks of %d queries", t.node.op.Name(), t.heads, t.rows) + describe(t.node)
}

func init() { kernels["attention"], kernels["attention-grad"] = newAttending, newAttending }
