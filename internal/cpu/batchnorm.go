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
	together              int          // channels of a part
	mem                   [8][]float32 // operands, then results
}

// A part has channels whose elements stay in the second-level cache. Runs of them are next to each other, so a part of
// small images still reads long runs of memory.
const (
	normalised   = 64 << 10 // elements
	mostTogether = 64
)

func newNormalisation(x *Executable, n *node, m *memory) (instruction, error) {
	eps := 0.0
	switch op := n.op.(type) {
	case program.BatchNorm:
		eps = op.Eps
	case program.BatchNormGrad:
		eps = op.Eps
	}
	if s := n.in[0].shape; normalisesImages(n) {
		size := s[2:].Size()
		b := &normalisation{x: x, node: n, eps: eps, batch: s[0], channels: s[1], size: size}
		// Channels don't depend on each other, so parts may depend on the threads.
		b.together = max(1, min(mostTogether, normalised/max(1, b.batch*size), b.channels/(partsEach*x.executor.Threads())))
		return b, nil
	}
	return newRowNormalisation(x, n, eps, m), nil
}

// normalisesImages reports whether a channel of an example has several elements.
func normalisesImages(n *node) bool { return n.in[0].shape[2:].Size() > 1 }

func (b *normalisation) run(x *Executable) {
	bindNode(x, b.node, &b.mem)
	x.executor.pool.Do((b.channels+b.together-1)/b.together, b)
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

// Run computes some channels. It sums runs of size elements, in the order of the examples.
func (b *normalisation) Run(_, part int) {
	from := part * b.together
	to := min(b.channels, from+b.together)
	if _, backward := b.node.op.(program.BatchNormGrad); backward {
		b.backward(from, to)
	} else {
		b.forward(from, to)
	}
}

func (b *normalisation) forward(from, to int) {
	k := b.x.executor.vec
	x, gamma, beta, y, mean, variance := b.mem[0], b.mem[1], b.mem[2], b.mem[3], b.mem[4], b.mem[5]
	m := float64(b.batch * b.size)
	var sums, squares [mostTogether]float64
	var scale [mostTogether]float32
	for n := range b.batch {
		for c := from; c < to; c++ {
			sums[c-from] += float64(k.Sum(b.channel(x, n, c)))
		}
	}
	for c := from; c < to; c++ {
		mean[c] = float32(sums[c-from] / m)
	}
	for n := range b.batch {
		for c := from; c < to; c++ {
			squares[c-from] += float64(k.SumSquaredDifferences(b.channel(x, n, c), mean[c]))
		}
	}
	for c := from; c < to; c++ {
		variance[c] = float32(squares[c-from] / m)
		scale[c-from] = gamma[c] / float32(math.Sqrt(float64(variance[c])+b.eps))
	}
	for n := range b.batch {
		for c := from; c < to; c++ {
			k.SubAffine(b.channel(y, n, c), b.channel(x, n, c), mean[c], scale[c-from], beta[c])
		}
	}
}

func (b *normalisation) backward(from, to int) {
	k := b.x.executor.vec
	x, gamma, mean, variance, dy := b.mem[0], b.mem[1], b.mem[2], b.mem[3], b.mem[4]
	dx, dgamma, dbeta := b.mem[5], b.mem[6], b.mem[7]
	m := float64(b.batch * b.size)
	var sums, dots [mostTogether]float64
	var factors, byX, shift [mostTogether]float32
	for n := range b.batch {
		for c := from; c < to; c++ {
			row := b.channel(dy, n, c)
			sums[c-from] += float64(k.Sum(row))
			dots[c-from] += float64(k.DotDifference(row, b.channel(x, n, c), mean[c]))
		}
	}
	for c := from; c < to; c++ {
		i := c - from
		scale := 1 / math.Sqrt(float64(variance[c])+b.eps)
		dbeta[c], dgamma[c] = float32(sums[i]), float32(dots[i]*scale)
		factor := float64(gamma[c]) * scale
		factors[i], byX[i], shift[i] = float32(factor), float32(-factor*scale*scale*dots[i]/m), float32(-factor*sums[i]/m)
	}
	for n := range b.batch {
		for c := from; c < to; c++ {
			i := c - from
			k.NormGrad(b.channel(dx, n, c), b.channel(x, n, c), b.channel(dy, n, c), mean[c], factors[i], byX[i], shift[i])
		}
	}
}

// channel returns the elements of channel c of example n.
func (b *normalisation) channel(x []float32, n, c int) []float32 {
	from := (n*b.channels + c) * b.size
	return x[from : from+b.size]
}

func (b *normalisation) String() string { return b.node.op.Name() + describe(b.node) }
