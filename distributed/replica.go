package distributed

import (
	"fmt"
	"log/slog"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/program/cpu"
	"github.com/dl4go/dl4go/serve"
)

// Looks say how closely workers look at their steps. The zero value: not at all.
type Looks struct {
	// GradientLimit, if not 0, has steps look for anomalies: see [nn.Network.DetectAnomalies].
	GradientLimit float64
	// Profile has them time their operations. Statistics must be collected then.
	Profile bool
}

// At has a network looked at. The profile adds up with what other networks add to it.
func (l Looks) At(net *nn.Network, to *program.Profile) error {
	if l.GradientLimit > 0 {
		net.DetectAnomalies(l.GradientLimit)
	}
	if !l.Profile {
		return nil
	}
	return engine.Permanent(net.SetProfile(to))
}

// Replica returns the worker's own network for training, made from the broadcast configuration.json, with the threads
// of the task. It is made once on each worker. Its parameters are those that the last task left.
func Replica(t *engine.Task, configuration engine.BroadcastID, kernels string, l Looks) (*nn.Network, error) {
	r, err := engine.Cached(t, configuration, "replica", func(b []byte) (*replica, error) {
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

// replica is a network with an executor of its own, which ends with Close.
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

// parseKernels gives the kernels that the driver chose for all workers.
func parseKernels(name string) (cpu.Kernels, error) {
	k, err := cpu.ParseKernels(name)
	if err != nil {
		err = engine.Permanent(fmt.Errorf("%w; the driver chose it, and all workers need it: choose another (--kernel, "+
			"Options.Kernels)", err))
	}
	return k, err
}

// Close ends the threads.
func (r *replica) Close() error {
	r.net.Close()
	r.executor.Close()
	return nil
}
