package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
)

// blocks copies blocks of elements: slices, padding, concatenation. The result is seen as [outer, size].
type blocks struct {
	x           *Executable
	node        *node
	outer, size int
	parts       []block
	zero        bool // elements without a part are zero
	perPart     int
	memory      [][]float32
	out         []float32
}

// block is size elements of each outer index of an operand, and their offsets in operand and result.
type block struct{ operand, stride, from, to, size int }

func newBlocks(x *Executable, n *node, _ *memory) (instruction, error) {
	b := &blocks{x: x, node: n, memory: make([][]float32, len(n.in))}
	shape := n.out[0].shape
	split := func(dim int) (inner int) {
		b.outer, inner = shape[:dim].Size(), shape[dim+1:].Size()
		b.size = shape[dim] * inner
		return inner
	}
	switch op := n.op.(type) {
	case program.Slice:
		inner := split(op.Dim)
		b.parts = []block{{0, n.in[0].shape[op.Dim] * inner, op.From * inner, 0, b.size}}
	case program.Pad:
		inner := split(op.Dim)
		size := n.in[0].shape[op.Dim] * inner
		b.parts = []block{{0, size, 0, op.Before * inner, size}}
		b.zero = true
	case program.Concat:
		inner, at := split(op.Dim), 0
		for i, o := range n.in {
			size := o.shape[op.Dim] * inner
			b.parts = append(b.parts, block{i, size, 0, at, size})
			at += size
		}
	}
	b.perPart = max(1, longReduction/max(1, b.size))
	return b, nil
}

func (b *blocks) run(x *Executable) {
	for i, o := range b.node.in {
		b.memory[i] = x.read(o)
	}
	b.out = x.elements(b.node.out[0])
	x.executor.pool.Do((b.outer+b.perPart-1)/b.perPart, b)
	clear(b.memory)
	b.out = nil
}

// Run copies a few outer indices.
func (b *blocks) Run(_, part int) {
	for i := part * b.perPart; i < min(b.outer, (part+1)*b.perPart); i++ {
		out := b.out[i*b.size : (i+1)*b.size]
		if b.zero {
			clear(out)
		}
		for _, p := range b.parts {
			if p.size > 0 && len(b.memory[p.operand]) > 0 {
				copy(out[p.to:p.to+p.size], b.memory[p.operand][i*p.stride+p.from:])
			}
		}
	}
}

func (b *blocks) String() string {
	return fmt.Sprintf("%s by blocks of %d", b.node.op.Name(), b.size) + describe(b.node)
}
