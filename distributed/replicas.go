package distributed

import (
	"context"
	"log/slog"

	"github.com/dl4go/dl4go/nn"
)

// replicas are a process' networks for inference. They have one copy of the parameters, and are made when they are
// needed.
type replicas struct {
	net     *nn.Network // whose parameters all have
	threads int         // of each
	kernels string
	log     *slog.Logger
	free    chan *replica // those that nobody uses; nil: not made yet
}

// newReplicas makes replicas of a network for at most n tasks at a time.
func newReplicas(net *nn.Network, n, threads int, kernels string, log *slog.Logger) *replicas {
	r := &replicas{net, threads, kernels, log, make(chan *replica, n)}
	for range n {
		r.free <- nil
	}
	return r
}

// use gives f a replica when one is free. One on which f fails, or panics, is not used again.
func (r *replicas) use(ctx context.Context, f func(*nn.Network) error) (err error) {
	var one *replica
	select {
	case one = <-r.free:
	default:
		select {
		case one = <-r.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if one == nil {
		if one, err = newReplica(r.net.Share(), r.threads, r.kernels, r.log); err != nil {
			r.free <- nil
			return err
		}
	}
	whole := false
	defer func() {
		if !whole {
			one.Close()
			one = nil
		}
		r.free <- one
	}()
	err = f(one.net)
	whole = err == nil
	return err
}

// Close ends the threads of all replicas. Nobody uses one.
func (r *replicas) Close() error {
	for range cap(r.free) {
		if one := <-r.free; one != nil {
			one.Close()
		}
	}
	return nil
}
