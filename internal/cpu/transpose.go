package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/program"
)

// transposition reorders dimensions. It handles the innermost two dimensions of the result at once: as a transposed
// matrix if the operand's innermost dimension is the second one, and as rows otherwise.
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
	if len(t.dims) > 1 {
		t.matrix = t.dims[1].stride == 1 && t.dims[0].stride > 1
		if !t.matrix {
			t.divideRows()
		}
		t.rows = t.dims[1].extent
	}
	size := max(1, t.rows*t.cols)
	t.blocks = n.out[0].size / size
	t.perPart = max(1, longReduction/size)
	return t, nil
}

// divideRows halves the rows of a block while they are many, so that there are blocks for every thread.
func (t *transposition) divideRows() {
	rows := t.dims[1]
	for rows.extent%2 == 0 && rows.extent*t.cols > longReduction {
		rows.extent /= 2
	}
	if more := t.dims[1].extent / max(1, rows.extent); more > 1 {
		t.dims[1] = rows
		t.dims = slices.Insert(t.dims, 2, dim{more, rows.extent * rows.stride})
	}
}

func (t *transposition) run(x *Executable) {
	t.in, t.out = x.read(t.node.in[0]), x.elements(t.node.out[0])
	x.executor.pool.Do((t.blocks+t.perPart-1)/t.perPart, t)
	t.in, t.out = nil, nil
}

// Run fills a few blocks.
func (t *transposition) Run(_, part int) {
	size := t.rows * t.cols
	for b := part * t.perPart; b < min(t.blocks, (part+1)*t.perPart); b++ {
		at, i := 0, b
		for _, d := range t.dims[min(2, len(t.dims)):] {
			at += i % d.extent * d.stride
			i /= d.extent
		}
		out := t.out[b*size : (b+1)*size]
		switch {
		case t.matrix:
			ld := t.dims[0].stride
			gemm.Transpose(t.x.executor.variant, out, t.cols, t.in[at:], ld, t.cols, t.rows)
		case len(t.dims) < 2:
			copy(out, t.in)
		case t.dims[0].stride == 1:
			gemm.CopyRows(t.x.executor.variant, out, t.cols, t.in[at:], t.dims[1].stride, t.rows, t.cols)
		default:
			for ; len(out) > 0; out, at = out[t.cols:], at+t.dims[1].stride {
				for k := range t.cols {
					out[k] = t.in[at+k*t.dims[0].stride]
				}
			}
		}
	}
}

func (t *transposition) String() string { return "transpose" + describe(t.node) }
