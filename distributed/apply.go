package distributed

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/data"
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
}

// broadcast sends the network to the workers, until release is called.
func (m *Network[N]) broadcast(ctx context.Context, batch int) (a applied, release func(), err error) {
	if batch == 0 {
		batch = m.opts.Batch
	}
	conf, err := m.net.Configuration()
	if err != nil {
		return a, nil, err
	}
	network, err := m.engine.Broadcast(ctx, conf)
	if err != nil {
		return a, nil, err
	}
	params, err := m.engine.Broadcast(ctx, tensor.AppendBytes(nil, m.net.Params()))
	if err != nil {
		network.Release()
		return a, nil, err
	}
	a = applied{network.ID(), params.ID(), m.opts.Kernels, batch}
	return a, func() { network.Release(); params.Release() }, nil
}

// net gives the worker's network with the parameters that were broadcast.
func (a applied) net(t *engine.Task) (nn.Network, error) {
	net, err := Replica(t, a.Network, a.Kernels)
	if err != nil {
		return nil, err
	}
	b, err := t.Broadcast(a.Params)
	if err != nil {
		return nil, err
	}
	tensor.FromBytes(net.Params(), b)
	return net, nil
}

// minibatches gives f the partition's examples in minibatches, and the worker's network.
func (a applied) minibatches(t *engine.Task, in engine.Rows, f func(nn.Network, *data.MultiDataSet) error) error {
	net, err := a.net(t)
	if err != nil {
		return err
	}
	for it := Minibatches(in, a.Batch); ; {
		m, err := it.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(net, m); err != nil {
			return err
		}
	}
}
