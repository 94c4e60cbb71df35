package cpu

import "github.com/dl4go/dl4go/program"

// schedule decides which stores happen in place, and orders the units, in the program's order if possible.
func (g *graph) schedule() {
	for _, v := range g.values {
		if d := v.dest; d != nil && d.output < 0 && v.node != nil && v.node.unit != nil {
			d.direct = g.direct(v)
		}
	}
	waits := map[*unit]int{}
	for _, u := range g.units {
		u.eachNext(func(c *unit) {
			if c.lead() != u.lead() {
				waits[c.lead()]++
			}
		})
	}
	var ready, order []*unit
	for _, u := range g.units {
		if u.head == nil && waits[u] == 0 {
			ready = append(ready, u)
		}
	}
	for len(ready) > 0 {
		first := 0
		for i, u := range ready {
			if u.key() < ready[first].key() {
				first = i
			}
		}
		u := ready[first]
		ready = append(ready[:first], ready[first+1:]...)
		at := len(order)
		order = append(order, u)
		for lead := u; u != nil; u = u.tail {
			u.at = at
			u.eachNext(func(c *unit) {
				if c = c.lead(); c == lead {
					return
				}
				if waits[c]--; waits[c] == 0 {
					ready = append(ready, c)
				}
			})
		}
	}
	g.units = order
	for _, v := range g.values {
		if v.node == nil || v.node.unit == nil {
			continue
		}
		v.first = v.node.unit.at
		v.last = v.first
		for _, c := range v.uses {
			v.last = max(v.last, c.unit.at)
		}
		if v.dest != nil {
			v.last = len(order)
		}
	}
}

// key is the place of the unit's last node in the program.
func (u *unit) key() int {
	if u.tail != nil {
		return u.tail.key()
	}
	return u.nodes[len(u.nodes)-1].id
}

// eachNext calls f with the units that must come after u, some more than once.
func (u *unit) eachNext(f func(*unit)) {
	for _, n := range u.nodes {
		for _, v := range n.out {
			for _, c := range v.uses {
				if c.unit != u {
					f(c.unit)
				}
			}
		}
	}
	for _, c := range u.then {
		f(c)
	}
}

// direct reports whether the unit that computes v may write it directly into its range of a vector. Units that read
// the old content of the range must then run earlier. Within the unit itself, reading exactly the same elements is
// fine, since a group writes an element after its last read.
func (g *graph) direct(v *value) bool {
	u := v.node.unit
	var readers []*unit
	for _, n := range g.nodes {
		for i, o := range n.in {
			if !o.overlaps(v.dest.vector, v.dest.offset, v.size) {
				continue
			}
			switch {
			case n.unit != u:
				if g.reaches(u, n.unit) {
					return false
				}
				readers = append(readers, n.unit)
			case i == 0 && n.replaces(v):
			case !u.elementwise || o.shape.Size() != v.size || o.from.Offset+o.off != v.dest.offset:
				return false
			}
		}
	}
	for _, r := range readers {
		r.then = append(r.then, u)
	}
	return true
}

// replaces reports whether n makes v by replacing columns of a table that is in the range where v goes.
func (n *node) replaces(v *value) bool {
	_, ok := n.op.(program.SetColumns)
	return ok && n.out[0] == v && n.in[0].from.Offset+n.in[0].off == v.dest.offset
}

// overlaps reports whether the view reads a part of the n elements of a vector from offset on.
func (o operand) overlaps(vec program.Vector, offset, n int) bool {
	if o.from == nil || o.from.Kind != program.FromVector || o.from.Vector != vec {
		return false
	}
	from := o.from.Offset + o.off
	return from < offset+n && offset < from+o.shape.Size()
}
