package cpu

import (
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/program"
)

// transposition reorders dimensions. It handles the innermost one or two dimensions of the result at once: as a
// transposed matrix if the operand's innermost dimension is the second one, and as rows otherwise.
type transposition struct {
	x          *Executable
	node       *node
	dims       []dim // of the result, innermost first: extents and strides in the operand
	matrix     bool
	rows, cols int // of the block in the result
	blocks     int
	perPart    int
	in, out    []float32
}

func newTransposition(x *Executable, n *node, _ *memory) (instruction, error) {
	in := n.in[0].shape
	strides := make([]int, len(in))
	stride := 1
	for i := len(in) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= in[i]
	}
	t := &transposition{x: x, node: n, rows: 1, cols: 1}
	perm := n.op.(program.Transpose).Perm.List()
	for i := len(perm) - 1; i >= 0; i-- {
		d := dim{in[perm[i]], strides[perm[i]]}
		if k := len(t.dims) - 1; k >= 0 && t.dims[k].extent*t.dims[k].stride == d.stride {
			t.dims[k].extent *= d.extent
		} else if d.extent != 1 {
			t.dims = append(t.dims, d)
		}
	}
	if len(t.dims) > 0 {
		t.cols = t.dims[0].extent
	}
	if len(t.dims) > 1 && t.dims[1].stride == 1 && t.dims[0].stride > 1 {
		t.matrix = true
		t.rows = t.dims[1].extent
	}
	t.blocks = n.out[0].size / (t.rows * t.cols)
	t.perPart = max(1, longReduction/(t.rows*t.cols))
	return t, nil
}

func (t *transposition) run(x *Executable) {
	t.in, t.out = x.read(t.node.in[0]), x.elements(t.node.out[0])
	x.executor.pool.Do((t.blocks+t.perPart-1)/t.perPart, t)
	t.in, t.out = nil, nil
}

// Run fills a few blocks.
func (t *transposition) Run(_, part int) {
	size := t.rows * t.cols
	done := 1
	if t.matrix {
		done = 2
	}
	for b := part * t.perPart; b < min(t.blocks, (part+1)*t.perPart); b++ {
		at, i := 0, b
		for _, d := range t.dims[min(done, len(t.dims)):] {
			at += i % d.extent * d.stride
			i /= d.extent
		}
		out := t.out[b*size : (b+1)*size]
		switch {
		case t.matrix:
			ld := t.dims[0].stride
			gemm.Transpose(t.x.executor.variant, out, t.cols, t.in[at:], ld, t.cols, t.rows)
		case len(t.dims) == 0 || t.dims[0].stride == 1:
			copy(out, t.in[at:])
		default:
			for k := range out {
				out[k] = t.in[at+k*t.dims[0].stride]
			}
		}
	}
}

func (t *transposition) String() string { return "transpose" + describe(t.node) }
