package cpu

import (
	"fmt"
	"io"
	"strings"
	"unsafe"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/program"
)

// Executable is a compiled program. It belongs to its Executor, and runs while no other Executable of that Executor
// does.
type Executable struct {
	executor *Executor
	parameters
	program *program.Program
	code    []instruction
	at      []int     // of each instruction in the schedule
	timing  *timing   // nil until a run is timed
	nodes   [][]*node // computed by each instruction
	loop    *node     // the loop of which this is the body, or nil
	inputs  []int     // lengths
	outputs []ref
	own     []float32
	buffers []*buffer

	arenaSize, scratchSize int

	memory [inInput][]float32 // of the current run
	input  [][]float32
	key    program.Key
}

// instruction is a planned unit.
type instruction interface {
	run(x *Executable)
	// String describes the kernel and its operands.
	String() string
}

// leader is an instruction that can run a group on its result, part by part.
type leader interface {
	instruction
	lead(g *group)
}

func (x *Executable) add(in instruction, at int, of ...*node) {
	x.code = append(x.code, in)
	x.at = append(x.at, at)
	x.nodes = append(x.nodes, of)
}

// Run executes the program once. It fails, before writing anything, if b does not bind what the program needs, if the
// machine lacks memory, or if the executor is busy. Inputs must not overlap vectors that the program stores into, and
// these must not overlap each other.
func (x *Executable) Run(b *program.Bindings) error {
	if err := x.check(b); err != nil {
		return err
	}
	if x.weights != nil {
		if err := x.weights.bind(b.Vectors[program.Params]); err != nil {
			return err
		}
	}
	e := x.executor
	if err := e.enter(); err != nil {
		return err
	}
	defer x.release()
	if len(e.arena) < x.arenaSize {
		if err := checkup.Fits(4 * int64(x.arenaSize)); err != nil {
			return fmt.Errorf("cpu: intermediate values: %w; use a smaller batch", err)
		}
	}
	e.arena = grown(e.arena, x.arenaSize)
	for w := range e.scratch {
		e.scratch[w] = grown(e.scratch[w], x.scratchSize)
	}
	x.memory[inArena], x.memory[inOwn] = e.arena, x.own
	copy(x.memory[inVector:], b.Vectors[:])
	e.spread.over(&x.memory)
	x.input, x.key = b.Inputs, b.Key
	if e.profile != nil {
		x.runTimed()
		return nil
	}
	for _, in := range x.code {
		in.run(x)
	}
	return nil
}

// release frees the executor and drops the references to the caller's memory.
func (x *Executable) release() {
	clear(x.memory[:])
	x.input = nil
	x.executor.leave()
}

func (x *Executable) check(b *program.Bindings) error {
	if len(b.Inputs) != len(x.inputs) {
		return fmt.Errorf("cpu: %d inputs bound, the program has %d", len(b.Inputs), len(x.inputs))
	}
	for i, n := range x.inputs {
		if len(b.Inputs[i]) != n {
			v := x.program.Inputs[i]
			return fmt.Errorf("cpu: input %q of shape %v bound to %d elements", v.Name, v.Shape, len(b.Inputs[i]))
		}
	}
	for i, n := range x.program.Lengths {
		if len(b.Vectors[i]) < n {
			return fmt.Errorf("cpu: %v bound to %d elements, the program needs %d", program.Vector(i), len(b.Vectors[i]), n)
		}
	}
	return nil
}

// read returns the elements of a view in the current run.
func (x *Executable) read(o operand) []float32 {
	n, from := o.shape.Size(), o.at.off+o.off
	if n == 0 {
		return nil
	}
	if o.from != nil && len(o.from.Const) == 1 {
		n = 1
	}
	if o.at.base >= inInput {
		return x.input[o.at.base-inInput][from : from+n]
	}
	return x.memory[o.at.base][from : from+n]
}

// elements returns the memory of a computed value in the current run.
func (x *Executable) elements(v *value) []float32 { return x.read(whole(v)) }

// work returns scratch memory in the current run.
func (x *Executable) work(b *buffer) []float32 { return x.memory[inArena][b.off : b.off+b.size] }

// Output returns the elements of Program.Outputs[i] after a run. They stay valid until the next one.
func (x *Executable) Output(i int) []float32 {
	at, n := x.outputs[i], x.program.Outputs[i].Value.Shape.Size()
	return x.own[at.off : at.off+n : at.off+n]
}

// Memory returns the bytes of constants and outputs, and of the part of the executor's memory that a run uses.
func (x *Executable) Memory() int64 {
	return 4 * int64(len(x.own)+x.arenaSize+x.scratchSize*x.executor.Threads())
}

// Dump writes the plan: the instructions in order, with the places of their results, and then the buffers.
func (x *Executable) Dump(w io.Writer) error {
	var b strings.Builder
	for i, in := range x.code {
		for k, l := range strings.Split(strings.TrimSpace(in.String()), "\n") {
			if k == 0 {
				fmt.Fprintf(&b, "%3d  %s\n", x.at[i], l)
			} else {
				fmt.Fprintf(&b, "       %s\n", l)
			}
		}
	}
	b.WriteString("buffers of the arena: offset, bytes, life\n")
	for _, p := range x.buffers {
		fmt.Fprintf(&b, "  %10d %10d  %d–%d  %s\n", 4*p.off, 4*p.size, p.first, p.last, p.name)
	}
	fmt.Fprintf(&b, "arena %d bytes, constants and outputs %d, chunks %d on each of %d threads\n",
		4*x.arenaSize, 4*len(x.own),
		4*x.scratchSize, x.executor.Threads())
	_, err := io.WriteString(w, b.String())
	return err
}

// grown returns at least n elements that begin at a cache line: have, or new ones.
func grown(have []float32, n int) []float32 {
	if len(have) >= n {
		return have
	}
	x := make([]float32, n+line)
	askForHugePages(x)
	skip := int(uintptr(unsafe.Pointer(unsafe.SliceData(x)))/4) % line
	if skip > 0 {
		x = x[line-skip:]
	}
	return x[:n:n]
}
