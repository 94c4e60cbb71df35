package distributed

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/xla"
)

// applied is everything that workers need to apply the present network.
type applied struct {
	sent
	Kernels string
	Batch   int
	Workers int // replicas in a process
}

// sent is a network that the workers have.
type sent struct {
	Network engine.BroadcastID // configuration.json
	Params  engine.BroadcastID
}

// settings returns the settings of a call, without a network yet.
func (m *placed) settings(batch int) (a applied, err error) {
	if batch < 0 {
		return a, fmt.Errorf("a batch of %d examples was asked for: it is at least 1, or 0 for the default", batch)
	}
	if batch == 0 {
		batch = m.opts.Batch
	}
	return applied{Kernels: m.opts.Kernels, Batch: batch, Workers: m.workers}, nil
}

// send broadcasts a network until release is called. Until then the parameters must not change: workers in this process
// read them in place.
func (m *placed) send(ctx context.Context, configuration, parameters []byte) (s sent, release func(), err error) {
	network, err := m.engine.Broadcast(ctx, configuration)
	if err != nil {
		return s, nil, err
	}
	params, err := m.engine.Broadcast(ctx, parameters)
	if err != nil {
		network.Release()
		return s, nil, err
	}
	return sent{network.ID(), params.ID()}, func() { network.Release(); params.Release() }, nil
}

// concurrency returns how many minibatches a process applies the network to at a time.
func (a applied) concurrency(t *engine.Task) int {
	if xla.IsDevice(a.Kernels) {
		return 1 // one replica uses the whole device
	}
	return min(a.Workers, t.Slots())
}

// threads returns the threads for each minibatch. If there are fewer minibatches at a time than tasks, they share the
// other tasks' threads.
func (a applied) threads(t *engine.Task) int {
	return max(1, t.Threads*t.Slots()/a.concurrency(t))
}

// replicas returns the process's networks with the broadcast parameters.
func (a applied) replicas(t *engine.Task) (*replicas, error) {
	n := a.concurrency(t)
	return engine.Shared(t, a.Params, fmt.Sprintf("%d replicas", n), func(params []byte) (*replicas, error) {
		net, err := a.bind(t, params)
		if err != nil {
			return nil, err
		}
		return newReplicas(net, n, a.threads(t), a.Kernels, t.Log), nil
	})
}
