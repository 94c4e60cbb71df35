package distributed

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// predictor returns the process's predictor of the broadcast network, which all tasks share.
func (a applied) predictor(t *engine.Task) (*serve.Predictor, error) {
	n := a.concurrency(t)
	return engine.Shared(t, a.Params, fmt.Sprintf("predictor of %d times %d", n, a.Batch),
		func(params []byte) (*serve.Predictor, error) {
			net, err := a.bind(t, params)
			if err != nil {
				return nil, err
			}
			p, err := serve.New(net, serve.Options{Concurrency: n, MaxBatch: a.Batch, MaxQueue: math.MaxInt,
				NoNormalizer: true, AllowNaN: true, // readers of the results check for NaN
				Executor: func() (serve.Executor, error) { return NewExecutor(a.Kernels, a.threads(t), t.Log) }})
			return p, engine.Permanent(err)
		})
}

// bind returns the broadcast network with these parameters.
func (a applied) bind(t *engine.Task, params []byte) (*nn.Network, error) {
	Settle(t, a.Kernels)
	conf, err := t.Broadcast(a.Network)
	if err != nil {
		return nil, err
	}
	net, err := nn.Bind(conf, tensor.Floats(params))
	return net, engine.Permanent(err)
}
