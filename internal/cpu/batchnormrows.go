package cpu

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/program"
)

// rowNormalisation is batch normalisation, or its gradient, for vectors: x [batch, channels]. It processes the rows of
// some channels at a time, because the elements of a channel are far apart.
type rowNormalisation struct {
	x               *Executable
	node            *node
	eps             float64
	batch, channels int
	sums            *buffer
	mem             [8][]float32 // operands, then results
	work            []float32
}

// columns is the number of channels of a part.
const columns = 512

func newRowNormalisation(x *Executable, n *node, eps float64, m *memory) *rowNormalisation {
	s := n.in[0].shape
	r := &rowNormalisation{x: x, node: n, eps: eps, batch: s[0], channels: s[1]}
	r.sums = m.work(n.unit, 4*s[1])
	return r
}

func (r *rowNormalisation) run(x *Executable) {
	bindNode(x, r.node, &r.mem)
	r.work = x.work(r.sums)
	x.executor.pool.Do((r.channels+columns-1)/columns, r)
	clear(r.mem[:])
	r.work = nil
}

// Run computes the channels of one part.
func (r *rowNormalisation) Run(_, part int) {
	from := part * columns
	to := min(r.channels, from+columns)
	var w [4][]float32 // scratch
	for i := range w {
		w[i] = r.work[4*from+i*(to-from):][:to-from]
	}
	row := func(i, n int) []float32 { return r.mem[i][n*r.channels+from : n*r.channels+to] }
	of := func(i int) []float32 { return r.mem[i][from:to] }
	if _, backward := r.node.op.(program.BatchNormGrad); backward {
		r.backward(r.x.executor.vec, row, of, w)
	} else {
		r.forward(r.x.executor.vec, row, of, w)
	}
}

func (r *rowNormalisation) forward(k *vector.Set, row func(i, n int) []float32,
	of func(i int) []float32, w [4][]float32) {
	const x, y = 0, 3
	gamma, beta, mean, variance := of(1), of(2), of(4), of(5)
	m := float32(r.batch)
	clear(mean)
	clear(variance)
	for n := range r.batch {
		k.Add(mean, mean, row(x, n))
	}
	k.DivScalar(mean, mean, m)
	for n := range r.batch {
		k.Sub(w[0], row(x, n), mean)
		k.MulAdd(variance, w[0], w[0], variance)
	}
	k.DivScalar(variance, variance, m)
	for i, v := range variance {
		w[1][i] = gamma[i] / float32(math.Sqrt(float64(v)+r.eps))
	}
	for n := range r.batch {
		k.Sub(w[0], row(x, n), mean)
		k.MulAdd(row(y, n), w[0], w[1], beta)
	}
}

func (r *rowNormalisation) backward(k *vector.Set, row func(i, n int) []float32,
	of func(i int) []float32, w [4][]float32) {
	const x, dy, dx = 0, 4, 5
	gamma, mean, variance, dgamma, dbeta := of(1), of(2), of(3), of(6), of(7)
	clear(dbeta)
	clear(dgamma)
	for n := range r.batch {
		k.Add(dbeta, dbeta, row(dy, n))
		k.Sub(w[0], row(x, n), mean)
		k.MulAdd(dgamma, w[0], row(dy, n), dgamma)
	}
	// dx = factor·dy + byX·(x − mean) + shift
	factor, byX, shift := w[1], w[2], w[3]
	m := float64(r.batch)
	for i, dot := range dgamma {
		scale := 1 / math.Sqrt(float64(variance[i])+r.eps)
		f := float64(gamma[i]) * scale
		dgamma[i] = float32(float64(dot) * scale)
		factor[i], byX[i], shift[i] = float32(f), float32(-f*scale*scale*float64(dot)/m), float32(-f*float64(dbeta[i])/m)
	}
	for n := range r.batch {
		k.Sub(w[0], row(x, n), mean)
		k.MulAdd(row(dx, n), w[0], byX, shift)
		k.MulAdd(row(dx, n), row(dy, n), factor, row(dx, n))
	}
}

func (r *rowNormalisation) String() string { return r.node.op.Name() + " of rows" + describe(r.node) }
