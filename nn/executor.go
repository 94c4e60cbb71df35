package nn

import (
	"runtime"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/program/cpu"
)

// backend is where a network's programs run.
type backend struct {
	executor program.Executor // nil until needed: then one of package cpu
	threads  int              // of that
	closer   func()           // ends its threads
	profile  *program.Profile // of the executor's operations; nil if they are not timed
}

// SetExecutor sets the executor of the network's programs. The caller owns it and closes it, after the network.
func (n *programs) SetExecutor(e program.Executor) {
	n.Close()
	n.executor = e
}

// SetThreads gives the network an executor of package cpu with this number of threads. Below 1 it is one for each
// processor, as in a new network. Results do not depend on the number.
func (n *programs) SetThreads(threads int) {
	n.Close()
	n.threads = threads
}

// OnDevice says whether the network has been given the executor of a device, such as a GPU, which does one run at a
// time.
func (n *backend) OnDevice() bool {
	_, ok := n.executor.(program.Keeper)
	return ok
}

// Close ends the threads of the network's own executor, and frees the memory of its programs. The network can be used
// on: it takes new ones when they are needed. A network that is no longer reachable is closed by the garbage collector.
func (n *programs) Close() {
	n.returnHome()
	n.plans.clear()
	n.end()
}

// end ends the threads of the network's own executor. Its vectors are on the host then.
func (n *backend) end() {
	n.executor = nil
	if n.closer != nil {
		n.closer()
		n.closer = nil
	}
}

// exec gives the executor.
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
