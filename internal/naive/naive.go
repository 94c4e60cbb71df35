// Package naive is the plain executor of programs: one loop per operation, straight from the operation's formula, one
// thread, a buffer per value. Each element is computed in float64 and rounded once to the element type, float32 or
// float64. It is the reference for internal/cpu and for gradients.
package naive

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/program"
)

// Float is an element type.
type Float interface{ float32 | float64 }

// Bindings are the inputs of one run: program.Bindings with elements of type T.
type Bindings[T Float] struct {
	Inputs  [][]T
	Vectors [program.NumVectors][]T
	Key     program.Key
}

// Executable is a compiled program with its memory: one run at a time.
type Executable[T Float] struct {
	p      *program.Program
	values [][]T // by Value.ID
	steps  []step[T]
	key    program.Key
}

// step runs one operation on the buffers that it was compiled for.
type step[T Float] func()

// compiler makes the step of one node, given the buffers of its operands and results.
type compiler[T Float] func(e *Executable[T], n *program.Node, in, out [][]T) step[T]

func compilers[T Float]() map[string]compiler[T] {
	return map[string]compiler[T]{
		"unary":              unary[T],
		"binary":             binary[T],
		"select":             choose[T],
		"matmul":             matMul[T],
		"conv2d":             conv2D[T],
		"conv2d-grad-input":  conv2DGradInput[T],
		"conv2d-grad-filter": conv2DGradFilter[T],

		"depthwise-conv2d":             depthwise[T],
		"depthwise-conv2d-grad-input":  depthwise[T],
		"depthwise-conv2d-grad-filter": depthwise[T],
		"pool2d":                       pool2D[T],
		"pool2d-grad":                  pool2DGrad[T],
		"batchnorm":                    batchNorm[T],
		"batchnorm-grad":               batchNormGrad[T],
		"reduce":                       reduce[T],
		"softmax":                      softmax[T],
		"reshape":                      same[T],
		"broadcast":                    broadcast[T],
		"transpose":                    transpose[T],
		"slice":                        slice[T],
		"pad":                          pad[T],
		"concat":                       concat[T],
		"lookup":                       lookup[T],
		"lookup-grad":                  lookupGrad[T],
		"set-columns":                  setColumns[T],
		"reverse":                      reverse[T],
		"stop-gradient":                same[T],
		"with-gradient":                same[T],
		"random":                       uniform[T],
		"scan":                         scan[T],
		"split":                        split[T],
	}
}

// Ops returns the names of the operations that the executor knows, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(compilers[float64]())) }

// Compile makes p ready to run. It fails if p has an operation that the executor does not know.
func Compile[T Float](p *program.Program) (*Executable[T], error) {
	e := &Executable[T]{p: p, values: make([][]T, len(p.Values))}
	for _, v := range p.Values {
		x := make([]T, v.Shape.Size())
		e.values[v.ID] = x
		for i := range x {
			switch {
			case v.Kind != program.FromConst:
			case len(v.Const) == 1:
				x[i] = T(v.Const[0])
			default:
				x[i] = T(v.Const[i])
			}
		}
	}
	known := compilers[T]()
	for _, n := range p.Nodes {
		compile := known[n.Op.Name()]
		if compile == nil {
			return nil, fmt.Errorf("naive: unknown operation %q", n.Op.Name())
		}
		e.steps = append(e.steps, compile(e, n, e.buffers(n.In), e.buffers(n.Out)))
	}
	return e, nil
}

func (e *Executable[T]) buffers(values []*program.Value) [][]T {
	x := make([][]T, len(values))
	for i, v := range values {
		x[i] = e.values[v.ID]
	}
	return x
}

// Run executes the program once. It fails if b does not bind what the program needs.
func (e *Executable[T]) Run(b *Bindings[T]) error {
	if len(b.Inputs) != len(e.p.Inputs) {
		return fmt.Errorf("naive: %d inputs bound, the program has %d", len(b.Inputs), len(e.p.Inputs))
	}
	for i, v := range e.p.Inputs {
		if len(b.Inputs[i]) != v.Shape.Size() {
			return fmt.Errorf("naive: input %q of shape %v bound to %d elements", v.Name, v.Shape, len(b.Inputs[i]))
		}
		copy(e.values[v.ID], b.Inputs[i])
	}
	for vec, n := range e.p.Lengths {
		if len(b.Vectors[vec]) < n {
			return fmt.Errorf("naive: %v bound to %d elements, the program needs %d", program.Vector(vec),
				len(b.Vectors[vec]), n)
		}
	}
	for _, v := range e.p.Values {
		if v.Kind == program.FromVector {
			copy(e.values[v.ID], b.Vectors[v.Vector][v.Offset:])
		}
	}
	e.key = b.Key
	for _, step := range e.steps {
		step()
	}
	for _, s := range e.p.Stores {
		copy(b.Vectors[s.Vector][s.Offset:], e.values[s.Value.ID])
	}
	return nil
}

// Output returns the elements of Program.Outputs[i] after a run. They stay valid until the next run.
func (e *Executable[T]) Output(i int) []T { return e.values[e.p.Outputs[i].Value.ID] }

// Memory returns the bytes of all values.
func (e *Executable[T]) Memory() int64 {
	size := int64(4)
	if _, double := any(T(0)).(float64); double {
		size = 8
	}
	n := int64(0)
	for _, x := range e.values {
		n += int64(len(x)) * size
	}
	return n
}

// Dump writes the program: operations run in its order, and each value has its own buffer.
func (e *Executable[T]) Dump(w io.Writer) error { return e.p.Dump(w) }

// Executor is the float32 executor as a program.Executor.
type Executor struct{}

// Compile makes p ready to run.
func (Executor) Compile(p *program.Program) (program.Executable, error) {
	e, err := Compile[float32](p)
	if err != nil {
		return nil, err
	}
	return single{e}, nil
}

type single struct{ *Executable[float32] }

func (s single) Run(b *program.Bindings) error {
	return s.Executable.Run(&Bindings[float32]{Inputs: b.Inputs, Vectors: b.Vectors, Key: b.Key})
}
