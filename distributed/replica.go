package distributed

import (
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program/cpu"
)

// Replica gives the worker's own network, of the configuration.json that was broadcast, with as many threads as the
// task has. It is made once on each worker; its parameters are whatever the task before left there.
func Replica(t *engine.Task, configuration engine.BroadcastID, kernels string) (nn.Network, error) {
	r, err := engine.Cached(t, configuration, "replica", func(b []byte) (*replica, error) {
		v, err := kernel.Parse(kernels)
		if err != nil {
			return nil, engine.Permanent(fmt.Errorf("%w; the driver chose it, and all workers need it: choose another (--kernel, Options.Kernels)", err))
		}
		net, err := nn.Replica(b)
		if err != nil {
			return nil, engine.Permanent(err)
		}
		e := cpu.New(cpu.Options{Threads: t.Threads, Variant: &v})
		net.SetExecutor(e)
		return &replica{net, e}, nil
	})
	if err != nil {
		return nil, err
	}
	return r.net, nil
}

// replica is a network with its threads.
type replica struct {
	net      nn.Network
	executor *cpu.Executor
}

// Close ends the threads.
func (r *replica) Close() error {
	r.executor.Close()
	return nil
}
