package resident

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/grace"
)

// remote is the driver's side of a coordinator in another process (Server).
type remote struct {
	address string
	conn    net.Conn
	out     *outbox
	ref     Portable
	act     func(coordination.Action)
	workers access
	known   []coordination.Member

	sent, received atomic.Uint64
}

const (
	reach    = 10 * time.Second // for a coordinator's machine to take the connection
	answer   = time.Minute      // for a coordinator to answer
	farewell = 20 * time.Second // for the coordinator to end a job
)

// openRemote has another process make the coordinator of an order.
func openRemote(ctx context.Context, k Keys, o order, ref coordination.Reference,
	act func(coordination.Action)) (*remote, error) {
	name, settings, err := twin(ref)
	if err != nil {
		return nil, err
	}
	ctx, cancel := grace.WithLimit(ctx, answer, fmt.Errorf("no answer in %v", answer))
	defer cancel()
	fail := func(err error) (*remote, error) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("dl4go coordinator at %s: %w", k.Address, err)
	}
	conn, err := k.Credentials.DialControl(ctx, k.Address, reach)
	if err != nil {
		return nil, fmt.Errorf("dl4go coordinator can't be reached: does it run, "+
			"and is its file of keys the one that it wrote when it began? %w", err)
	}
	halt := context.AfterFunc(ctx, func() { conn.Close() })
	defer halt()
	r := &remote{address: k.Address, conn: conn, ref: ref.(Portable), act: act}
	greeting, err := readFrame(conn)
	if err == nil && greeting.Version != linkVersion {
		err = fmt.Errorf("it speaks version %d, this program version %d: both should be of one release",
			greeting.Version, linkVersion)
	}
	first := &frame{Order: &o, Reference: name, Settings: settings}
	if err == nil && o.from != nil {
		from := *o.from
		if from.Params, err = ref.Params(); err == nil {
			first.attach(checkpointVector, from.Append(nil, o.Job))
		}
	}
	if err == nil {
		err = first.write(conn)
	}
	var begun *frame
	for err == nil && (begun == nil || begun.Access == nil) {
		if begun, err = readFrame(conn); err == nil && begun.Ended != nil {
			err = errors.New(begun.Ended.Error)
		}
	}
	if err != nil {
		conn.Close()
		return fail(err)
	}
	if !halt() {
		return fail(ctx.Err())
	}
	r.workers = *begun.Access
	r.out = newOutbox(conn)
	return r, nil
}

func (r *remote) access() access                   { return r.workers }
func (r *remote) traffic() (sent, received uint64) { return r.sent.Load(), r.received.Load() }
func (r *remote) members() []coordination.Member   { return r.known }

func (r *remote) post(e coordination.Event) {
	if f, err := commandOf(e); err == nil {
		r.out.put(f)
	}
}

// run passes on the coordinator's actions. Afterwards the reference has the twin's parameters.
func (r *remote) run(ctx context.Context) error {
	over := make(chan struct{})
	defer close(over)
	defer context.AfterFunc(ctx, func() {
		r.out.put(&frame{Stop: context.Cause(ctx).Error()})
		select {
		case <-time.After(farewell):
			r.conn.Close()
		case <-over:
		}
	})()
	for {
		f, err := readFrame(r.conn)
		if err == nil {
			err = r.take(f)
		}
		switch {
		case ctx.Err() != nil && (err != nil || f.Ended != nil):
			return context.Cause(ctx)
		case err != nil:
			return r.gone(err)
		case f.Ended != nil && f.Ended.Error != "":
			return fmt.Errorf("dl4go coordinator at %s: %s", r.address, f.Ended.Error)
		case f.Ended != nil:
			r.act(coordination.ShutDown{})
			return nil
		}
	}
}

// gone explains the end of a link.
func (r *remote) gone(err error) error {
	if said := r.out.failure(); said != nil {
		err = said
	}
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		err = fmt.Errorf("nothing was heard of it for %v", silence)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it has ended")
	}
	return &goneError{r.address, err}
}

// goneError says that the link to a coordinator is broken.
type goneError struct {
	address string
	error
}

func (e *goneError) Error() string {
	return fmt.Sprintf("the link to dl4go coordinator at %s is broken, and with it the job: %v", e.address, e.error)
}

func (e *goneError) Unwrap() error { return e.error }

// take handles a frame of the host.
func (r *remote) take(f *frame) error {
	if len(f.Account) > 0 {
		if err := r.ref.SetAccount(f.Account); err != nil {
			return err
		}
	}
	if f.Members != nil {
		r.known = f.Members
	}
	if f.Sent+f.Received > 0 {
		r.sent.Store(f.Sent)
		r.received.Store(f.Received)
	}
	a := f.Actions
	for _, c := range a.Committed {
		r.act(c.action())
	}
	switch {
	case a.EpochDone != nil:
		r.act(*a.EpochDone)
	case a.RoundDone != nil:
		a.RoundDone.Payload = f.vector(payloadVector)
		r.act(*a.RoundDone)
	case a.RoundLost != nil:
		r.act(*a.RoundLost)
	case a.Settled != nil:
		a.Settled.Payload = f.vector(payloadVector)
		r.act(*a.Settled)
	case a.Admitted != nil:
		r.act(*a.Admitted)
	case a.Lost != nil:
		r.act(*a.Lost)
	case a.Stalled != nil:
		r.act(*a.Stalled)
	case a.Warn != nil:
		r.act(*a.Warn)
	case a.Short != nil:
		r.act(*a.Short)
	case a.Missing != nil:
		r.act(*a.Missing)
	case a.Save:
		k, err := coordination.ReadCheckpoint(f.vector(checkpointVector), r.workers.Job)
		if err != nil {
			return err
		}
		r.act(coordination.Save{Checkpoint: k})
	case f.Ended != nil:
		if params := f.vector(paramsVector); params != nil {
			return r.ref.Install(params)
		}
	}
	return nil
}

func (r *remote) close() {
	r.conn.Close()
	r.out.end()
}
