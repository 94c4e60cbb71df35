package program

import "fmt"

// Grad is a loop in the opposite direction, over the gradient of a step. It carries the gradients of the states, and
// reads the values of the forward steps from their results. The gradient of an invariant is a sum over the steps. For
// a matrix in a product over the rows of each step, that sum is one product over the rows of all steps, after the
// loop.
func (o Scan) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	d := NewBuilder()
	t := newTracing(b, Loop{o.Steps, !o.Reverse})
	in := make([]*Value, len(n.In))
	step := map[*Value]*Value{}
	for i, v := range o.Body.Inputs {
		in[i] = d.Input(fmt.Sprintf("in%d", i), v.Shape...)
		step[v] = in[i]
	}
	states := in[o.Invariants : o.Invariants+o.States]
	for i, v := range in {
		switch k := i - o.Invariants; {
		case k < 0:
			t.known[v] = traced{invariant, n.In[i]}
		case k < o.States:
			t.known[v] = traced{sequence, o.before(b, n.Out[k])}
		default:
			t.known[v] = traced{sequence, n.In[i]}
		}
	}
	o.again(b, n, d, step, t)

	var y, seed, carried []*Value
	for k, v := range states {
		g := d.Input(fmt.Sprintf("gradient%d", k), v.Shape...)
		t.state(g, b.Fill(0, v.Shape...))
		carried = append(carried, g)
		if dout[k] != nil {
			s := d.Input(fmt.Sprintf("dstate%d", k), v.Shape...)
			t.known[s] = traced{sequence, o.after(b, dout[k])}
			g = d.Add(g, s)
		}
		y, seed = append(y, step[o.Body.Outputs[k].Value]), append(seed, g)
	}
	for i := o.States; i < len(dout); i++ {
		if dout[i] != nil {
			v := o.Body.Outputs[i].Value
			s := d.Input(fmt.Sprintf("dresult%d", i), v.Shape...)
			t.known[s] = traced{sequence, dout[i]}
			y, seed = append(y, step[v]), append(seed, s)
		}
	}
	grads := d.gradients(y, seed, in)

	next := make([]*Value, o.States)
	for k := range next {
		if next[k] = grads[o.Invariants+k]; next[k] == nil {
			next[k] = d.Fill(0, carried[k].Shape...)
		}
	}
	var wanted []*Value
	for i, g := range grads {
		switch {
		case g == nil:
		case i < o.Invariants:
			for _, term := range sumTerms(g, nil) {
				wanted = append(wanted, stepFactors(term)...)
			}
		case i >= o.Invariants+o.States:
			wanted = append(wanted, g)
		}
	}
	node := t.emit(next, wanted)

	out := make([]*Value, len(in))
	for i, g := range grads {
		switch k := i - o.Invariants; {
		case k < 0 && g != nil:
			for _, term := range sumTerms(g, nil) {
				s := t.sum(term)
				if out[i] != nil {
					s = b.Add(out[i], s)
				}
				out[i] = s
			}
		case k >= 0 && k < o.States:
			out[i] = o.initial(b, node.Out[k], dout[k])
		case k >= o.States && g != nil:
			out[i] = t.result(g)
		}
	}
	return out
}

// again emits the step into d. Its values are read from the forward loop's results.
func (o Scan) again(b *Builder, n *Node, d *Builder, step map[*Value]*Value, t *tracing) {
	for _, v := range o.Body.Values {
		switch {
		case v.Kind == FromConst && len(v.Const) == 1:
			step[v] = d.Fill(v.Const[0], v.Shape...)
		case v.Kind == FromConst:
			step[v] = d.Const(v.Const, v.Shape...)
		}
	}
	for _, m := range o.Body.Nodes {
		operands := make([]*Value, len(m.In))
		for i, v := range m.In {
			operands[i] = step[v]
		}
		for i, v := range d.ApplyAll(m.Op, operands...) {
			step[m.Out[i]] = v
		}
	}
	for i := o.States; i < len(o.Body.Outputs); i++ {
		t.known[step[o.Body.Outputs[i].Value]] = traced{sequence, n.Out[i]}
	}
	for k := range o.States { // if a value can be read in two ways, prefer the states, which are kept anyway
		v := o.Body.Outputs[k].Value
		if v.Kind == FromNode {
			t.known[step[v]] = traced{sequence, o.after(b, n.Out[k])}
		}
	}
}

// initial returns the gradient of an initial state: the carried gradient after the first step, plus the gradient of
// the element that holds the state.
func (o Scan) initial(b *Builder, carried, dstates *Value) *Value {
	at := 0
	if o.Reverse {
		at = o.Steps
	}
	shape := carried.Shape[1:]
	g := b.Reshape(b.Slice(carried, 0, at, at+1), shape...)
	if dstates != nil {
		g = b.Add(g, b.Reshape(b.Slice(dstates, 0, at, at+1), shape...))
	}
	return g
}

// sumTerms splits a sum into its terms.
func sumTerms(v *Value, to []*Value) []*Value {
	if v.Kind == FromNode {
		if op, ok := v.Node.Op.(Binary); ok && op.Kind == Add && v.Node.In[0].Shape.Equal(v.Node.In[1].Shape) {
			return sumTerms(v.Node.In[1], sumTerms(v.Node.In[0], to))
		}
	}
	return append(to, v)
}

// stepFactors returns the values of all steps that are needed to sum a term over the steps.
func stepFactors(term *Value) []*Value {
	if overRows(term) {
		return term.Node.In
	}
	return []*Value{term}
}

// overRows reports whether a value is a product aᵀ·b, which sums over the rows of a and b.
func overRows(v *Value) bool {
	if v.Kind != FromNode || len(v.Shape) != 2 {
		return false
	}
	op, ok := v.Node.Op.(MatMul)
	return ok && op.TransA && !op.TransB && op.OverBatch
}

// sum adds a term over all steps.
func (t *tracing) sum(term *Value) *Value {
	b := t.outer
	if !overRows(term) {
		return b.Sum(t.result(term), 0)
	}
	rows := func(v *Value) *Value {
		r := t.result(v)
		return b.Reshape(r, r.Shape[0]*r.Shape[1], r.Shape[2])
	}
	return b.Apply(MatMul{TransA: true, OverBatch: true}, rows(term.Node.In[0]), rows(term.Node.In[1]))
}
