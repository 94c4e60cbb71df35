package cpu

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// folded is a sum of products, of squares or of absolute values. It does not store these.
type folded struct {
	program.Reduce
	of fold
}

type fold int

const (
	elements fold = iota
	squares
	magnitudes
	products
)

var foldNames = [...]string{elements: "", squares: " of squares", magnitudes: " of magnitudes",
	products: " of products"}

// reduction combines elements in passes, each over one span of dimensions.
type reduction struct {
	node   *node
	passes []*pass
}

// pass reduces [outer, reduced, inner] to [outer, pieces, inner]. Each piece is a fixed number of the reduced indices.
// If rows of inner elements are long, there is one piece, and threads share the rows' segments instead.
type pass struct {
	x                     *Executable
	kind                  program.ReduceKind
	of                    fold // of the first pass
	outer, reduced, inner int
	pieces, each          int
	segments, length      int // number and elements of the segments
	inOrder               bool
	perPart               int
	result                *buffer // nil in the last pass
	in, by, out           []float32
}

const (
	longReduction = 16 << 10 // elements are combined in one piece
	segment       = 4 << 10  // elements of a long row that are combined together
)

func newReduction(x *Executable, n *node, m *memory) (instruction, error) {
	op, ok := n.op.(program.Reduce)
	of := elements
	if f, isFolded := n.op.(folded); !ok && isFolded {
		op, of = f.Reduce, f.of
	}
	r := &reduction{node: n}
	spans := spansOf(n.in[0].shape, op.Dims.List())
	for i := len(spans) - 1; i >= 0; i-- {
		if !spans[i].reduced {
			continue
		}
		p := &pass{x: x, kind: op.Kind, inOrder: op.InOrder, outer: 1, inner: 1, reduced: spans[i].extent}
		for _, d := range spans[:i] {
			p.outer *= d.extent
		}
		for _, d := range spans[i+1:] {
			if !d.reduced {
				p.inner *= d.extent
			}
		}
		for {
			p.each, p.pieces, p.segments, p.length = p.reduced, 1, 1, segment
			if p.inOrder && p.inner <= segment {
				p.length = segment / 8
			}
			if (p.inner > segment || p.inOrder) && p.reduced > 0 {
				p.segments = (p.inner + p.length - 1) / p.length
			} else if p.inner > 0 && p.reduced > 0 {
				p.each = min(p.reduced, longReduction/p.inner)
				p.pieces = (p.reduced + p.each - 1) / p.each
			}
			p.perPart = max(1, longReduction*p.segments/max(1, p.each*p.inner))
			r.passes = append(r.passes, p)
			if p.pieces == 1 {
				break
			}
			p.result = m.work(n.unit, p.outer*p.pieces*p.inner)
			p = &pass{x: x, kind: op.Kind, outer: p.outer, reduced: p.pieces, inner: p.inner}
		}
	}
	r.passes[0].of = of
	for _, p := range r.passes[:len(r.passes)-1] {
		if p.result == nil {
			p.result = m.work(n.unit, p.outer*p.pieces*p.inner)
		}
	}
	return r, nil
}

// span is a run of neighbouring dimensions.
type span struct {
	extent  int
	reduced bool
}

// spansOf joins neighbouring dimensions that are reduced, and neighbouring dimensions that are not.
func spansOf(shape tensor.Shape, dims []int) []span {
	var spans []span
	for i, e := range shape {
		reduced := len(dims) > 0 && dims[0] == i
		if reduced {
			dims = dims[1:]
		}
		if k := len(spans) - 1; k >= 0 && spans[k].reduced == reduced {
			spans[k].extent *= e
		} else if e != 1 {
			spans = append(spans, span{e, reduced})
		}
	}
	return spans
}

func (r *reduction) run(x *Executable) {
	in := x.read(r.node.in[0])
	for i, p := range r.passes {
		if i == 0 && len(r.node.in) == 2 {
			p.by = x.read(r.node.in[1])
		}
		if p.result == nil {
			p.out = x.elements(r.node.out[0])
		} else {
			p.out = x.work(p.result)
		}
		p.in = in
		x.executor.pool.Do((p.outer*p.pieces*p.segments+p.perPart-1)/p.perPart, p)
		in = p.out
		p.in, p.by, p.out = nil, nil, nil
	}
}

// Run computes a few pieces, or segments.
func (p *pass) Run(_, part int) {
	k := p.x.executor.vec
	for i := part * p.perPart; i < min(p.outer*p.pieces*p.segments, (part+1)*p.perPart); i++ {
		if p.segments > 1 || p.inOrder && p.reduced > 0 {
			p.segment(i/p.segments, i%p.segments)
			continue
		}
		o, first := i/p.pieces, i%p.pieces*p.each
		from, to := (o*p.reduced+first)*p.inner, (o*p.reduced+min(p.reduced, first+p.each))*p.inner
		in := p.in[from:to]
		out := p.out[i*p.inner : (i+1)*p.inner]
		switch {
		case p.of == squares:
			out[0] = k.SumSquares(in)
		case p.of == magnitudes:
			out[0] = k.SumAbs(in)
		case p.of == products:
			out[0] = k.Dot(in, p.by[from:to])
		case p.inner == 1 && p.kind == program.Sum:
			out[0] = k.Sum(in)
		case p.inner == 1:
			out[0] = k.ReduceMax(in)
		case p.kind == program.Sum:
			clear(out)
			k.AddRows(out, in)
		default:
			k.Fill(out, float32(math.Inf(-1)))
			for ; len(in) > 0; in = in[p.inner:] {
				k.Max(out, out, in[:p.inner])
			}
		}
	}
}

// segment combines a segment of long rows.
func (p *pass) segment(outer, i int) {
	combine := p.x.executor.vec.Add
	if p.kind == program.Max {
		combine = p.x.executor.vec.Max
	}
	from, to := i*p.length, min(p.inner, (i+1)*p.length)
	out := p.out[outer*p.inner+from : outer*p.inner+to]
	in := p.in[outer*p.reduced*p.inner:]
	copy(out, in[from:to])
	for r := 1; r < p.reduced; r++ {
		combine(out, out, in[r*p.inner+from:r*p.inner+to])
	}
}

func (r *reduction) String() string {
	s := string(r.passes[0].kind) + foldNames[r.passes[0].of]
	for _, p := range r.passes {
		s += fmt.Sprintf(" %dx%dx%d→%dx%dx%d", p.outer, p.reduced, p.inner, p.outer, p.pieces, p.inner)
	}
	return s + describe(r.node)
}
