package program

import "io"

// Bindings are the inputs and outputs of one run. The caller owns the slices; an executor reads and writes them during
// the run only.
type Bindings struct {
	// Inputs has the elements of each input, in the order of Program.Inputs.
	Inputs [][]float32
	// Vectors holds the flat vectors, each at least as long as in Program.Lengths.
	Vectors [NumVectors][]float32
	// Key is the key of the random numbers.
	Key Key
	// Kept holds the copies of the vectors on a Keeper's device. If it is nil, each run copies the vectors to the
	// device and back.
	Kept Kept
}

// Executor compiles programs. It may also be a [Keeper] or a [Profiler].
type Executor interface {
	Compile(p *Program) (Executable, error)
}

// Executable is a program with its memory. It does one run at a time.
type Executable interface {
	// Run executes the program once. After the first runs it allocates nothing.
	Run(b *Bindings) error
	// Output returns the elements of Program.Outputs[i] after a run. They stay valid until the next one.
	Output(i int) []float32
	// Memory returns the number of bytes that the executable holds for intermediate values and scratch.
	Memory() int64
	// Dump writes the plan as text: the order of execution and the buffers.
	Dump(w io.Writer) error
}

// Keeper is an Executor of a device with its own memory, such as a GPU. It can keep the vectors there between runs.
type Keeper interface {
	Executor
	// Keep allocates room for the vectors of one network.
	Keep() Kept
	// CompileStep compiles the programs of a training step into one computation. They run one after another, each on the
	// vectors that the one before left. Inputs are bound, and outputs are numbered, in the order of the programs. The last
	// program stores only if all scalar outputs of the others are finite; otherwise the content of Update is undefined.
	// The vector Gradient passes from program to program, and is not bound.
	CompileStep(programs ...*Program) (Executable, error)
}

// Kept are a network's vectors on a device. A run with them leaves its stores on the device. The host's vector is
// unchanged until Fetch, and must not move or change in the meantime. Gradient and Update must be stored as a whole
// before they are read.
type Kept interface {
	// Fetch copies a vector to the host if the device has a newer one.
	Fetch(v Vector) error
	// Changed says that the host will change a vector, or bind it to other memory, so that the next run must send it. Call
	// Fetch first.
	Changed(v Vector)
	// Close frees the device's memory. The vectors on it are lost.
	Close()
}
