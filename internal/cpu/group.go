package cpu

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/program"
)

// group is a unit of elementwise operations. It processes its elements chunk by chunk, and each chunk operation by
// operation. Intermediate results are in slots of the worker's scratch, which stay in the first-level cache.
type group struct {
	x     *Executable
	unit  *unit
	steps []step
	size  int

	// Chunks: blocks of block elements are split into pieces of at most chunk.
	chunk, block, pieces int
	slots                int
	chunks, perPart      int

	// The data of the steps, resolved for each run.
	streams []operand
	rows    []row
	memory  [][]float32
	sources []operand // of scalars
	scalars []float32
	random  []uint64 // streams of random numbers
	seeds   []uint64
}

// row describes a stream that is not read element by element: its rows of this length are stride elements apart. With a
// stride of 0 it is one repeated row. The length is 0 for other streams.
type row struct{ length, stride int }

// form says how a step calls its kernel.
type form int

const (
	unaryForm form = iota
	binaryForm
	rightForm // vector and scalar
	leftForm  // scalar and vector: the kernel takes the vector first
	chunkForm // vector and a scalar of the chunk
	selectForm
	expandForm
	fillForm
	copyForm
	uniformForm
	normForm // a normalisation of channels; see chain.go
	normMaxForm
	normAddMaxForm
	addMaxForm
	momentumForm  // see momentum.go; d is its second result
	adamForm      // see adam.go; e and f are further results
	maskForm      // with a number: a·(b > s)
	addScaledForm // with a number: a + s·b
	subScaledForm // a - s·b
	noForm
)

// step is one kernel call on a chunk. Registers below group.slots are slots; the others are memory.
type step struct {
	form         form
	dst, a, b, c int
	d, e         int // with c, the numbers of a normalisation
	f            int
	kind         program.BinaryKind
	function     program.UnaryKind
	numbers      numbers
	left         bool // the scalar is the first operand
	scalar       int
	unary        vector.Unary
	binary       vector.Binary
	byScalar     vector.Scalar
	access       access
	once         bool // its result is the same for all chunks of a part
}

// numbers are the scalars of a step of an update, in the order of its kernel.
type numbers [7]int

// minusOne is the factor of an update that is subtracted.
const minusOne = -1

// number returns a scalar of a step of an update.
func (g *group) number(i int) float32 {
	if i == minusOne {
		return -1
	}
	return g.scalars[i]
}

// Sizes of chunks and parts.
const (
	maxChunk  = 1024
	partCost  = 24 << 10 // elements times additions; a smaller part is not worth handing to another thread
	longRow   = 192      // rows of this length or more get chunks of their own
	sliceRow  = 96       // likewise for rows of slices, which are then read in place
	partsEach = 4        // parts for each thread, for balance
)

func (g *group) run(x *Executable) {
	g.begin(x)
	x.executor.pool.Do((g.chunks+g.perPart-1)/g.perPart, g)
	g.end()
}

// begin resolves the data of a run, and end drops it.
func (g *group) begin(x *Executable) {
	for i, o := range g.streams {
		g.memory[i] = x.read(o)
	}
	for i, o := range g.sources {
		if c, ok := o.constant(); ok {
			g.scalars[i] = float32(c)
		} else {
			g.scalars[i] = x.read(o)[0]
		}
	}
	for i, s := range g.random {
		g.seeds[i] = x.key.Stream(s)
	}
}

func (g *group) end() { clear(g.memory) }

// Run processes one part: some consecutive chunks.
func (g *group) Run(worker, part int) {
	first, last := part*g.perPart, min(g.chunks, (part+1)*g.perPart)
	for c := first; c < last; c++ {
		piece := c % g.pieces
		lo := c / g.pieces * g.block
		hi := min(g.size, lo+min(g.block, (piece+1)*g.chunk))
		lo += piece * g.chunk
		g.compute(worker, lo, hi, c == first)
	}
}

// Finished processes elements of the result to which the group is attached.
func (g *group) Finished(worker, from, to int) {
	for from < to {
		last := min(to, from+g.chunk, (from/g.block+1)*g.block)
		g.compute(worker, from, last, true)
		from = last
	}
}

// compute does the steps for elements [lo, hi) of one block. first is false if the worker's last chunk was of the same
// part.
func (g *group) compute(worker, lo, hi int, first bool) {
	scratch := g.x.executor.scratch[worker]
	s := g.x.executor.vec
	for i := range g.steps {
		t := &g.steps[i]
		if t.once && !first {
			continue
		}
		dst := g.register(t.dst, scratch, lo, hi)
		switch t.form {
		case unaryForm:
			t.unary(dst, g.register(t.a, scratch, lo, hi))
		case binaryForm:
			t.binary(dst, g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi))
		case rightForm, leftForm:
			t.byScalar(dst, g.register(t.a, scratch, lo, hi), g.scalars[t.scalar])
		case chunkForm:
			t.byScalar(dst, g.register(t.a, scratch, lo, hi), g.memory[t.b-g.slots][lo/g.block%t.access.period])
		case selectForm:
			s.Select(dst, g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi), g.register(t.c, scratch, lo, hi))
		case expandForm:
			t.access.expand(s, dst, g.memory[t.a-g.slots], lo)
		case fillForm:
			s.Fill(dst, g.scalars[t.scalar])
		case copyForm:
			s.Copy(dst, g.register(t.a, scratch, lo, hi))
		case uniformForm:
			s.Uniform(dst, g.seeds[t.scalar], uint64(lo))
		case addMaxForm:
			s.AddMax(dst, g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi), g.scalars[t.scalar])
		case momentumForm:
			s.Momentum(dst, g.register(t.d, scratch, lo, hi), g.register(t.a, scratch, lo, hi),
				g.register(t.b, scratch, lo, hi), g.register(t.c, scratch, lo, hi),
				g.number(t.numbers[0]), g.number(t.numbers[1]), g.number(t.numbers[2]), g.number(t.numbers[3]))
		case adamForm:
			s.Adam(dst, g.register(t.e, scratch, lo, hi), g.register(t.f, scratch, lo, hi),
				g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi), g.register(t.c, scratch, lo, hi),
				g.register(t.d, scratch, lo, hi), g.number(t.numbers[0]), g.number(t.numbers[1]), g.number(t.numbers[2]),
				g.number(t.numbers[3]), g.number(t.numbers[4]), g.number(t.numbers[5]), g.number(t.numbers[6]))
		case maskForm:
			s.MulGreater(dst, g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi), g.scalars[t.scalar])
		case addScaledForm:
			s.AddScaled(dst, g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi), g.scalars[t.scalar])
		case subScaledForm:
			s.AddScaled(dst, g.register(t.a, scratch, lo, hi), g.register(t.b, scratch, lo, hi), -g.scalars[t.scalar])
		default:
			g.norm(t, dst, scratch, lo, hi)
		}
	}
}

// norm does a step that begins with a normalisation.
func (g *group) norm(t *step, dst, scratch []float32, lo, hi int) {
	s, channel := g.x.executor.vec, lo/g.block%t.access.period
	number := func(r int) float32 { return g.memory[r-g.slots][channel] }
	a, mean, scale, shift := g.register(t.a, scratch, lo, hi), number(t.c), number(t.d), number(t.e)
	switch t.form {
	case normForm:
		s.Norm(dst, a, mean, scale, shift)
	case normMaxForm:
		s.NormMax(dst, a, mean, scale, shift, g.scalars[t.scalar])
	case normAddMaxForm:
		s.NormAddMax(dst, a, g.register(t.b, scratch, lo, hi), mean, scale, shift, g.scalars[t.scalar])
	}
}

// register returns elements [lo, hi) of a memory stream, or the slot that holds them now.
func (g *group) register(r int, scratch []float32, lo, hi int) []float32 {
	if r < g.slots {
		return scratch[r*maxChunk:][:hi-lo]
	}
	r -= g.slots
	if row := g.rows[r]; row.length > 0 {
		n := hi - lo
		lo = lo/row.length*row.stride + lo%row.length
		hi = lo + n
	}
	return g.memory[r][lo:hi]
}

func (g *group) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "group of %d elements, chunks of %d, %d slots\n", g.size, g.chunk, g.slots)
	for _, n := range g.unit.nodes {
		v := n.out[0]
		fmt.Fprintf(&b, "%%%d%v = %v%s\n", v.label, v.shape, n, place(v))
	}
	return b.String()
}

// attached describes the group of an instruction that leads it.
func (g *group) attached() string {
	if g == nil {
		return ""
	}
	return "\nthen " + strings.TrimSpace(g.String())
}

// place describes the place of a value, for people.
func place(v *value) string {
	switch {
	case v.dest != nil && v.dest.output >= 0:
		return fmt.Sprintf("  → output %d", v.dest.output)
	case v.dest != nil && v.dest.direct:
		return fmt.Sprintf("  → %v[%d:%d]", v.dest.vector, v.dest.offset, v.dest.offset+v.size)
	case v.held != nil:
		return fmt.Sprintf("  → arena %d", 4*v.held.off)
	}
	return ""
}
