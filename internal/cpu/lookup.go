package cpu

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// lookup takes columns of a table by their numbers; its gradient sums rows into columns. Both walk the table's rows.
// Each row belongs to one thread.
type lookup struct {
	x             *Executable
	node          *node
	wide, columns int // of the table
	grad          bool
	perPart       int
	a, index, out []float32
}

func newLookup(x *Executable, n *node, _ *memory) (instruction, error) {
	l := &lookup{x: x, node: n}
	table := n.in[0].shape
	if _, l.grad = n.op.(program.LookupGrad); l.grad {
		table = n.out[0].shape
	}
	l.wide, l.columns = table[0], table[1]
	l.perPart = max(1, longReduction/(1+n.in[1].size))
	return l, nil
}

func (l *lookup) run(x *Executable) {
	l.a, l.index, l.out = x.read(l.node.in[0]), x.read(l.node.in[1]), x.elements(l.node.out[0])
	x.executor.pool.Do((l.wide+l.perPart-1)/l.perPart, l)
	l.a, l.index, l.out = nil, nil, nil
}

// Run processes a few rows of the table.
func (l *lookup) Run(_, part int) {
	for i := part * l.perPart; i < min(l.wide, (part+1)*l.perPart); i++ {
		if l.grad {
			row := l.out[i*l.columns : (i+1)*l.columns]
			clear(row)
			for r, v := range l.index {
				if c, ok := program.Column(v, l.columns); ok {
					row[c] += l.a[r*l.wide+i]
				}
			}
			continue
		}
		row := l.a[i*l.columns : (i+1)*l.columns]
		for r, v := range l.index {
			y := float32(math.NaN())
			if c, ok := program.Column(v, l.columns); ok {
				y = row[c]
			}
			l.out[r*l.wide+i] = y
		}
	}
}

func (l *lookup) String() string { return l.node.op.Name() + describe(l.node) }

func init() { kernels["lookup"], kernels["lookup-grad"] = newLookup, newLookup }
