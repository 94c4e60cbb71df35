package resident

import (
	"context"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// seat is a job's coordinator: in this process (hosted), or in another one (remote).
type seat interface {
	// access returns the access data for workers.
	access() access
	// run drives the coordinator until it has ended, or until the context has ended: then it returns the context's
	// cause. Later workers hear that the run is over, until close.
	run(ctx context.Context) error
	post(e coordination.Event)
	traffic() (sent, received uint64)
	members() []coordination.Member // only for the function that gets the actions
	close()                         // the last call, whether or not run was called
}

// order is a coordinator's settings, except its reference.
type order struct {
	Job        coordination.JobID
	Transport  string
	Network    distributed.Residents
	MaxMessage int
	Meet       bool
	Config     coordination.Config
	from       *coordination.Checkpoint
}

// hosted is a coordinator in this process.
type hosted struct {
	order
	machine   *coordination.Coordinator
	transport mesh.Transport
	listener  mesh.Listener
	host      *mesh.Host
	workers   access
}

// host makes a coordinator that listens at a place, or at the options' port. act is called with its actions, in its
// host's loop. The reference catches up there, too.
func (o order) host(at mesh.Place, options mesh.Options, ref coordination.Reference,
	act func(coordination.Action)) (*hosted, error) {
	h := &hosted{order: o}
	err := h.begin(at, options, ref, func(a coordination.Action) {
		if _, is := a.(coordination.CatchUp); is {
			ref.CatchUp()
			return
		}
		act(a)
	})
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *hosted) begin(at mesh.Place, options mesh.Options, ref coordination.Reference,
	act func(coordination.Action)) error {
	kind, err := TransportKind{h.Transport}.Find()
	if err != nil {
		return err
	}
	options.MaxMessage = h.MaxMessage
	h.workers = access{Job: h.Job, Transport: h.Transport, Mask: h.Network.Mask, Listen: h.Meet || h.Network.Mesh,
		InFlight: h.Config.InFlight, Summed: h.Config.Summed,
		Fanout: h.Config.Fanout, Batch: h.Config.Batch, Timing: h.Config.Timing,
		Options: mesh.Options{MaxMessage: h.MaxMessage}}
	if h.transport, h.workers.Settings, err = kind.Coordinator(h.Job, options); err != nil {
		return err
	}
	if h.listener, err = h.transport.Listen(at); err != nil {
		return err
	}
	h.workers.Coordinator = h.listener.Address()
	h.Config.Job = h.Job
	if h.Network.Mesh {
		h.Config.Mode = coordination.Mesh
	}
	if h.machine, err = coordination.NewCoordinator(h.Config, ref, h.from); err != nil {
		return err
	}
	h.host, err = mesh.NewHost(mesh.Config{Machine: h.machine, Transport: h.transport, Listener: h.listener, Late: true,
		Act: act, Tick: h.Config.Timing.Beat / 2, Options: options, Log: options.Log})
	return err
}

func (h *hosted) access() access                   { return h.workers }
func (h *hosted) run(ctx context.Context) error    { return h.host.Run(ctx) }
func (h *hosted) post(e coordination.Event)        { h.host.Post(e) }
func (h *hosted) traffic() (sent, received uint64) { return h.host.Traffic() }
func (h *hosted) members() []coordination.Member   { return h.machine.Members() }

// close stops answering late workers.
func (h *hosted) close() {
	switch {
	case h.host != nil:
		h.host.Close()
	case h.listener != nil:
		h.listener.Close()
	}
	if h.transport != nil {
		h.transport.Close()
	}
	networks.forget(h.Job)
}
