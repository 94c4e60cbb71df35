package cpu

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// folded is a sum of products, of squares or of absolute values, which are not kept.
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

var foldNames = [...]string{elements: "", squares: " of squares", magnitudes: " of magnitudes", products: " of products"}

// reduction combines elements in passes, each over one run of neighbouring dimensions.
type reduction struct {
	node   *node
	passes []*pass
}

// pass reduces [outer, reduced, inner] to [outer, pieces, inner]: each piece is a fixed number of the reduced indices.
type pass struct {
	x                     *Executable
	kind                  program.ReduceKind
	of                    fold // of the first pass
	outer, reduced, inner int
	pieces, each          int
	perPart               int
	result                *buffer // nil: of the last pass
	in, by, out           []float32
}

// longReduction is how many elements are combined in one piece.
const longReduction = 16 << 10

func newReduction(x *Executable, n *node, m *memory) (instruction, error) {
	op, ok := n.op.(program.Reduce)
	of := elements
	if f, isFolded := n.op.(folded); !ok && isFolded {
		op, of = f.Reduce, f.of
	}
	r := &reduction{node: n}
	runs := reducedRuns(n.in[0].shape, op.Dims.List())
	for i := len(runs) - 1; i >= 0; i-- {
		if !runs[i].reduced {
			continue
		}
		p := &pass{x: x, kind: op.Kind, outer: 1, inner: 1, reduced: runs[i].extent}
		for _, d := range runs[:i] {
			p.outer *= d.extent
		}
		for _, d := range runs[i+1:] {
			if !d.reduced {
				p.inner *= d.extent
			}
		}
		for {
			p.each = max(1, min(p.reduced, longReduction/max(1, p.inner)))
			p.pieces = max(1, (p.reduced+p.each-1)/p.each)
			p.perPart = max(1, longReduction/max(1, p.each*p.inner))
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

type run struct {
	extent  int
	reduced bool
}

// reducedRuns joins neighbouring dimensions that are reduced, and those that are not.
func reducedRuns(shape tensor.Shape, dims []int) []run {
	var runs []run
	for i, e := range shape {
		reduced := len(dims) > 0 && dims[0] == i
		if reduced {
			dims = dims[1:]
		}
		if k := len(runs) - 1; k >= 0 && runs[k].reduced == reduced {
			runs[k].extent *= e
		} else if e != 1 {
			runs = append(runs, run{e, reduced})
		}
	}
	return runs
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
		x.executor.pool.Do((p.outer*p.pieces+p.perPart-1)/p.perPart, p)
		in = p.out
		p.in, p.by, p.out = nil, nil, nil
	}
}

// Run computes a few pieces.
func (p *pass) Run(_, part int) {
	k := p.x.executor.vec
	for i := part * p.perPart; i < min(p.outer*p.pieces, (part+1)*p.perPart); i++ {
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

func (r *reduction) String() string {
	s := string(r.passes[0].kind) + foldNames[r.passes[0].of]
	for _, p := range r.passes {
		s += fmt.Sprintf(" %dx%dx%d→%dx%dx%d", p.outer, p.reduced, p.inner, p.outer, p.pieces, p.inner)
	}
	return s + describe(r.node)
}
