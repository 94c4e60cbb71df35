// Package xla runs programs on XLA, the compiler of JAX and TensorFlow, for GPUs and others. It translates programs
// into StableHLO, XLA's input language; [Executor] compiles and runs them in a device process (cmd/dl4go-xla), which
// loads XLA as a PJRT plugin. The package itself is plain Go.
package xla

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Module is one or more programs as a StableHLO module. All arguments and results of its function have one dimension.
// Its arguments are, in this order: the segments of the vectors that the programs read (Vectors), the inputs of each
// program, and, if there are random numbers, the keys of Streams. Its results are the segments of the vectors that the
// programs store into (Stored), each in the memory of its argument if it has one, and the outputs of each program.
type Module struct {
	Text    string
	Vectors []program.Vector
	Stored  []program.Vector
	Cuts    cuts
	// Streams are the random streams of the programs. The argument with their keys has two 32-bit numbers for each.
	Streams []uint64
}

// storedSegments returns the number of results that are segments of vectors.
func (m *Module) storedSegments() (n int) {
	for _, v := range m.Stored {
		n += len(m.Cuts[v]) - 1
	}
	return n
}

// lower translates programs that run one after the other, each on the vectors as the one before left them. With
// several programs, the last one only stores if all scalar outputs of the others are finite numbers. The vectors of
// local pass from program to program; they are neither arguments nor results. c has the cuts of the vectors, at least
// those that the programs need.
func lower(programs []*program.Program, c cuts, a arithmetic, local ...program.Vector) (m *Module, err error) {
	defer func() {
		if v := recover(); v != nil {
			u, ok := v.(*unsupported)
			if !ok {
				panic(v)
			}
			err = u
		}
	}()
	f := &function{Module: &Module{Cuts: c}, local: local}
	f.arithmetic = a
	f.arguments(programs)
	f.body(programs)
	f.Text = f.write()
	return f.Module, nil
}

// unsupported is the panic for a program that cannot be translated.
type unsupported struct{ op, reason string }

func (u *unsupported) Error() string {
	return fmt.Sprintf("xla: operation %q: %s", u.op, u.reason)
}

// function is a module under construction.
type function struct {
	*Module
	emitter
	local   []program.Vector
	vectors [program.NumVectors][]val // by segment
	args    []string
	results []val

	segments int // stored ones so far
}

// arguments declares vectors and inputs.
func (f *function) arguments(programs []*program.Program) {
	f.known, f.used, f.random = map[*program.Value]val{}, map[*program.Value]bool{}, map[uint64]int{}
	for _, p := range programs {
		f.uses(p)
	}
	stored := storedBy(programs)
	for v, c := range f.Cuts {
		v := program.Vector(v)
		if len(c) == 0 || slices.Contains(f.local, v) {
			continue
		}
		onlyStored := onlyStored(programs, v, c)
		if !onlyStored {
			f.Vectors = append(f.Vectors, v)
		}
		for i := range len(c) - 1 {
			attribute := ""
			if stored[v] {
				attribute = fmt.Sprintf(" {tf.aliasing_output = %d : i32}", f.segments)
				f.segments++
			}
			if !onlyStored {
				f.vectors[v] = append(f.vectors[v], f.argument(tensor.Shape{c[i+1] - c[i]}, "f32", attribute))
			}
		}
		if stored[v] {
			f.Stored = append(f.Stored, v)
		}
	}
	for _, p := range programs {
		for _, in := range p.Inputs {
			f.known[in] = f.argument(tensor.Shape{in.Shape.Size()}, "f32", "")
		}
		for _, n := range p.Nodes {
			f.declareStream(n)
		}
	}
	if len(f.Streams) > 0 {
		f.keys = f.argument(tensor.Shape{2 * len(f.Streams)}, "ui32", "")
	}
}

func (f *function) argument(shape tensor.Shape, elem, attribute string) val {
	v := val{fmt.Sprintf("%%arg%d", len(f.args)), shape, elem}
	f.args = append(f.args, v.name+": "+v.kind()+attribute)
	return v
}

// uses notes which values are read.
func (f *function) uses(p *program.Program) {
	for _, n := range p.Nodes {
		for _, v := range n.In {
			f.used[v] = true
		}
	}
	for _, o := range p.Outputs {
		f.used[o.Value] = true
	}
	for _, s := range p.Stores {
		f.used[s.Value] = true
	}
}

func (f *function) declareStream(n *program.Node) {
	r, ok := n.Op.(program.Random)
	if !ok {
		return
	}
	if _, known := f.random[r.Stream]; !known {
		f.random[r.Stream] = len(f.Streams)
		f.Streams = append(f.Streams, r.Stream)
	}
}

// body emits the programs one after the other.
func (f *function) body(programs []*program.Program) {
	for v, c := range f.Cuts {
		for i := len(f.vectors[v]); i+1 < len(c); i++ { // no arguments
			f.vectors[v] = append(f.vectors[v], f.fill(0, tensor.Shape{c[i+1] - c[i]}))
		}
	}
	var finite val
	var outputs []val
	for i, p := range programs {
		for _, in := range p.Inputs {
			f.known[in] = f.reshape(f.known[in], in.Shape)
		}
		f.program(p)
		guard := val{}
		if i > 0 && i == len(programs)-1 {
			guard = finite
		}
		f.store(p, guard)
		for _, o := range p.Outputs {
			x := f.known[o.Value]
			outputs = append(outputs, f.flat(x))
			if len(x.shape) == 0 {
				ok := f.op(nil, "i1", "is_finite %s : (%s) -> tensor<i1>", x.name, x.kind())
				if finite.name != "" {
					ok = f.binary("and", finite, ok)
				}
				finite = ok
			}
		}
	}
	for _, v := range f.Stored {
		f.results = append(f.results, f.vectors[v]...)
	}
	f.results = append(f.results, outputs...)
}

// program emits one program.
func (f *function) program(p *program.Program) {
	for _, v := range p.Values {
		switch v.Kind {
		case program.FromVector:
			from, to := f.Cuts.segments(v.Vector, v.Offset, v.Offset+v.Shape.Size())
			parts := f.vectors[v.Vector][from:to]
			if len(parts) == 0 {
				parts = []val{f.fill(0, tensor.Shape{0})}
			}
			f.known[v] = f.reshape(f.concat(0, parts), v.Shape)
		case program.FromConst:
			f.known[v] = f.constantOf(v)
		}
	}
	for _, n := range p.Nodes {
		f.node(n)
	}
}

func (e *emitter) constantOf(v *program.Value) val {
	if len(v.Const) == 1 {
		return e.fill(v.Const[0], v.Shape)
	}
	return e.constant(v.Const, v.Shape)
}

// store replaces the segments that a program stores into; if guard is a value, where it holds.
func (f *function) store(p *program.Program, guard val) {
	var before [program.NumVectors][]val
	for v, all := range f.vectors {
		before[v] = slices.Clone(all)
	}
	for _, s := range p.Stores {
		x := f.flat(f.known[s.Value])
		from, to := f.Cuts.segments(s.Vector, s.Offset, s.Offset+x.shape[0])
		for i := from; i < to; i++ {
			c := f.Cuts[s.Vector]
			part := f.part(x, 0, c[i]-s.Offset, c[i+1]-s.Offset)
			if guard.name != "" {
				part = f.choose(guard, part, before[s.Vector][i])
			}
			f.vectors[s.Vector][i] = part
		}
	}
}

// write returns the module's text.
func (f *function) write() string {
	var b strings.Builder
	kinds, names := make([]string, len(f.results)), make([]string, len(f.results))
	for i, r := range f.results {
		kinds[i], names[i] = r.kind(), r.name
	}
	fmt.Fprintf(&b, "module @dl4go {\nfunc.func public @main(%s) -> (%s) {\n", strings.Join(f.args, ", "),
		strings.Join(kinds, ", "))
	b.WriteString(f.String())
	fmt.Fprintf(&b, "return %s : %s\n}\n}\n", strings.Join(names, ", "), strings.Join(kinds, ", "))
	return b.String()
}
