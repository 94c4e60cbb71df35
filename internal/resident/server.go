package resident

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// ServerOptions are a Server's settings.
type ServerOptions struct {
	// Address is where drivers and workers reach the listener: its own address by default.
	Address string
	// Jobs bounds the number of jobs at a time: 16 by default. Each has a copy of its network's parameters, and of the
	// last updates that a worker may lack.
	Jobs int
	// Log gets a line at each job's beginning and end: slog.Default() by default.
	Log *slog.Logger
}

// Server hosts coordinators for other processes' jobs (Network.Coordinator), where the workers can reach them. All
// drivers and workers connect to one port.
type Server struct {
	options ServerOptions
	port    *mesh.Port
	control net.Listener
	keys    Keys

	mu   sync.Mutex
	jobs int
}

// keysLast is how long a Server's keys are valid. Each Server makes new ones when it starts.
const keysLast = 365 * 24 * time.Hour

// NewServer makes a server on a listener, which it takes over. It does nothing before Run.
func NewServer(l net.Listener, o ServerOptions) (*Server, error) {
	if o.Address == "" {
		o.Address = l.Addr().String()
	}
	if o.Jobs == 0 {
		o.Jobs = 16
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Server{options: o, port: mesh.NewPort(l, o.Address, mesh.Options{Log: o.Log})}
	var id coordination.JobID
	rand.Read(id[:])
	pair, err := mesh.Issue(mesh.Terms{Job: id, Life: keysLast})
	if err == nil {
		s.control, err = s.port.ListenControl(pair.Coordinator)
	}
	if err != nil {
		s.port.Close()
		return nil, err
	}
	s.keys = Keys{Address: o.Address, Credentials: pair.Worker}
	return s, nil
}

// Keys are the keys for drivers.
func (s *Server) Keys() Keys { return s.keys }

// Run serves until the context ends. Then it ends all jobs with the context's cause, and tells their drivers.
func (s *Server) Run(ctx context.Context) {
	var clients sync.WaitGroup
	halt := context.AfterFunc(ctx, func() { s.control.Close() })
	defer halt()
	for {
		c, err := s.control.Accept()
		if err != nil {
			break
		}
		clients.Go(func() {
			defer c.Close()
			s.serve(ctx, c)
		})
	}
	clients.Wait()
	s.port.Close()
}

// serve runs a driver's job, from its beginning to its end.
func (s *Server) serve(ctx context.Context, c net.Conn) {
	log := s.options.Log.With("client", c.RemoteAddr().String())
	if err := (&frame{Version: linkVersion}).write(c); err != nil {
		return
	}
	halt := context.AfterFunc(ctx, func() { c.Close() })
	first, err := readFrame(c)
	halt()
	if err != nil || first.Order == nil {
		if err == nil || !closed(err) {
			log.Warn("a client orders no coordinator", "error", err)
		}
		return
	}
	out := newOutbox(c)
	defer out.end()
	h, ref, err := s.host(first, out)
	if err != nil {
		log.Warn("a job is refused", "error", err)
		out.put(&frame{Ended: &ended{Error: err.Error()}})
		return
	}
	defer release(ref)
	defer h.close()
	log = log.With("job", fmt.Sprintf("%x", h.Job[:4]))
	log.Info("a job begins", "partitions", h.Config.Partitions)
	began := time.Now()
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out.put(&frame{Access: &h.workers})
	listened := make(chan struct{})
	go func() {
		defer close(listened)
		s.listen(c, h, stop)
	}()
	err = h.run(running)
	s.leave() // before the driver hears of the end: another job of it may follow at once
	last := &frame{Ended: &ended{}, Account: ref.Account()}
	last.Sent, last.Received = h.traffic()
	if err != nil {
		last.Ended.Error = err.Error()
	}
	params, e := ref.Params()
	if e == nil {
		last.attach(paramsVector, params)
	}
	out.put(last)
	out.end()
	select {
	case <-listened: // the client has it, and has ended the link
	case <-time.After(farewell):
	}
	log.Info("a job has ended", "after", time.Since(began).Round(time.Second), "sent", last.Sent, "received",
		last.Received, "error", err)
}

// host makes the coordinator of an order, if there is room for another job.
func (s *Server) host(first *frame, out *outbox) (*hosted, Portable, error) {
	o := *first.Order
	make, err := references.Find(first.Reference)
	if err != nil {
		return nil, nil, err
	}
	if o.Transport == InMemory.name {
		return nil, nil, errors.New("messages in memory don't reach another process: another transport is needed")
	}
	if o.MaxMessage < 1 || o.MaxMessage > maxVector {
		return nil, nil, fmt.Errorf("messages of up to %d bytes are asked for, there may be %d", o.MaxMessage, maxVector)
	}
	if !s.enter() {
		return nil, nil, fmt.Errorf("it has %d jobs, as many as it may have (--jobs): try again when one has ended",
			s.options.Jobs)
	}
	h, ref, err := s.begin(first, o, make, out)
	if err != nil {
		s.leave()
	}
	return h, ref, err
}

// begin makes the coordinator of a job that was counted by enter.
func (s *Server) begin(first *frame, o order, make func([]byte) (Portable, error), out *outbox) (*hosted, Portable,
	error) {
	ref, err := make(first.Settings)
	if err != nil {
		return nil, nil, err
	}
	if b := first.vector(checkpointVector); b != nil {
		if o.from, err = coordination.ReadCheckpoint(b, o.Job); err == nil {
			err = ref.Install(o.from.Params)
		}
	}
	t := &teller{out: out, ref: ref}
	if err == nil {
		t.host, err = o.host(mesh.Place{}, mesh.Options{Port: s.port, Log: s.options.Log}, ref, t.act)
	}
	if err != nil {
		release(ref)
		return nil, nil, err
	}
	return t.host, ref, nil
}

// Working returns the number of jobs.
func (s *Server) Working() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs
}

// enter counts a job, if there is room for it.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs >= s.options.Jobs {
		return false
	}
	s.jobs++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs--
}

// listen passes the driver's commands to its coordinator, until the driver is gone.
func (s *Server) listen(c net.Conn, h *hosted, stop context.CancelCauseFunc) {
	for {
		f, err := readFrame(c)
		if err != nil {
			stop(fmt.Errorf("the driver of the job is gone: %w", err))
			return
		}
		if f.Stop != "" {
			stop(errors.New(f.Stop))
		}
		if e := f.event(); e != nil {
			h.post(e)
		}
	}
}

// closed reports whether a link has ended without a word, as after a port scan.
func closed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || err.Error() == "EOF"
}

// teller tells a driver the actions of its coordinator.
type teller struct {
	out  *outbox
	ref  Portable
	host *hosted
	told time.Time // when members were told
}

// mostCommitted bounds the commits in a frame.
const mostCommitted = 1000

// act sends an action. It is called in the host's loop.
func (t *teller) act(a coordination.Action) {
	f := &frame{Account: t.ref.Account()}
	f.Sent, f.Received = t.host.traffic()
	if now := time.Now(); now.Sub(t.told) > tellEvery {
		f.Members, t.told = t.host.members(), now
	}
	to := &f.Actions
	switch a := a.(type) {
	case coordination.Committed:
		c := commitOf(a)
		to.Committed = []committed{c}
		t.out.add(f, func(last *frame) bool {
			n := len(last.Actions.Committed)
			if n == 0 || n == mostCommitted {
				return false
			}
			last.Actions.Committed = append(last.Actions.Committed, c)
			last.Account, last.Sent, last.Received = f.Account, f.Sent, f.Received
			if f.Members != nil {
				last.Members = f.Members
			}
			return true
		})
		return
	case coordination.EpochDone:
		to.EpochDone, f.Members = &a, t.host.members()
	case coordination.RoundDone:
		f.attach(payloadVector, a.Payload)
		a.Payload = nil
		to.RoundDone = &a
	case coordination.RoundLost:
		to.RoundLost = &a
	case coordination.Settled:
		f.attach(payloadVector, a.Payload)
		a.Payload = nil
		to.Settled = &a
	case coordination.Admitted:
		to.Admitted, f.Members = &a, t.host.members()
	case coordination.Lost:
		to.Lost, f.Members = &a, t.host.members()
	case coordination.Stalled:
		to.Stalled = &a
	case coordination.Warn:
		to.Warn = &a
	case coordination.Short:
		to.Short = &a
	case coordination.Missing:
		to.Missing = &a
	case coordination.Save:
		to.Save = true
		f.attach(checkpointVector, a.Checkpoint.Append(nil, t.host.Job))
	default:
		return // Failed and ShutDown: the last frame says so
	}
	t.out.put(f)
}

// advertised returns the address by which others reach a listener on a host. It adds the port to an address without
// one.
func advertised(address, host string, l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if address == "" {
		return net.JoinHostPort(host, port)
	}
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(address, port)
}
