package cpu

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// normalisation is batch normalisation, or its gradient. It treats x as [batch, channels, size].
type normalisation struct {
	x                     *Executable
	node                  *node
	eps                   float64
	batch, channels, size int
	mem                   [8][]float32 // operands, then results
}

func newNormalisation(x *Executable, n *node, m *memory) (instruction, error) {
	eps := 0.0
	switch op := n.op.(type) {
	case program.BatchNorm:
		eps = op.Eps
	case program.BatchNormGrad:
		eps = op.Eps
	}
	s := n.in[0].shape
	if size := s[2:].Size(); size > 1 {
		return &normalisation{x: x, node: n, eps: eps, batch: s[0], channels: s[1], size: size}, nil
	}
	return newRowNormalisation(x, n, eps, m), nil
}

func (b *normalisation) run(x *Executable) {
	bindNode(x, b.node, &b.mem)
	x.executor.pool.Do(b.channels, b)
	clear(b.mem[:])
}

// bindNode lists the elements of a node's operands, then of its results.
func bindNode(x *Executable, n *node, mem *[8][]float32) {
	for i, o := range n.in {
		mem[i] = x.read(o)
	}
	for i, v := range n.out {
		mem[len(n.in)+i] = x.elements(v)
	}
}

// Run computes one channel. It sums runs of size elements, in the order of the examples.
func (b *normalisation) Run(_, c int) {
	if _, backward := b.node.op.(program.BatchNormGrad); backward {
		b.backward(c)
		return
	}
	k := b.x.executor.vec
	x, gamma, beta, y, mean, variance := b.mem[0], b.mem[1], b.mem[2], b.mem[3], b.mem[4], b.mem[5]
	m := float64(b.batch * b.size)
	sum := 0.0
	for n := range b.batch {
		sum += float64(k.Sum(b.channel(x, n, c)))
	}
	mu := float32(sum / m)
	sum = 0
	for n := range b.batch {
		sum += float64(k.SumSquaredDifferences(b.channel(x, n, c), mu))
	}
	mean[c], variance[c] = mu, float32(sum/m)
	scale := gamma[c] / float32(math.Sqrt(float64(variance[c])+b.eps))
	for n := range b.batch {
		k.SubAffine(b.channel(y, n, c), b.channel(x, n, c), mu, scale, beta[c])
	}
}

func (b *normalisation) backward(c int) {
	k := b.x.executor.vec
	x, gamma, mean, variance, dy := b.mem[0], b.mem[1], b.mem[2], b.mem[3], b.mem[4]
	dx, dgamma, dbeta := b.mem[5], b.mem[6], b.mem[7]
	m := float64(b.batch * b.size)
	var sum, dot float64
	for n := range b.batch {
		row := b.channel(dy, n, c)
		sum += float64(k.Sum(row))
		dot += float64(k.DotDifference(row, b.channel(x, n, c), mean[c]))
	}
	scale := 1 / math.Sqrt(float64(variance[c])+b.eps)
	dbeta[c], dgamma[c] = float32(sum), float32(dot*scale)
	factor := float64(gamma[c]) * scale
	byX, shift := float32(-factor*scale*scale*dot/m), float32(-factor*sum/m)
	for n := range b.batch {
		k.NormGrad(b.channel(dx, n, c), b.channel(x, n, c), b.channel(dy, n, c), mean[c], float32(factor), byX, shift)
	}
}

// channel returns the elements of channel c of example n.
func (b *normalisation) channel(x []float32, n, c int) []float32 {
	from := (n*b.channels + c) * b.size
	return x[from : from+b.size]
}

func (b *normalisation) String() string { return b.node.op.Name() + describe(b.node) }
