package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// usedRows is a parameter of which a step updates only the rows that its minibatch uses, such as an embedding's
// vectors. (The program's tables are transposed: there, these rows are columns.)
type usedRows struct {
	entry int
	rows  int // looked up in a minibatch; 0: no gradient reaches the parameter, and a step leaves it alone
}

// fewRows bounds the part of a table that the rows in use may be. Above it, it is faster to update the whole table.
const fewRows = 1.0 / 16

// onlyRows outputs the gradient of the rows in use if a step needs no more of the gradient g of parameter i, which is
// nil if none reaches it.
func (l *lowered) onlyRows(i int, g *program.Value) bool {
	if !l.n.keepsAtZero(i) {
		return false
	}
	if g == nil {
		l.used = append(l.used, usedRows{entry: i})
		return true
	}
	if g.Kind != program.FromNode {
		return false
	}
	sum, ok := g.Node.Op.(program.LookupGrad)
	if !ok {
		return false
	}
	index := g.Node.In[1]
	rows := index.Shape.Size()
	if float64(rows) > fewRows*float64(sum.Columns) {
		return false
	}
	k := len(l.used)
	l.used = append(l.used, usedRows{i, rows})
	l.Scope = g.Node.Scope
	l.Output(fmt.Sprintf("index%d", k), index)
	l.Output(fmt.Sprintf("rows%d", k), l.Apply(program.Lookup{}, g, index))
	return true
}

// keepsAtZero reports whether a step leaves the elements of a parameter alone that have a gradient of 0.
func (n *blueprint) keepsAtZero(i int) bool {
	e := n.layout.entries[i]
	u, ok := e.param.Updater.(updater.Sparse)
	if !ok || !u.KeepsAtZero() || len(e.param.Regularization)+len(e.param.Constraints) > 0 ||
		e.param.Kind == layer.PretrainOnly {
		return false
	}
	switch n.nodes[e.node].layer.Settings().GradientNormalization {
	case "", layer.NoNormalization, layer.ClipElementWiseAbsolute:
		return true
	}
	return false
}

// gradientFor returns the purpose of the gradient that comes before the update of purpose p. The search for anomalies
// reads whole gradients.
func (n *training) gradientFor(p purpose) purpose {
	if p == forStep && n.gradientLimit == 0 {
		return n.stepGradient()
	}
	return forMean
}

// stepGradient returns the purpose of a step's gradient. A device keeps whole gradients.
func (n *backend) stepGradient() purpose {
	if n.OnDevice() {
		return forMean
	}
	return forRows
}

// updateAfter returns the plan of purpose p that comes after the plan of a gradient.
func (n *programs) updateAfter(gradient *plan, p purpose) (*plan, error) {
	if gradient.update != nil {
		return gradient.update, nil
	}
	return n.plan(p, true, nil)
}

// addUpdate compiles the update that comes after a gradient of rows in use.
func (n *programs) addUpdate(gradient *plan, used []usedRows) error {
	l, err := n.lowerVectors(forStep, n.OnDevice(), used)
	if err != nil {
		return err
	}
	update := prepare(l, forStep, true, shapes{})
	if update.exe, err = n.compile(update.program); err != nil {
		return err
	}
	gradient.update, update.from = update, gradient
	return nil
}

// part is a segment, or a part of one, in an update.
type part struct {
	segment
	used int // the index of its usedRows; below 0, all elements are updated
	rows int // in use
}

// parts cuts the parameters of which only rows in use are updated out of the segments. With alone, each parameter is a
// part.
func (n *blueprint) parts(alone bool, used []usedRows) []part {
	of := map[int]int{}
	for k, u := range used {
		of[u.entry] = k
	}
	var out []part
	for _, s := range n.segments {
		joins := false
		for i := s.first; i < s.last; i++ {
			e := n.layout.entries[i]
			k, some := of[i]
			switch {
			case !some && joins:
				p := &out[len(out)-1]
				p.last, p.size = i+1, p.size+e.size
			case !some:
				out = append(out, part{segment{s.block, i, i + 1, e.offset, e.size}, -1, 0})
			case used[k].rows > 0:
				out = append(out, part{segment{s.block, i, i + 1, e.offset, e.size}, k, used[k].rows})
			}
			joins = !some && !alone
		}
	}
	return out
}

// table returns the range of a vector from offset on as the table of a part's parameter, and the rows in use.
func (l *lowered) table(s part, v program.Vector, offset int) (table, index *program.Value) {
	stored := l.n.layout.entries[s.first].param.Stored()
	return l.View(v, offset, stored...), l.Input(fmt.Sprintf("index%d", s.used), s.rows)
}

// get reads a part's elements of a vector from offset on.
func (l *lowered) get(s part, v program.Vector, offset int) *program.Value {
	if s.used < 0 {
		return l.View(v, offset, s.size)
	}
	table, index := l.table(s, v, offset)
	return l.Apply(program.Lookup{}, table, index)
}

// put stores a part's elements of a vector from offset on.
func (l *lowered) put(s part, v program.Vector, offset int, x *program.Value) {
	if s.used >= 0 {
		table, index := l.table(s, v, offset)
		x = l.Apply(program.SetColumns{}, table, index, x)
	}
	l.Store(v, offset, x)
}

// gradient returns a part's gradient.
func (l *lowered) gradient(s part) *program.Value {
	if s.used < 0 {
		return l.View(program.Gradient, s.offset, s.size)
	}
	return l.Input(fmt.Sprintf("rows%d", s.used), s.rows, l.n.layout.entries[s.first].param.Stored()[0])
}
