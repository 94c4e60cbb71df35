package onnx

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// reshape writes a Reshape. Unchanged extents, and one other, need no formula: 0 copies an extent, and −1 is the rest.
func (t *translation) reshape(n *program.Node) (string, error) {
	x, err := t.value(n.In[0])
	if err != nil {
		return "", err
	}
	from, to := t.extents(n.In[0]), t.extents(n.Out[0])
	list := make([]int64, len(to))
	open := 0
	for i, e := range to {
		switch {
		case e.fixed():
			list[i] = int64(e[0])
		case i < len(from) && e.equal(from[i]):
			list[i] = 0
		default:
			list[i] = -1
			open++
		}
		if e[0] == 0 {
			open = 2 // an extent of 0 cannot be copied
		}
	}
	shape := ""
	if open <= 1 {
		shape = t.ints(list...)
	} else if shape, err = t.shape(to); err != nil {
		return "", err
	}
	return t.node("Reshape", []string{x, shape}), nil
}

// expand writes a BroadcastTo. Extents of 1 keep the operand's extents.
func (t *translation) expand(n *program.Node) (string, error) {
	x, err := t.value(n.In[0])
	if err != nil {
		return "", err
	}
	from, to := t.extents(n.In[0]), t.extents(n.Out[0])
	lead := len(to) - len(from)
	one := make(extent, len(t.points))
	for i := range one {
		one[i] = 1
	}
	for i := range to {
		if i >= lead && from[i-lead].equal(to[i]) {
			to[i] = one
		}
	}
	shape, err := t.shape(to)
	if err != nil {
		return "", err
	}
	return t.node("Expand", []string{x, shape}), nil
}

// slice writes a Slice. A bound with a constant distance from the end counts from there.
func (t *translation) slice(n *program.Node, x string) (string, error) {
	ops := opsOf[program.Slice](t, n)
	size := t.extents(n.In[0])[ops[0].Dim]
	var from, to extent
	for _, op := range ops {
		from, to = append(from, op.From), append(to, op.To)
	}
	bound := func(e extent) (string, error) {
		switch before := size.minus(e); {
		case !before.fixed() && !e.fixed():
			return t.shape([]extent{e})
		case e.fixed():
			return t.ints(int64(e[0])), nil
		case before[0] == 0:
			return t.ints(math.MaxInt64), nil
		default:
			return t.ints(-int64(before[0])), nil
		}
	}
	begin, err := bound(from)
	if err != nil {
		return "", err
	}
	end, err := bound(to)
	if err != nil {
		return "", err
	}
	return t.node("Slice", []string{x, begin, end, t.ints(int64(ops[0].Dim))}), nil
}

// pad writes a Pad with zeros.
func (t *translation) pad(n *program.Node, op program.Pad, x string) (string, error) {
	pads := make([]extent, 2*len(n.In[0].Shape))
	for i := range pads {
		pads[i] = make(extent, len(t.points))
	}
	for i, op := range opsOf[program.Pad](t, n) {
		pads[op.Dim][i], pads[len(pads)/2+op.Dim][i] = op.Before, op.After
	}
	list, err := t.shape(pads)
	if err != nil {
		return "", err
	}
	return t.node("Pad", []string{x, list}), nil
}
