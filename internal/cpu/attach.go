package cpu

import "github.com/dl4go/dl4go/program"

// attach lets products and convolutions do the elementwise operations on their results. A group that reads the whole
// result then runs on each part of it while that is still in the cache. Matrices of several rows lead a group from a
// number of elements on.
func (g *graph) attach(least int) {
	for _, u := range g.units {
		if !u.elementwise || storesToVectors(u) {
			continue
		}
		var head *unit
		for _, n := range u.nodes {
			for _, o := range n.in {
				if o.node == nil || o.node.unit == u || o.node.unit == head {
					continue
				}
				if k := o.node.unit; (head == nil || k.key() > head.key()) && g.attaches(u, k, least) {
					head = k
				}
			}
		}
		if head != nil {
			head.tail, u.head = u, head
		}
	}
}

func storesToVectors(u *unit) bool {
	for _, n := range u.nodes {
		if d := n.out[0].dest; d != nil && d.output < 0 {
			return true
		}
	}
	return false
}

// attaches reports whether group u can run with k, part by part: k is a product or convolution whose result u reads
// element by element, and nothing else that u needs must wait for k.
func (g *graph) attaches(u, k *unit, least int) bool {
	if k.tail != nil || !attachable(k.nodes[0], least) {
		return false
	}
	v := k.nodes[0].out[0]
	if v.size != u.size || v.size == 0 || !u.readsWhole(v) {
		return false
	}
	free := true
	k.eachNext(func(c *unit) { free = free && (c == u || !g.reaches(c, u)) })
	return free
}

// leastLed is the number of elements from which on a matrix leaves the second cache before a group reads it. In a
// smaller one, a call for each piece of a row costs more than reading it again.
const leastLed = 1 << 16

func attachable(n *node, least int) bool {
	switch op := n.op.(type) {
	case program.MatMul:
		y := n.out[0]
		return len(y.shape) == 2 && !op.OverBatch && (y.shape[0] == 1 || y.size >= least)
	case packedProduct:
		y := n.out[0]
		return !op.OverBatch && (y.shape[0] == 1 || y.size >= least)
	case program.Conv2D:
		return true
	}
	return false
}

// lead returns the unit with which u runs: that to which it is attached, or itself.
func (u *unit) lead() *unit {
	if u.head != nil {
		return u.head
	}
	return u
}

// all returns the nodes of a unit and of the group that is attached to it.
func (u *unit) all() []*node {
	if u.tail == nil {
		return u.nodes
	}
	return append(append([]*node(nil), u.nodes...), u.tail.nodes...)
}
