package resident

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// access is the data with which a worker joins a job. It is secret.
type access struct {
	Job         coordination.JobID
	Coordinator string
	Transport   string
	Settings    []byte // of the transport
	Mask        string // of the network in which workers reach each other
	Listen      bool   // for other workers
	InFlight    int
	Summed      bool
	Fanout      int
	Batch       int
	Timing      coordination.Timing
	Options     mesh.Options
}

func (a access) bytes() ([]byte, error) { return json.Marshal(a) }

// Worker is a task's side of a job.
type Worker struct {
	Access  engine.BroadcastID
	Shares  []coordination.Share // in rising order
	Replica coordination.Replica
	// Train does a step. Meanwhile, only Sum and Abandon of the Replica are called.
	Train func(coordination.Train) coordination.Trained

	host *mesh.Host
}

// Traffic returns how many bytes of messages the worker has sent and received so far.
func (w *Worker) Traffic() (sent, received uint64) {
	if w.host == nil {
		return 0, 0
	}
	return w.host.Traffic()
}

// join reads the access data and makes a worker's transport.
func join(t *engine.Task, id engine.BroadcastID) (a access, transport mesh.Transport, err error) {
	b, err := t.Broadcast(id)
	if err != nil {
		return a, nil, err
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return a, nil, engine.Permanent(err)
	}
	kind, err := TransportKind{a.Transport}.Find()
	if err != nil {
		return a, nil, engine.Permanent(err)
	}
	transport, err = kind.Worker(a.Job, a.Settings, a.Options)
	return a, transport, engine.Permanent(err)
}

// Serve runs the worker until the coordinator dismisses it, or its task ends.
func (w *Worker) Serve(t *engine.Task) error {
	a, transport, err := join(t, w.Access)
	if err != nil {
		return err
	}
	defer transport.Close()
	var listener mesh.Listener
	address := ""
	if a.Listen {
		at := mesh.Place{Mask: a.Mask, Toward: mesh.Far(a.Coordinator), Local: mesh.IsLocal(a.Coordinator), Near: true}
		if listener, err = transport.Listen(at); err != nil {
			return err
		}
		address = listener.Address()
	}
	worker, err := coordination.NewWorker(coordination.WorkerConfig{Job: a.Job, Nonce: rand.Uint64(),
		Attempt: uint32(t.Attempt), Shares: w.Shares,
		Address: address, Coordinator: a.Coordinator, InFlight: a.InFlight, Summed: a.Summed,
		Fanout: a.Fanout, Batch: a.Batch, Timing: a.Timing}, w.Replica)
	if err != nil {
		return engine.Permanent(err)
	}
	w.host, err = mesh.NewHost(mesh.Config{Machine: worker, Transport: transport, Listener: listener,
		Coordinator: a.Coordinator, Tick: a.Timing.Beat / 2, Options: a.Options, Log: t.Log,
		Train: func(_ context.Context, t coordination.Train) coordination.Trained { return w.Train(t) },
		Act: func(a coordination.Action) {
			if w, ok := a.(coordination.Warn); ok {
				t.Log.Warn(w.Text)
			}
		}})
	if err != nil {
		return engine.Permanent(err)
	}
	return w.host.Run(t.Context())
}
