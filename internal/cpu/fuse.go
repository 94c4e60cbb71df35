package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/program"
)

// unit is an item of the schedule: one operation, or a group of elementwise operations over the same number of
// elements.
type unit struct {
	nodes       []*node
	elementwise bool
	size        int     // elements of a group
	tail, head  *unit   // the group that is attached to this unit, and the unit to which this group is attached
	then        []*unit // units that overwrite what this one reads, and so must run later
	at          int     // position in the schedule
	seen        int     // mark of the last walk
}

func elementwise(op program.Op) bool {
	switch op.(type) {
	case program.Unary, program.Binary, program.Select, program.BroadcastTo, program.Random, identity:
		return true
	}
	return false
}

// isSlice reports whether a node is a slice that is not a view. A group that uses it copies the rows that it needs.
func isSlice(n *node) bool {
	if _, slice := n.op.(program.Slice); !slice {
		return false
	}
	_, constant := n.in[0].constant()
	return !constant
}

// fuse gathers the nodes into units. From the last node to the first, an elementwise node joins the group of a node
// that uses its result. So values for the backward half are computed there, from operands that are kept anyway.
func (g *graph) fuse() {
	f := &g.fusion
	for i := len(g.nodes) - 1; i >= 0; i-- {
		n := g.nodes[i]
		if !elementwise(n.op) && !isSlice(n) || !f.join(n) {
			n.unit = &unit{nodes: []*node{n}, elementwise: elementwise(n.op), size: n.out[0].size}
		}
	}
	for _, n := range g.nodes {
		if u := n.unit; !slices.Contains(g.units, u) {
			g.units = append(g.units, u)
			slices.SortFunc(u.nodes, func(a, b *node) int { return a.id - b.id })
		}
	}
}

// fusion walks the units; walk numbers the walks.
type fusion struct{ walk int }

// join puts n into a group that uses its result. It merges such groups if nothing must run between them.
func (f *fusion) join(n *node) bool {
	v := n.out[0]
	var into *unit
	for _, c := range v.uses {
		if u := c.unit; u != into && f.fits(n, u) {
			if into == nil {
				into = u
			} else if !f.reaches(u, into) && !f.reaches(into, u) {
				for _, m := range u.nodes {
					m.unit = into
				}
				into.nodes = append(into.nodes, u.nodes...)
			}
		}
	}
	if into == nil {
		return false
	}
	n.unit = into
	into.nodes = append(into.nodes, n)
	return true
}

// fits reports whether n can be computed in u, element by element: u's nodes use the whole result, and no other user
// of the result must run before u.
func (f *fusion) fits(n *node, u *unit) bool {
	v := n.out[0]
	if !u.elementwise || u.size != v.size {
		return false
	}
	for _, c := range v.uses {
		if c.unit == u {
			for _, o := range c.in {
				if o.value == v && !o.isWhole() {
					return false
				}
			}
		} else if f.reaches(c.unit, u) {
			return false
		}
	}
	return true
}

// reaches reports whether to needs a result of from, directly or through other units.
func (f *fusion) reaches(from, to *unit) bool {
	f.walk++
	return f.visit(from, to)
}

func (f *fusion) visit(u, to *unit) bool {
	if u = u.lead(); u == to.lead() {
		return true
	}
	if u.seen == f.walk {
		return false
	}
	u.seen = f.walk
	found := false
	for ; u != nil; u = u.tail {
		u.eachNext(func(c *unit) { found = found || f.visit(c, to) })
	}
	return found
}
