package nn

import (
	"runtime"

	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/program"
)

// backend runs a network's programs.
type backend struct {
	executor program.Executor // nil until it is needed; then the processor
	threads  int              // of that executor
	closer   func()           // stops its threads
	profile  *program.Profile // of the executor's operations; nil if they are not timed
	packed   *cpu.PackedWeights
}

// SetExecutor sets the executor of the network's programs. The caller owns it, and must close it after the network.
func (n *programs) SetExecutor(e program.Executor) {
	n.Close()
	n.executor = e
}

// SetThreads makes the network compute on the processor with this number of threads. A number below 1 means one
// thread for each core, as in a new network. Results do not depend on the number.
func (n *programs) SetThreads(threads int) {
	n.Close()
	n.threads = threads
}

// PackWeights makes predictions on the processor faster. Programs then keep copies of weights in the layout in which
// matrix products read them, of at most the given number of bytes. They also fold batch normalisation into
// convolutions. The parameters must not change any more; PackWeights(0) undoes it. Networks that [Network.Share] makes
// afterwards share the copies. Outputs of networks with convolutions change in their last digits; others keep their
// bits.
func (n *programs) PackWeights(most int64) {
	n.plans.clear()
	if n.packed = nil; most > 0 {
		n.packed = cpu.NewPackedWeights(most)
	}
}

// compile compiles a program for the network's executor.
func (n *backend) compile(p *program.Program) (program.Executable, error) {
	e := n.exec()
	if c, ok := e.(*cpu.Executor); ok && n.packed != nil {
		return c.CompilePacked(p, n.packed)
	}
	return e.Compile(p)
}

// OnDevice reports whether the network has the executor of a device, such as a GPU. A device does one run at a time.
func (n *backend) OnDevice() bool {
	_, ok := n.executor.(program.Keeper)
	return ok
}

// Close stops the threads of the network's own executor and frees the memory of its programs. The network stays
// usable: it starts threads again when it needs them. The garbage collector closes networks that are no longer
// reachable.
func (n *programs) Close() {
	n.returnHome()
	n.plans.clear()
	n.end()
}

// end stops the threads of the network's own executor. It copies the network's vectors to the host.
func (n *backend) end() {
	n.executor = nil
	if n.closer != nil {
		n.closer()
		n.closer = nil
	}
}

// exec returns the executor, and makes that of the processor if there is none.
func (n *backend) exec() program.Executor {
	if n.executor == nil {
		e := cpu.New(cpu.Options{Threads: n.threads})
		cleanup := runtime.AddCleanup(n, (*cpu.Executor).Close, e)
		n.closer = func() {
			cleanup.Stop()
			e.Close()
		}
		n.executor = e
	}
	return n.executor
}
