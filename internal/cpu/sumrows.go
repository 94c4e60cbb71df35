package cpu

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/program"
)

// sumOfRows is a Lookup of the columns that a LookupGrad of the same indices has summed: each row becomes the sum of
// the rows with its index. It takes no table.
type sumOfRows struct {
	program.Lookup
	columns int // an index of columns or more is out of range
}

func (sumOfRows) Name() string { return "sum-rows" }

// sumRowsDirectly replaces lookups of summed columns by sumOfRows.
func (g *graph) sumRowsDirectly() {
	for _, n := range g.nodes {
		if _, ok := n.op.(program.Lookup); !ok {
			continue
		}
		table := n.in[0]
		if table.node == nil || !table.isWhole() || !table.shape.Equal(table.value.shape) {
			continue
		}
		if sum, ok := table.node.op.(program.LookupGrad); ok && same(table.node.in[1], n.in[1]) {
			n.op, n.in = sumOfRows{columns: sum.Columns}, slices.Clone(table.node.in)
		}
	}
}

// sumRows runs a sumOfRows. A hash table finds the first row of each index, which sums up all of them in their order.
// Each thread sums a range of each row's elements.
type sumRows struct {
	x       *Executable
	node    *node
	columns int
	wide    int
	each    int     // elements of a part
	first   []int32 // the first row with the index of each row; -1: the index is out of range
	slots   []int32 // the hash table: first rows, plus 1
	shift   int     // of a hash, to a slot

	y, out []float32
}

func newSumRows(x *Executable, n *node, _ *memory) (instruction, error) {
	s := &sumRows{x: x, node: n, columns: n.op.(sumOfRows).columns, wide: n.out[0].shape[1]}
	rows := n.in[1].size
	bits := 1
	for 1<<bits < 2*rows {
		bits++
	}
	s.first, s.slots, s.shift = make([]int32, rows), make([]int32, 1<<bits), 64-bits
	s.each = max(line, aligned(longReduction/(1+rows)))
	return s, nil
}

func (s *sumRows) run(x *Executable) {
	s.find(x.read(s.node.in[1]))
	s.y, s.out = x.read(s.node.in[0]), x.elements(s.node.out[0])
	x.executor.pool.Do((s.wide+s.each-1)/s.each, s)
	s.y, s.out = nil, nil
}

// find finds the first row of each index.
func (s *sumRows) find(index []float32) {
	clear(s.slots)
	for r, v := range index {
		c, ok := program.Column(v, s.columns)
		if !ok {
			s.first[r] = -1
			continue
		}
		for at := uint64(c) * 0x9e3779b97f4a7c15 >> s.shift; ; at = (at + 1) % uint64(len(s.slots)) {
			k := s.slots[at] - 1
			if k < 0 {
				s.slots[at] = int32(r + 1)
				s.first[r] = int32(r)
				break
			}
			if same, _ := program.Column(index[k], s.columns); same == c {
				s.first[r] = k
				break
			}
		}
	}
}

// Run sums a range of elements of all rows.
func (s *sumRows) Run(_, part int) {
	from, to := part*s.each, min(s.wide, (part+1)*s.each)
	add := s.x.executor.vec.Add
	for r, k := range s.first {
		row := s.out[r*s.wide+from : r*s.wide+to]
		switch {
		case k < 0:
			s.x.executor.vec.Fill(row, float32(math.NaN()))
			continue
		case int(k) == r:
			clear(row)
		}
		sum := s.out[int(k)*s.wide+from : int(k)*s.wide+to]
		add(sum, sum, s.y[r*s.wide+from:r*s.wide+to])
	}
	for r, k := range s.first {
		if k >= 0 && int(k) != r {
			copy(s.out[r*s.wide+from:r*s.wide+to], s.out[int(k)*s.wide+from:])
		}
	}
}

func (s *sumRows) String() string { return s.node.op.Name() + describe(s.node) }

func init() { kernels["sum-rows"] = newSumRows }
