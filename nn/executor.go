package nn

import (
	"runtime"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/program/cpu"
)

// SetExecutor changes what runs the network's programs. The executor stays the caller's, who closes it.
func (n *core) SetExecutor(e program.Executor) {
	n.Close()
	n.executor = e
}

// SetThreads gives the network an executor of its own, of package cpu, with so many threads; below 1 one for each
// processor, which is what a new network has. Results do not depend on it.
func (n *core) SetThreads(threads int) {
	n.Close()
	n.threads = threads
}

// Close ends the threads of the network's own executor, and frees the memory of its programs. The network can be used
// on: it takes new ones when they are needed. A network that is no longer reachable is closed by the garbage collector.
func (n *core) Close() {
	n.plans.clear()
	n.executor = nil
	if n.closer != nil {
		n.closer()
		n.closer = nil
	}
}

// exec gives the executor.
func (n *core) exec() program.Executor {
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
