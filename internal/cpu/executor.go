// Package cpu is the fast executor of programs. It fuses chains of elementwise operations, plans memory, and runs the
// kernels of internal/kernel on a fixed number of threads.
//
// Compiling a program (Executor.Compile):
//
//   - graph.go makes a graph without operations that only view their operand;
//   - rewrite.go replaces a few patterns by cheaper ones, and attention.go those of attention;
//   - fuse.go gathers elementwise operations into groups that make one pass over memory, chunk by chunk (group.go);
//     broadcast operands are read by a pattern (access.go);
//   - attach.go lets products and convolutions run the groups that read their results;
//   - schedule.go orders the work, and stores into the flat vectors in place if that cannot be observed;
//   - memory.go gives every value that outlives its group a place in the arena, by its lifetime in that order.
//
// Results do not depend on the number of threads: pieces of a computation are independent, or their results are
// combined in an order that depends on the shape only.
package cpu

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/program"
)

// Options of an Executor.
type Options struct {
	// Threads is the number of threads that work on one run; below 1 it is the number of cores.
	Threads int
	// Kernels is the kernels' instruction set, on which roundings depend.
	Kernels Kernels
}

// Executor compiles programs and runs them on its threads, one at a time: its Executables share threads and scratch
// memory. Different Executors are independent.
type Executor struct {
	pool    *parallel.Pool
	variant kernel.Variant
	factors factors
	vec     *vector.Set
	state   atomic.Int32
	arena   []float32        // of the current run; as large as for the largest program that has run
	scratch [][]float32      // by worker
	profile *program.Profile // nil: runs are not timed
	led     int              // elements of a matrix from which on its product leads a group
	spread  spread
}

// The states of an Executor.
const (
	idle int32 = iota
	busy
	closed
)

// New starts an Executor. Close stops its threads.
func New(o Options) *Executor {
	v := o.Kernels.get()
	pool := parallel.New(o.Threads)
	return &Executor{pool: pool, variant: v, factors: o.Kernels.factors, vec: vector.For(v),
		scratch: make([][]float32, pool.Threads()), led: leastLed, spread: newSpread(pool.Threads())}
}

// Threads is the number of threads that work on one run.
func (e *Executor) Threads() int { return e.pool.Threads() }

// Kernels returns the instruction set of the kernels.
func (e *Executor) Kernels() Kernels { return Kernels{e.variant, e.factors, true} }

// Close stops the executor's threads. It panics while a program runs. No run may follow.
func (e *Executor) Close() {
	if e.state.CompareAndSwap(idle, closed) {
		e.pool.Close()
	} else if e.state.Load() == busy {
		panic(errBusy)
	}
}

// maxElements bounds a value, and the arena: 64 GiB.
const maxElements = min(1<<34, math.MaxInt/8)

var (
	errBusy   = errors.New("cpu: the executor is in use: goroutines that run at the same time need an executor each")
	errClosed = errors.New("cpu: the executor is closed")
)

// enter claims the executor's threads and memory; leave releases them.
func (e *Executor) enter() error {
	switch {
	case e.state.CompareAndSwap(idle, busy):
		return nil
	case e.state.Load() == closed:
		return errClosed
	}
	return errBusy
}

func (e *Executor) leave() { e.state.Store(idle) }

// Compile plans a program. It fails if an operation has no kernel.
func (e *Executor) Compile(p *program.Program) (program.Executable, error) {
	x, err := e.compile(p, nil)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (e *Executor) compile(p *program.Program, w *PackedWeights) (*Executable, error) {
	if err := e.enter(); err != nil {
		return nil, err
	}
	defer e.leave()
	return e.planned(p, false, parameters{weights: w, variant: e.variant, factors: e.factors})
}

// planned plans a program, or the body of a loop. A body's outputs are bound in each run, like its inputs.
func (e *Executor) planned(p *program.Program, body bool, params parameters) (*Executable, error) {
	for _, v := range p.Values {
		if _, err := v.Shape.CheckedSize(maxElements); err != nil {
			return nil, fmt.Errorf("cpu: %v: %w", v, err)
		}
	}
	g := newGraph(p)
	g.parameters = params
	g.rewrite(e.vec)
	g.fuse()
	g.attach(e.led)
	g.schedule()
	x := &Executable{executor: e, program: p, parameters: params}
	m := &memory{x: x, body: body}
	m.place(g)
	for _, u := range g.units {
		in, err := x.instruction(u, m)
		if err != nil {
			return nil, err
		}
		x.add(in, u.at, u.all()...)
	}
	for _, v := range g.values {
		if v.held != nil && v.dest != nil {
			x.add(&storing{v}, m.end, v.node)
		}
	}
	m.finish(g)
	if x.arenaSize > maxElements {
		return nil, fmt.Errorf("cpu: the program needs %d MiB for intermediate values, more than the %d that a run can have",
			x.arenaSize>>18, maxElements>>18)
	}
	if err := m.allocate(); err != nil {
		return nil, err
	}
	return x, nil
}

// instruction makes the kernel call of a unit.
func (x *Executable) instruction(u *unit, m *memory) (instruction, error) {
	if u.elementwise {
		return x.newGroup(u), nil
	}
	n := u.nodes[0]
	if plan := kernels[n.op.Name()]; plan != nil {
		in, err := plan(x, n, m)
		if err == nil && u.tail != nil {
			in.(leader).lead(x.newGroup(u.tail))
		}
		return in, err
	}
	return nil, fmt.Errorf("cpu: there is no kernel for the operation %q", n.op.Name())
}

// kernels makes the instructions of nodes that are not elementwise, by the operation's name. init adds loops.
var kernels = map[string]func(x *Executable, n *node, m *memory) (instruction, error){
	"matmul":             newProduct,
	"conv2d":             newConvolution,
	"conv2d-grad-input":  newConvolution,
	"conv2d-grad-filter": newConvolution,

	"depthwise-conv2d":             newDepthwise,
	"depthwise-conv2d-grad-input":  newDepthwise,
	"depthwise-conv2d-grad-filter": newDepthwise,
	"pool2d":                       newPooling,
	"pool2d-grad":                  newPooling,
	"batchnorm":                    newNormalisation,
	"batchnorm-grad":               newNormalisation,
	"reduce":                       newReduction,
	"softmax":                      newSoftmax,
	"transpose":                    newTransposition,
	"pack":                         newPackedMatrix,
	"slice":                        newBlocks,
	"pad":                          newBlocks,
	"concat":                       newBlocks,
}

// storing copies a value into a vector at the end of a run if it could not be written in place.
type storing struct{ v *value }

func (s *storing) run(x *Executable) {
	d := s.v.dest
	copy(x.memory[inVector+int(d.vector)][d.offset:], x.elements(s.v))
}

func (s *storing) String() string {
	return fmt.Sprintf("store %%%d into %v[%d:%d]", s.v.label, s.v.dest.vector, s.v.dest.offset, s.v.dest.offset+s.v.size)
}
