package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// value is a contiguous range of elements: a result of an operation, or something that a run reads.
type value struct {
	id    int // its index in graph.values
	label int // its number in the program; values added by the graph have higher ones
	size  int // elements; 1 for a constant of one repeated element
	shape tensor.Shape
	node  *node          // nil: read, not computed
	from  *program.Value // of an input, a vector's range, or a constant
	uses  []*node        // a node that uses it twice is listed twice
	dest  *destination   // nil: an intermediate value
	at    ref
	first int // its lifetime: the position in the schedule that computes it, and
	last  int // the last position that uses it
	held  *buffer
}

// destination is the place of a value at the end of the run. A value has at most one.
type destination struct {
	output int // ≥ 0: the output's index
	vector program.Vector
	offset int
	direct bool // the operation writes into the vector itself
}

// operand is a view of a value's elements, from off on.
type operand struct {
	*value
	off   int
	shape tensor.Shape
}

func whole(v *value) operand { return operand{v, 0, v.shape} }

// constant returns the number if all elements are one number.
func (o operand) constant() (float64, bool) {
	if o.from != nil && o.from.Kind == program.FromConst && len(o.from.Const) == 1 {
		return o.from.Const[0], true
	}
	return 0, false
}

// isWhole reports whether the view has all elements of a computed value.
func (o operand) isWhole() bool { return o.node != nil && o.off == 0 && o.shape.Size() == o.size }

// node is one operation.
type node struct {
	id    int
	op    program.Op
	in    []operand
	out   []*value
	unit  *unit
	scope program.Scope
}

// identity is the operation that copies its operand.
type identity struct{ program.StopGradient }

func (identity) Name() string { return "copy" }

// graph is a program without operations that only create another view.
type graph struct {
	program *program.Program
	nodes   []*node // in an order that can be run
	values  []*value
	units   []*unit       // in order, once scheduled
	scope   program.Scope // of the nodes to be emitted
	fusion
	parameters
}

func newGraph(p *program.Program) *graph {
	g := &graph{program: p}
	views := make([]operand, len(p.Values))
	for _, v := range p.Values {
		if v.Kind != program.FromNode {
			n := &value{label: v.ID, from: v, shape: v.Shape, size: v.Shape.Size()}
			if v.Kind == program.FromConst && len(v.Const) == 1 {
				n.size = 1
			}
			views[v.ID] = whole(g.value(n))
		}
	}
	for _, n := range p.Nodes {
		g.scope = n.Scope
		if o, ok := view(n, views); ok {
			views[n.Out[0].ID] = o
			continue
		}
		in := make([]operand, len(n.In))
		for i, v := range n.In {
			in[i] = views[v.ID]
		}
		if op, ok := n.Op.(program.Split); ok {
			g.split(op, n, in[0], views)
			continue
		}
		m := g.emit(n.Op, in)
		for _, v := range n.Out {
			views[v.ID] = whole(g.result(m, v.Shape, v.ID))
		}
	}
	for _, s := range p.Stores {
		g.send(views[s.Value.ID], &destination{output: -1, vector: s.Vector, offset: s.Offset})
	}
	for i, o := range p.Outputs {
		g.send(views[o.Value.ID], &destination{output: i})
	}
	g.prune()
	return g
}

func (g *graph) value(v *value) *value {
	v.id = len(g.values)
	g.values = append(g.values, v)
	return v
}

func (g *graph) emit(op program.Op, in []operand) *node {
	n := &node{id: len(g.nodes), op: op, in: in, scope: g.scope}
	g.nodes = append(g.nodes, n)
	return n
}

func (g *graph) result(n *node, shape tensor.Shape, label int) *value {
	v := g.value(&value{label: label, shape: shape, size: shape.Size(), node: n})
	n.out = append(n.out, v)
	return v
}

// split emits slices; some of them are views.
func (g *graph) split(op program.Split, n *program.Node, in operand, views []operand) {
	for i, v := range n.Out {
		s := program.Slice{Dim: op.Dim, From: i * v.Shape[op.Dim], To: (i + 1) * v.Shape[op.Dim]}
		if o, ok := view(&program.Node{Op: s, In: n.In, Out: n.Out[i : i+1]}, views); ok {
			views[v.ID] = o
			continue
		}
		views[v.ID] = whole(g.result(g.emit(s, []operand{in}), v.Shape, v.ID))
	}
}

// view reports whether an operation only creates another view of its operand's elements.
func view(n *program.Node, views []operand) (operand, bool) {
	if len(n.In) == 0 {
		return operand{}, false
	}
	o := views[n.In[0].ID]
	size := o.shape.Size()
	o.shape = n.Out[0].Shape
	switch op := n.Op.(type) {
	case program.Reshape, program.StopGradient, program.WithGradient:
		return o, true
	case program.BroadcastTo:
		_, constant := o.constant()
		return o, constant || size == o.shape.Size()
	case program.Reduce:
		return o, size == o.shape.Size() && o.size > 0
	case program.Slice:
		in := n.In[0].Shape
		if _, constant := o.constant(); constant {
			return o, true
		}
		if in[:op.Dim].Size() == 1 {
			o.off += op.From * in[op.Dim+1:].Size()
			return o, true
		}
	}
	return operand{}, false
}

// send makes o's elements end in d. It adds a copy unless o is a whole computed value without a destination.
func (g *graph) send(o operand, d *destination) {
	if o.isWhole() && o.dest == nil {
		o.dest = d
		return
	}
	g.result(g.emit(identity{}, []operand{o}), o.shape, len(g.program.Values)+len(g.nodes)).dest = d
}

// prune drops nodes that no destination needs or that have no elements, and finds the uses of each value.
func (g *graph) prune() {
	needed := make([]bool, len(g.values))
	for _, v := range g.values {
		v.uses = v.uses[:0]
		needed[v.id] = v.dest != nil && v.size > 0
	}
	kept := g.nodes[:0:0]
	for i := len(g.nodes) - 1; i >= 0; i-- {
		n := g.nodes[i]
		any := false
		for _, v := range n.out {
			any = any || needed[v.id]
		}
		if !any {
			continue
		}
		kept = append(kept, n)
		for _, o := range n.in {
			needed[o.id] = o.size > 0
		}
	}
	g.nodes = g.nodes[:0]
	for i := len(kept) - 1; i >= 0; i-- {
		n := kept[i]
		n.id = len(g.nodes)
		g.nodes = append(g.nodes, n)
		for _, o := range n.in {
			o.uses = append(o.uses, n)
		}
	}
}

func (n *node) String() string {
	s := n.op.Name()
	switch op := n.op.(type) {
	case program.Unary:
		s = string(op.Kind)
	case program.Binary:
		s = string(op.Kind)
	}
	s += "("
	for i, o := range n.in {
		if i > 0 {
			s += ", "
		}
		s += o.String()
	}
	return s + ")"
}

// String returns the view's name in Dump.
func (o operand) String() string {
	if x, ok := o.constant(); ok {
		return fmt.Sprintf("%g", x)
	}
	if o.from != nil && o.from.Kind == program.FromInput {
		return fmt.Sprintf("%q%v", o.from.Name, o.shape)
	}
	s := fmt.Sprintf("%%%d", o.label)
	if o.from != nil {
		s = o.from.String()
	}
	if o.off != 0 || o.size != o.shape.Size() {
		s += fmt.Sprintf("[%d:%d]", o.off, o.off+o.shape.Size())
	}
	return s + o.shape.String()
}
