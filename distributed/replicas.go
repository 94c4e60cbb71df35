package distributed

import (
	"context"
	"log/slog"

	"github.com/dl4go/dl4go/nn"
)

// replicas are a process's networks for inference. They share one copy of the parameters, and are made when they are
// needed.
type replicas struct {
	net     *nn.Network // has the shared parameters
	threads int         // of each replica
	kernels string
	log     *slog.Logger
	free    chan *replica // unused replicas; nil: not made yet
}

// newReplicas makes replicas of a network for at most n tasks at a time.
func newReplicas(net *nn.Network, n, threads int, kernels string, log *slog.Logger) *replicas {
	r := &replicas{net, threads, kernels, log, make(chan *replica, n)}
	for range n {
		r.free <- nil
	}
	return r
}

// use calls f with a replica when one is free. If f fails or panics, the replica is not used again.
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

// Close ends the threads of all replicas. None may be in use.
func (r *replicas) Close() error {
	for range cap(r.free) {
		if one := <-r.free; one != nil {
			one.Close()
		}
	}
	return nil
}
