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
	// Kept are the copies of the vectors on the device of a Keeper, which made them. Nil: each run copies the vectors to
	// the device and back.
	Kept Kept
}

// Executor turns programs into something that runs.
type Executor interface {
	Compile(p *Program) (Executable, error)
}

// Executable is a program with its memory: one run at a time.
type Executable interface {
	// Run executes the program once. In steady state it allocates nothing.
	Run(b *Bindings) error
	// Output returns the elements of Program.Outputs[i] after a run. They stay valid until the next one.
	Output(i int) []float32
	// Memory is the bytes that the executable holds for its intermediate values and scratch.
	Memory() int64
	// Dump writes the plan: the order of execution and the buffers.
	Dump(w io.Writer) error
}

// Keeper is an Executor of a device with a memory of its own, such as a GPU. It can keep the vectors there between
// runs.
type Keeper interface {
	Executor
	// Keep makes room for the vectors of one network.
	Keep() Kept
	// CompileStep compiles a training step into one computation: programs that run one after the other, each on the
	// vectors as those before have left them. Their inputs are bound, and their outputs numbered, one program after the
	// other. The last one stores only if all outputs of the others that are scalars are finite numbers. The vector
	// Gradient passes from program to program within the run; it is not bound.
	CompileStep(programs ...*Program) (Executable, error)
}

// Kept are a network's vectors on a device. A run with them leaves what it stores on the device: the host's vector,
// which must not move or change meanwhile, is as before until Fetch. Gradient and Update must be stored as a whole
// before they are read.
type Kept interface {
	// Fetch brings a vector to the host where the device has a newer one.
	Fetch(v Vector) error
	// Changed says that the host has changed a vector, or that it is bound to other memory now, and that the next run
	// must send it. Fetch comes first.
	Changed(v Vector)
	// Close gives the device's memory back. Its vectors are lost.
	Close()
}
