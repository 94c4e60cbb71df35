package cpu

import "github.com/dl4go/dl4go/program"

// setColumns replaces columns of a table. If the table is the range of a vector into which the result is stored, it
// writes the columns alone. Each row of the table belongs to one thread.
type setColumns struct {
	x             *Executable
	node          *node
	wide, columns int // of the table
	perPart       int
	inPlace       bool

	table, index, y, out []float32
}

func newSetColumns(x *Executable, n *node, _ *memory) (instruction, error) {
	v := n.out[0]
	s := &setColumns{x: x, node: n, wide: v.shape[0], columns: v.shape[1]}
	s.inPlace = v.dest != nil && v.dest.direct && n.in[0].at.base == v.at.base && n.in[0].at.off+n.in[0].off == v.at.off
	s.perPart = max(1, longReduction/(1+n.in[1].size))
	return s, nil
}

func (s *setColumns) run(x *Executable) {
	s.table, s.index, s.y = x.read(s.node.in[0]), x.read(s.node.in[1]), x.read(s.node.in[2])
	s.out = x.elements(s.node.out[0])
	x.executor.pool.Do((s.wide+s.perPart-1)/s.perPart, s)
	s.table, s.index, s.y, s.out = nil, nil, nil, nil
}

// Run processes a few rows of the table.
func (s *setColumns) Run(_, part int) {
	for i := part * s.perPart; i < min(s.wide, (part+1)*s.perPart); i++ {
		row := s.out[i*s.columns : (i+1)*s.columns]
		if !s.inPlace {
			copy(row, s.table[i*s.columns:])
		}
		for r, v := range s.index {
			if c, ok := program.Column(v, s.columns); ok {
				row[c] = s.y[r*s.wide+i]
			}
		}
	}
}

func (s *setColumns) String() string {
	how := ""
	if s.inPlace {
		how = ", in place"
	}
	return s.node.op.Name() + how + describe(s.node)
}

func init() { kernels["set-columns"] = newSetColumns }
