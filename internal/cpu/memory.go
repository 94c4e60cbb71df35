package cpu

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// ref is the place of a value: an offset in one of the memories of a run.
type ref struct{ base, off int }

const (
	inArena  = iota // of the executor, shared by all programs: intermediate values
	inOwn           // of the executable: constants and outputs
	inVector        // and the other vectors after it
	inInput  = inVector + int(program.NumVectors)
)

// line is a cache line, in elements. Buffers begin at cache lines.
const line = 16

func aligned(n int) int { return (n + line - 1) / line * line }

// buffer is a part of the arena, held from one unit of the schedule to another.
type buffer struct {
	size, first, last int
	off               int
	name              string
}

// memory plans the places of values.
type memory struct {
	x       *Executable
	body    bool // of a loop: outputs are bound like inputs
	end     int
	buffers []*buffer
	filled  map[string]*value

	owned     int        // elements of the executable's own memory
	constants []constant // initial contents of it
}

// constant is a value that is known at compile time. One element fills the whole size.
type constant struct {
	at, size int
	elements []float64
}

// place chooses the memory of every value that needs some. finish computes the offsets in the arena.
func (m *memory) place(g *graph) {
	x := m.x
	m.end = len(g.units)
	m.filled = map[string]*value{}
	x.outputs = make([]ref, len(g.program.Outputs))
	x.inputs = make([]int, len(g.program.Inputs))
	inputs := map[*program.Value]int{}
	for i, v := range g.program.Inputs {
		inputs[v] = i
		x.inputs[i] = v.Shape.Size()
	}
	for _, v := range g.values {
		switch {
		case v.from == nil:
		case v.from.Kind == program.FromInput:
			v.at = ref{inInput + inputs[v.from], 0}
		case v.from.Kind == program.FromVector:
			v.at = ref{inVector + int(v.from.Vector), v.from.Offset}
		case len(v.uses) > 0:
			v.at = m.own(v.size)
			m.constants = append(m.constants, constant{v.at.off, v.size, v.from.Const})
		}
		switch {
		case v.dest == nil || v.dest.output < 0:
		case m.body:
			v.at = ref{inInput + len(x.inputs) + v.dest.output, 0}
		default:
			v.at = m.own(v.size)
			x.outputs[v.dest.output] = v.at
		}
	}
	for _, u := range g.units {
		for ; u != nil; u = u.tail {
			m.placeUnit(u)
		}
	}
}

func (m *memory) placeUnit(u *unit) {
	for _, n := range u.nodes {
		for i, o := range n.in {
			if c, ok := o.constant(); ok && !u.elementwise && o.shape.Size() != o.size {
				n.in[i] = whole(m.repeated(c, o.shape))
			}
		}
		for i, v := range n.out {
			switch {
			case v.dest != nil && v.dest.output >= 0:
			case isLoop(n) && !loopKeeps(n, i):
			case v.dest != nil && v.dest.direct:
				v.at = ref{inVector + int(v.dest.vector), v.dest.offset}
			case v.materialised():
				m.hold(v, u)
			}
		}
	}
}

// materialised reports whether the value outlives its unit.
func (v *value) materialised() bool {
	if v.dest != nil || !v.node.unit.elementwise {
		return true
	}
	return v.last > v.first
}

// hold gives v a buffer: that of an operand of its group that is no longer used, or a new one.
func (m *memory) hold(v *value, u *unit) {
	if o, ok := u.nodes[0].inPlace(v); ok && o.held != nil && o.held.last == u.at && o.held.first < u.at {
		v.held, o.held.last = o.held, v.last
		return
	}
	if u.elementwise {
		for _, n := range u.nodes {
			for _, o := range n.in {
				b := o.held
				if b != nil && b.last == u.at && o.size == v.size && u.readsWhole(o.value) && u.mayOverwrite(o) {
					b.last = v.last
					v.held = b
					return
				}
			}
		}
	}
	v.held = m.buffer(v.size, v.first, v.last, fmt.Sprintf("%%%d", v.label))
}

// inPlace returns the operand that result v of n may overwrite, where n is not elementwise: the gradient of the result
// of a normalisation of images.
func (n *node) inPlace(v *value) (o operand, ok bool) {
	if _, gradient := n.op.(program.BatchNormGrad); !gradient || v != n.out[0] || !normalisesImages(n) {
		return o, false
	}
	o = n.in[4]
	return o, o.isWhole() && o.held != n.in[0].held
}

// mayOverwrite reports whether a group may write its results to the memory of an operand. Where the group is attached,
// that is the other unit's result, or nothing that the other unit reads.
func (u *unit) mayOverwrite(o operand) bool {
	if u.head == nil {
		return o.held.first < u.at
	}
	for _, n := range u.head.nodes {
		for _, in := range n.in {
			if in.held == o.held {
				return false
			}
		}
	}
	return o.held.first < u.at || o.node.unit == u.head
}

// readsWhole reports whether every operand of the group that is a view of v covers all of it.
func (u *unit) readsWhole(v *value) bool {
	for _, n := range u.nodes {
		for _, o := range n.in {
			if o.value == v && !o.isWhole() {
				return false
			}
		}
	}
	return true
}

func (m *memory) buffer(n, first, last int, name string) *buffer {
	b := &buffer{size: aligned(n), first: first, last: last, name: name}
	m.buffers = append(m.buffers, b)
	return b
}

// work returns scratch memory for one unit.
func (m *memory) work(u *unit, n int) *buffer {
	return m.buffer(n, u.at, u.at, "work of "+u.nodes[0].op.Name())
}

// own returns a place in the executable's own memory, which allocate makes.
func (m *memory) own(n int) ref {
	at := ref{inOwn, m.owned}
	m.owned += aligned(n)
	return at
}

// allocate makes the executable's own memory, once the whole plan is known to be possible.
func (m *memory) allocate() error {
	if err := checkup.Fits(4 * int64(m.owned)); err != nil {
		return fmt.Errorf("cpu: the program's constants and outputs: %w; a smaller batch takes less", err)
	}
	own := grown(nil, m.owned)
	for _, c := range m.constants {
		to := own[c.at : c.at+c.size]
		for i := range to {
			to[i] = float32(c.elements[i%len(c.elements)])
		}
	}
	m.x.own = own
	return nil
}

// repeated returns a constant with one repeated element written out.
func (m *memory) repeated(c float64, shape tensor.Shape) *value {
	key := shape.String() + fmt.Sprint(c)
	if v := m.filled[key]; v != nil {
		return v
	}
	n := shape.Size()
	v := &value{shape: shape, size: n, at: m.own(n), from: &program.Value{Kind: program.FromConst, Shape: shape}}
	m.constants = append(m.constants, constant{v.at.off, n, []float64{c}})
	m.filled[key] = v
	return v
}

// finish gives the buffers their offsets: the largest first, each in the smallest gap that is free during its
// lifetime.
func (m *memory) finish(g *graph) {
	order := slices.Clone(m.buffers)
	slices.SortStableFunc(order, func(a, b *buffer) int { return b.size - a.size })
	var placed []*buffer // by offset
	for _, b := range order {
		best, gap, end := -1, 0, 0
		for _, p := range placed {
			if p.last < b.first || b.last < p.first {
				continue
			}
			if free := p.off - end; free >= b.size && (best < 0 || free < gap) {
				best, gap = end, free
			}
			end = max(end, p.off+p.size)
		}
		if b.off = best; best < 0 {
			b.off = end
		}
		m.x.arenaSize = max(m.x.arenaSize, b.off+b.size)
		i, _ := slices.BinarySearchFunc(placed, b.off, func(p *buffer, off int) int { return p.off - off })
		placed = slices.Insert(placed, i, b)
	}
	for _, v := range g.values {
		if v.held != nil {
			v.at = ref{inArena, v.held.off}
		}
	}
	m.x.buffers = m.buffers
}
