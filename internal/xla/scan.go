package xla

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// loop is a scan under construction, with the values that the loop carries from step to step.
type loop struct {
	program.Scan
	e       *emitter
	node    *program.Node
	carried []val // the counter, the operands in their order, then the histories
	kept    []int // the results that are read; each has a history
}

// scan emits a loop that counts steps. It carries the operands and the results of all steps so far. Only the states
// change among the operands.
func scan(e *emitter, n *program.Node, in []val) []val {
	o := n.Op.(program.Scan)
	l := &loop{Scan: o, e: e, node: n}
	start := []val{e.fillInt(0, nil, "i32")}
	start = append(start, in...)
	for k, v := range n.Out {
		if !e.used[v] {
			continue
		}
		l.kept = append(l.kept, k)
		h := e.fill(0, v.Shape)
		if k < o.States {
			first := 0
			if o.Reverse {
				first = o.Steps
			}
			h = l.put(h, in[o.Invariants+k], e.fillInt(int64(first), nil, "i32"))
		}
		start = append(start, h)
	}
	results := l.while(start)
	out := make([]val, len(n.Out))
	for i, k := range l.kept {
		out[k] = results[1+len(in)+i]
	}
	return out
}

// while emits the operation with its condition and its body, and returns the carried values after the loop.
func (l *loop) while(start []val) []val {
	e := l.e
	var pairs, kinds []string
	result := e.next
	e.next++
	results := make([]val, len(start))
	for i, s := range start {
		v := val{fmt.Sprintf("%%l%d_%d", result, i), s.shape, s.elem}
		l.carried = append(l.carried, v)
		results[i] = val{fmt.Sprintf("%%%d#%d", result, i), s.shape, s.elem}
		pairs, kinds = append(pairs, v.name+" = "+s.name), append(kinds, s.kind())
	}
	fmt.Fprintf(e, "%%%d:%d = stablehlo.while(%s) : %s\ncond {\n", result, len(start), strings.Join(pairs, ", "),
		strings.Join(kinds, ", "))
	more := e.compare("LT", l.carried[0], e.fillInt(int64(l.Steps), nil, "i32"))
	fmt.Fprintf(e, "stablehlo.return %s : tensor<i1>\n} do {\n", more.name)
	next := l.step()
	names := make([]string, len(next))
	for i, v := range next {
		names[i] = v.name
	}
	fmt.Fprintf(e, "stablehlo.return %s : %s\n}\n", strings.Join(names, ", "), strings.Join(kinds, ", "))
	return results
}

// step emits the body and returns the values carried to the next step.
func (l *loop) step() []val {
	e := l.e
	one := e.fillInt(1, nil, "i32")
	count := l.carried[0]
	t := count
	to := e.binary("add", t, one)
	if l.Reverse {
		t = e.binary("subtract", e.fillInt(int64(l.Steps-1), nil, "i32"), count)
		to = t
	}
	operands := l.carried[1 : 1+len(l.node.In)]
	for i, v := range l.Body.Inputs {
		e.known[v] = operands[i]
		if i >= l.Invariants+l.States {
			e.known[v] = l.take(operands[i], t, v.Shape)
		}
	}
	for _, n := range l.Body.Nodes {
		for _, v := range n.In {
			e.used[v] = true
		}
	}
	for _, o := range l.Body.Outputs {
		e.used[o.Value] = true
	}
	for _, v := range l.Body.Values {
		if v.Kind == program.FromConst {
			e.known[v] = e.constantOf(v)
		}
	}
	for _, n := range l.Body.Nodes {
		e.node(n)
	}
	next := slices.Clone(l.carried)
	next[0] = e.binary("add", count, one)
	for k := range l.States {
		next[1+l.Invariants+k] = e.known[l.Body.Outputs[k].Value]
	}
	for i, k := range l.kept {
		at := t
		if k < l.States {
			at = to
		}
		h := 1 + len(operands) + i
		next[h] = l.put(l.carried[h], e.known[l.Body.Outputs[k].Value], at)
	}
	return next
}

// places returns the start of element t of a sequence, for dynamic slices.
func (l *loop) places(t val, rank int) (names, kinds string) {
	n, k := []string{t.name}, []string{t.kind()}
	if rank > 1 {
		zero := l.e.fillInt(0, nil, "i32")
		for range rank - 1 {
			n, k = append(n, zero.name), append(k, zero.kind())
		}
	}
	return strings.Join(n, ", "), strings.Join(k, ", ")
}

// take returns element t of a sequence [steps, …].
func (l *loop) take(x, t val, shape tensor.Shape) val {
	names, kinds := l.places(t, len(x.shape))
	size := append(tensor.Shape{1}, shape...)
	part := l.e.op(size, x.elem, "dynamic_slice %s, %s, sizes = %s : (%s, %s) -> %s", x.name, names, list(size), x.kind(),
		kinds, kindOf(size, x.elem))
	return l.e.reshape(part, shape)
}

// put sets element t of a sequence.
func (l *loop) put(x, v, t val) val {
	names, kinds := l.places(t, len(x.shape))
	part := l.e.reshape(v, append(tensor.Shape{1}, v.shape...))
	return l.e.op(x.shape, x.elem, "dynamic_update_slice %s, %s, %s : (%s, %s, %s) -> %s", x.name, part.name, names,
		x.kind(), part.kind(), kinds, x.kind())
}
