package cpu

import "github.com/dl4go/dl4go/program"

// reversal reverses the steps of sequences. Each row of the batch belongs to one thread.
type reversal struct {
	node                      *node
	rows, outer, steps, inner int // of [rows, outer, steps, inner]
	perPart                   int
	in, mask, out             []float32
}

func newReversal(_ *Executable, n *node, _ *memory) (instruction, error) {
	s, dim := n.in[0].shape, n.op.(program.Reverse).Dim
	r := &reversal{node: n, rows: s[0], outer: s[1:dim].Size(), steps: s[dim], inner: s[dim+1:].Size()}
	r.perPart = max(1, longReduction/(1+s[1]*s[2]))
	return r, nil
}

func (r *reversal) run(x *Executable) {
	r.in, r.out = x.read(r.node.in[0]), x.elements(r.node.out[0])
	if len(r.node.in) > 1 {
		r.mask = x.read(r.node.in[1])
	}
	x.executor.pool.Do((r.rows+r.perPart-1)/r.perPart, r)
	r.in, r.mask, r.out = nil, nil, nil
}

// Run processes a few rows. One index goes up the steps that are present, the other down.
func (r *reversal) Run(_, part int) {
	for row := part * r.perPart; row < min(r.rows, (part+1)*r.perPart); row++ {
		var mask []float32
		if r.mask != nil {
			mask = r.mask[row*r.steps : (row+1)*r.steps]
		}
		for i := range r.outer {
			at := (row*r.outer + i) * r.steps * r.inner
			from := r.steps - 1
			for t := range r.steps {
				y := r.out[at+t*r.inner:][:r.inner]
				if mask != nil && mask[t] == 0 {
					clear(y)
					continue
				}
				for mask != nil && mask[from] == 0 {
					from--
				}
				copy(y, r.in[at+from*r.inner:])
				from--
			}
		}
	}
}

func (r *reversal) String() string { return r.node.op.Name() + describe(r.node) }

func init() { kernels["reverse"] = newReversal }
