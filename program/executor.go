package program

import "io"

// Bindings are the inputs and outputs of one run. The caller owns the slices; an executor reads and writes them during
// the run only.
type Bindings struct {
	// Inputs holds the elements of each input, in the order of Program.Inputs.
	Inputs [][]float32
	// Vectors holds the flat vectors, each at least as long as Program.Lengths says.
	Vectors [NumVectors][]float32
	// Key keys the random streams.
	Key Key
}

// Executor turns programs into something that runs.
type Executor interface {
	Compile(p *Program) (Executable, error)
}

// Executable is a program with its memory: one run at a time.
type Executable interface {
	// Run executes the program once. In steady state it allocates nothing.
	Run(b *Bindings) error
	// Output gives the elements of Program.Outputs[i] after a run. They stay valid until the next one.
	Output(i int) []float32
	// Memory is the bytes that the executable holds for its intermediate values and scratch.
	Memory() int64
	// Dump writes the plan: the order of execution and the buffers.
	Dump(w io.Writer) error
}
