package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// groupPlan makes the steps of a group. During planning, registers are numbers of virtual slots, and ^i means memory
// stream i; assign turns them into slots and memory.
type groupPlan struct {
	*group
	virtual int
	of      map[*value]int    // the register of a node's result
	known   map[string]int    // the register of an expanded operand, by its name
	reads   map[operandID]int // memory streams of operands
	weight  int
}

type operandID struct {
	v         *value
	off, size int
}

func (x *Executable) newGroup(u *unit) *group {
	p := &groupPlan{group: &group{x: x, unit: u, size: u.size}, of: map[*value]int{}, known: map[string]int{},
		reads: map[operandID]int{}}
	p.cut()
	for _, n := range u.nodes {
		p.node(n)
	}
	p.momentum() // before chains join some of its steps
	p.adam()
	p.derivatives()
	p.chains()
	p.settle()
	p.assign()
	p.memory = make([][]float32, len(p.streams))
	p.scalars = make([]float32, len(p.sources))
	p.seeds = make([]uint64, len(p.random))
	x.scratchSize = max(x.scratchSize, p.slots*maxChunk)
	// The number of parts may depend on the threads, because elements don't depend on each other.
	threads := x.executor.Threads()
	parts := min(p.chunks, p.size*p.weight/partCost, threads*partsEach)
	p.perPart = (p.chunks + max(parts, 1) - 1) / max(parts, 1)
	return p.group
}

// cut chooses the chunks. For long rows that are broadcast, or repeated, no chunk crosses the end of a row. Otherwise
// chunks are a multiple of the period of broadcast operands, which are then expanded once for each part.
func (p *groupPlan) cut() {
	p.chunk, p.block = maxChunk, p.size
	row, period := 0, 0
	for _, n := range p.unit.nodes {
		for _, o := range n.in {
			a := p.access(n, o)
			switch {
			case a.kind == strided && isSlice(n) && a.dims[0].extent >= sliceRow:
				row = max(row, a.dims[0].extent)
			case a.kind != periodic:
			case a.repeat >= longRow:
				row = max(row, a.repeat)
			case a.repeat == 1 && a.period >= longRow:
				row = max(row, a.period)
			case a.period*a.repeat <= maxChunk/2:
				period = max(period, a.period*a.repeat)
			}
		}
	}
	switch {
	case row > 0:
		p.block = row
		pieces := (row + maxChunk - 1) / maxChunk
		p.chunk = (row + pieces - 1) / pieces
		p.chunk = min(row, aligned(p.chunk))
	case period > 0:
		p.chunk = maxChunk / period * period
		p.block = p.chunk
	}
	p.chunk = min(p.chunk, p.size)
	p.block = min(p.block, p.size)
	p.pieces = (p.block + p.chunk - 1) / p.chunk
	blocks := (p.size + p.block - 1) / p.block
	p.chunks = blocks * p.pieces
}

// access returns how node n of the group reads an operand.
func (p *groupPlan) access(n *node, o operand) access {
	if _, ok := o.constant(); ok {
		return access{kind: uniform}
	}
	if n.op == (identity{}) {
		return access{kind: dense}
	}
	if op, ok := n.op.(program.Slice); ok {
		in := n.in[0].shape
		inner := in[op.Dim+1:].Size()
		return access{kind: strided, dims: []dim{{(op.To - op.From) * inner, 1}, {in[:op.Dim].Size(), in[op.Dim] * inner}}}
	}
	return accessOf(o.shape, n.out[0].shape)
}

func (p *groupPlan) fresh() int {
	p.virtual++
	return p.virtual - 1
}

// stream returns the register of a view in memory, element by element.
func (p *groupPlan) stream(o operand) int {
	id := operandID{o.value, o.off, o.shape.Size()}
	if r, ok := p.reads[id]; ok {
		return r
	}
	p.streams = append(p.streams, o)
	p.rows = append(p.rows, row{})
	p.reads[id] = ^(len(p.streams) - 1)
	return p.reads[id]
}

func (p *groupPlan) scalar(o operand) int {
	p.sources = append(p.sources, o)
	return len(p.sources) - 1
}

// isScalar reports whether an operand is one number for the whole group.
func (p *groupPlan) isScalar(n *node, o operand) bool {
	return p.access(n, o).kind == uniform && (o.node == nil || o.node.unit != p.unit)
}

// isOfChunk reports whether an operand is one number for each chunk: an element for each channel of images.
func (p *groupPlan) isOfChunk(n *node, o operand) bool {
	if _, computed := p.of[o.value]; computed {
		return false
	}
	a := p.access(n, o)
	return a.kind == periodic && a.repeat == p.block
}

// operand returns the register that holds an operand of n.
func (p *groupPlan) operand(n *node, o operand) int {
	if r, ok := p.of[o.value]; ok {
		return r
	}
	a := p.access(n, o)
	if a.kind == dense {
		return p.stream(o)
	}
	key := fmt.Sprint(o.id, o.off, a)
	if r, ok := p.known[key]; ok {
		return r
	}
	if a.kind == periodic && a.repeat == 1 && a.period == p.block {
		r := p.stream(o)
		p.rows[^r] = row{length: a.period}
		return r
	}
	r := p.fresh()
	p.known[key] = r
	s := step{form: expandForm, dst: r, access: a}
	if a.kind == uniform {
		s = step{form: fillForm, dst: r, scalar: p.scalar(o), once: true}
	} else {
		s.a = p.stream(o)
		s.once = a.kind == periodic && p.chunk%(a.period*a.repeat) == 0 && p.block == p.chunk
	}
	p.steps = append(p.steps, s)
	return r
}

// node emits the step of a node.
func (p *groupPlan) node(n *node) {
	v := n.out[0]
	var s step
	weight := 1
	switch op := n.op.(type) {
	case program.Unary:
		s = step{form: unaryForm, a: p.operand(n, n.in[0]), unary: unaryKernel(p.x.executor.vec, op.Kind),
			function: op.Kind}
		weight = unaryWeight(op.Kind)
	case program.Binary:
		k := binaryKernel(p.x.executor.vec, op.Kind)
		weight = k.weight
		switch {
		case p.isOfChunk(n, n.in[1]):
			s = step{form: chunkForm, a: p.operand(n, n.in[0]), b: p.stream(n.in[1]), access: p.access(n, n.in[1]),
				byScalar: k.right}
		case p.isOfChunk(n, n.in[0]):
			s = step{form: chunkForm, a: p.operand(n, n.in[1]), b: p.stream(n.in[0]), access: p.access(n, n.in[0]),
				byScalar: k.left, left: true}
		case p.isScalar(n, n.in[1]):
			s = step{form: rightForm, a: p.operand(n, n.in[0]), scalar: p.scalar(n.in[1]), byScalar: k.right}
		case p.isScalar(n, n.in[0]):
			s = step{form: leftForm, a: p.operand(n, n.in[1]), scalar: p.scalar(n.in[0]), byScalar: k.left}
		default:
			s = step{form: binaryForm, a: p.operand(n, n.in[0]), b: p.operand(n, n.in[1]), binary: k.vectors}
		}
		s.kind = op.Kind
	case program.Select:
		s = step{form: selectForm, a: p.operand(n, n.in[0]), b: p.operand(n, n.in[1]), c: p.operand(n, n.in[2])}
	case program.Slice:
		o := n.in[0]
		skip, a := op.From*o.shape[op.Dim+1:].Size(), p.access(n, o)
		from := p.stream(operand{o.value, o.off + skip, tensor.Shape{o.shape.Size() - skip}})
		if a.dims[0].extent != p.block {
			s = step{form: expandForm, a: from, access: a}
			break
		}
		p.rows[^from] = row{p.block, a.dims[1].stride}
		if !v.materialised() {
			p.of[v] = from // no step needed
			return
		}
		s = step{form: copyForm, a: from}
	case program.Random:
		p.random = append(p.random, op.Stream)
		s = step{form: uniformForm, scalar: len(p.random) - 1}
		weight = 6
	default: // BroadcastTo, identity
		if p.isScalar(n, n.in[0]) {
			s = step{form: fillForm, scalar: p.scalar(n.in[0])}
		} else if r := p.operand(n, n.in[0]); !v.materialised() {
			p.of[v] = r // no step needed
			return
		} else {
			s = step{form: copyForm, a: r}
		}
	}
	p.weight += weight
	if v.materialised() {
		p.of[v] = p.stream(whole(v))
	} else {
		p.of[v] = p.fresh()
	}
	s.dst = p.of[v]
	p.steps = append(p.steps, s)
}

// settle handles steps that write memory from which a later step reads something else. Such a step writes into a slot,
// and a copy follows at the end.
func (p *groupPlan) settle() {
	for i := range p.steps {
		dst := p.steps[i].dst
		if dst >= 0 {
			continue
		}
		later := false
		for k := i + 1; k < len(p.steps); k++ {
			for _, r := range p.steps[k].reads() {
				later = later || r < 0 && r != dst && p.share(p.streams[^r], p.streams[^dst])
			}
		}
		if !later {
			continue
		}
		slot := p.fresh()
		p.steps[i].dst = slot
		for k := i + 1; k < len(p.steps); k++ {
			p.steps[k].rename(dst, slot)
		}
		p.steps = append(p.steps, step{form: copyForm, dst: dst, a: slot})
	}
}

// share reports whether two streams are the same memory.
func (p *groupPlan) share(a, b operand) bool {
	if a.held != nil || b.held != nil {
		return a.held == b.held
	}
	from, of := a.at.off+a.off, b.at.off+b.off
	return a.at.base == b.at.base && from < of+b.shape.Size() && of < from+a.shape.Size()
}

// reads lists the registers that a step reads.
func (s *step) reads() []int {
	switch s.form {
	case unaryForm, rightForm, leftForm, expandForm, copyForm:
		return []int{s.a}
	case binaryForm, chunkForm, addMaxForm, maskForm, addScaledForm, subScaledForm:
		return []int{s.a, s.b}
	case normForm, normMaxForm:
		return []int{s.a, s.c, s.d, s.e}
	case normAddMaxForm:
		return []int{s.a, s.b, s.c, s.d, s.e}
	case selectForm, momentumForm:
		return []int{s.a, s.b, s.c}
	case adamForm:
		return []int{s.a, s.b, s.c, s.d}
	}
	return nil
}

func (s *step) rename(from, to int) {
	for _, r := range []*int{&s.a, &s.b, &s.c, &s.d, &s.e, &s.f} {
		if *r == from && from < 0 {
			*r = to
		}
	}
}

// assign maps virtual slots to real ones. To use few, a result may take the slot of an operand that is not read again.
func (p *groupPlan) assign() {
	last := make([]int, p.virtual) // the last step that reads each virtual slot, or -1
	for i := range last {
		last[i] = -1
	}
	slot := make([]int, p.virtual)
	for i := range p.steps {
		for _, r := range p.steps[i].reads() {
			if r >= 0 {
				last[r] = i
			}
		}
	}
	for i := range p.steps {
		if s := &p.steps[i]; s.once { // kept from chunk to chunk
			last[s.dst] = len(p.steps)
			slot[s.dst] = p.slots
			p.slots++
		}
	}
	var free []int
	for i := range p.steps {
		s := &p.steps[i]
		for _, r := range s.reads() {
			if r >= 0 && last[r] == i {
				last[r] = -1
				free = append(free, slot[r])
			}
		}
		if s.dst < 0 || s.once {
			continue
		}
		if n := len(free); n > 0 {
			slot[s.dst] = free[n-1]
			free = free[:n-1]
		} else {
			slot[s.dst] = p.slots
			p.slots++
		}
		if last[s.dst] < 0 {
			free = append(free, slot[s.dst])
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		for _, r := range []*int{&s.dst, &s.a, &s.b, &s.c, &s.d, &s.e, &s.f} {
			if *r < 0 {
				*r = p.slots + ^*r
			} else if p.virtual > 0 {
				*r = slot[*r]
			}
		}
	}
}
