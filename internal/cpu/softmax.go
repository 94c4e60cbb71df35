package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
)

// softmax treats its operand as [outer, classes, inner].
type softmax struct {
	x                     *Executable
	node                  *node
	outer, classes, inner int
	rows                  int // outer indices to a part
	sums                  *buffer
	in, out, work         []float32
}

func newSoftmax(x *Executable, n *node, m *memory) (instruction, error) {
	shape, dim := n.out[0].shape, n.op.(program.Softmax).Dim
	s := &softmax{x: x, node: n, outer: shape[:dim].Size(), classes: shape[dim], inner: shape[dim+1:].Size()}
	s.rows = max(1, 4096/(s.classes*s.inner))
	s.sums = m.work(n.unit, x.executor.Threads()*aligned(s.inner))
	return s, nil
}

func (s *softmax) run(x *Executable) {
	s.in, s.out, s.work = x.read(s.node.in[0]), x.elements(s.node.out[0]), x.work(s.sums)
	x.executor.pool.Do((s.outer+s.rows-1)/s.rows, s)
	s.in, s.out, s.work = nil, nil, nil
}

// Run processes a few outer indices.
func (s *softmax) Run(worker, part int) {
	k := s.x.executor.vec
	size := s.classes * s.inner
	from, to := part*s.rows*size, min(s.outer, (part+1)*s.rows)*size
	if s.inner == 1 {
		k.Softmax(s.out[from:to], s.in[from:to], s.classes)
		return
	}
	t := s.work[worker*aligned(s.inner):][:s.inner]
	for ; from < to; from += size {
		in, out := s.in[from:from+size], s.out[from:from+size]
		copy(t, in)
		for i := s.inner; i < size; i += s.inner {
			k.Max(t, t, in[i:i+s.inner])
		}
		for i := 0; i < size; i += s.inner {
			k.Sub(out[i:i+s.inner], in[i:i+s.inner], t)
		}
		k.Exp(out, out)
		clear(t)
		k.AddRows(t, out)
		for i := 0; i < size; i += s.inner {
			k.Div(out[i:i+s.inner], out[i:i+s.inner], t)
		}
	}
}

func (s *softmax) String() string {
	return fmt.Sprintf("softmax of %d classes", s.classes) + describe(s.node)
}
