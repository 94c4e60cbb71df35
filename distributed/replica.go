package distributed

import (
	"fmt"
	"log/slog"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/serve"
)

// Looks selects checks and measurements that workers add to their steps. The zero value means none.
type Looks struct {
	// GradientLimit, if not 0, makes each step look for anomalies: see [nn.Network.DetectAnomalies].
	GradientLimit float64
	// Profile measures the time of each operation. Statistics must be collected for that.
	Profile bool
}

// At switches on the checks and measurements for a network. Several networks may share a profile, which then has their
// sum.
func (l Looks) At(net *nn.Network, to *program.Profile) error {
	if l.GradientLimit > 0 {
		net.DetectAnomalies(l.GradientLimit)
	}
	if !l.Profile {
		return nil
	}
	return engine.Permanent(net.SetProfile(to))
}

// Replica returns the worker's own network for training, with the threads of the task. It is made from the broadcast
// configuration.json, once on each worker. It has the parameters that the last task left.
func Replica(t *engine.Task, configuration engine.BroadcastID, kernels string, l Looks) (*nn.Network, error) {
	r, err := engine.Cached(t, configuration, "replica", func(b []byte) (*replica, error) {
		Settle(t, kernels)
		net, err := nn.Replica(b)
		if err != nil {
			return nil, engine.Permanent(err)
		}
		r, err := newReplica(net, t.Threads, kernels, t.Log)
		if err == nil {
			err = l.At(net, &program.Profile{})
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	return r.net, nil
}

// Settle calls the task's Settle if the kernels that Options.Kernels names compute on the processor. Call it before the
// task takes memory.
func Settle(t *engine.Task, kernels string) {
	if !xla.IsDevice(kernels) {
		t.Settle()
	}
}

// replica is a network with an executor of its own. Close ends both.
type replica struct {
	net      *nn.Network
	executor serve.Executor
}

func newReplica(net *nn.Network, threads int, kernels string, log *slog.Logger) (*replica, error) {
	e, err := NewExecutor(kernels, threads, log)
	if err != nil {
		return nil, err
	}
	net.SetExecutor(e)
	return &replica{net, e}, nil
}

// parseKernels parses the kernels that the driver chose for all workers.
func parseKernels(name string) (cpu.Kernels, error) {
	k, err := cpu.ParseKernels(name)
	if err != nil {
		err = engine.Permanent(fmt.Errorf("%w; the driver chose it, and all workers need it: choose other kernels", err))
	}
	return k, err
}

// Close ends the threads.
func (r *replica) Close() error {
	r.net.Close()
	r.executor.Close()
	return nil
}
