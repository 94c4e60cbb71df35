package distributed

import (
	"context"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// applied is what workers need to apply the network as it is now.
type applied struct {
	Network engine.BroadcastID // configuration.json
	Params  engine.BroadcastID
	Kernels string
	Batch   int
	Workers int // replicas in a process
}

// broadcast sends the network to the workers, until release is called. Until then its parameters, which workers in this
// process read where they are, must not change.
func (m *Network[N]) broadcast(ctx context.Context, batch int) (a applied, release func(), err error) {
	return m.broadcastOf(ctx, batch, tensor.Bytes(slices.Clip(m.net.Params())))
}

// broadcastOf is broadcast with these parameters.
func (m *Network[N]) broadcastOf(ctx context.Context, batch int, paramBytes []byte) (a applied, release func(), err error) {
	if batch == 0 {
		batch = m.opts.Batch
	}
	if batch < 0 {
		return a, nil, fmt.Errorf("a batch of %d examples was asked for: at least 1 is needed", batch)
	}
	conf, err := m.net.Configuration()
	if err != nil {
		return a, nil, err
	}
	network, err := m.engine.Broadcast(ctx, conf)
	if err != nil {
		return a, nil, err
	}
	params, err := m.engine.Broadcast(ctx, paramBytes)
	if err != nil {
		network.Release()
		return a, nil, err
	}
	a = applied{network.ID(), params.ID(), m.opts.Kernels, batch, m.workers}
	return a, func() { network.Release(); params.Release() }, nil
}

// replicas gives the process' networks with the parameters that were broadcast. Where there are fewer of them than tasks,
// they have the others' threads.
func (a applied) replicas(t *engine.Task) (*replicas, error) {
	return engine.Shared(t, a.Params, "replicas", func(params []byte) (*replicas, error) {
		v, err := variant(a.Kernels)
		if err != nil {
			return nil, err
		}
		conf, err := t.Broadcast(a.Network)
		if err != nil {
			return nil, err
		}
		net, err := nn.Bind(conf, tensor.Floats(params))
		if err != nil {
			return nil, engine.Permanent(err)
		}
		n := min(a.Workers, t.Slots())
		return newReplicas(net, n, max(1, t.Threads*t.Slots()/n), v), nil
	})
}
