package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/resident"
)

// faultyConfig is the configuration of a worker's transport.
type faultyConfig struct {
	Secure   []byte
	Director string // the address at which workers ask whether a fault is to happen
	Marks    string // a folder in which each worker process leaves its mark
	Faults   []fault
}

// faultyKind is resident.Secure with faults.
type faultyKind struct {
	resident.TransportKind
	director *director // of the next fit
}

// faultyKinds has one kind for each fit that runs at a time.
var faultyKinds = func() (all [5]*faultyKind) {
	for i := range all {
		k := &faultyKind{}
		k.TransportKind = resident.RegisterTransport(fmt.Sprintf("sharing_test.faulty%d", i),
			resident.Transport{Coordinator: k.coordinator, Worker: faultyWorker})
		all[i] = k
	}
	return all
}()

func (k *faultyKind) coordinator(job coordination.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
	kind, err := resident.Secure.Find()
	if err != nil {
		return nil, nil, err
	}
	t, settings, err := kind.Coordinator(job, o)
	if err != nil {
		return nil, nil, err
	}
	d := k.director
	conf, err := json.Marshal(faultyConfig{settings, d.listener.Addr().String(), d.marks, d.faults})
	return watched{t, d}, conf, err
}

func faultyWorker(job coordination.JobID, conf []byte, o mesh.Options) (mesh.Transport, error) {
	s := &faultySide{conns: map[mesh.Conn]bool{}, passed: map[int]int{}}
	if err := json.Unmarshal(conf, &s.conf); err != nil {
		return nil, err
	}
	if err := faulttest.Leave(s.conf.Marks); err != nil {
		return nil, err
	}
	kind, err := resident.Secure.Find()
	if err != nil {
		return nil, err
	}
	s.Transport, err = kind.Worker(job, s.conf.Secure, o)
	return s, err
}

// faultySide is the transport of one worker.
type faultySide struct {
	mesh.Transport
	conf faultyConfig

	mu    sync.Mutex
	self  coordination.Peer
	conns map[mesh.Conn]bool
	back  time.Time // the worker is cut off until then
	mute  bool      // if cut off, its links stay

	relay  sync.Mutex  // held while passing something on
	passed map[int]int // by fault: the number of children that have it
}

var errCut = errors.New("the worker is cut off")

// keep registers a link, or breaks it if the worker is cut off.
func (s *faultySide) keep(c mesh.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.back) {
		c.Abort()
		return false
	}
	s.conns[c] = true
	return true
}

func (s *faultySide) forget(c mesh.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// cut prevents new links for a while. It also breaks the existing ones, unless silent.
func (s *faultySide) cut(d time.Duration, silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.back, s.mute = time.Now().Add(d), silent; silent {
		return
	}
	for c := range s.conns {
		c.Abort()
	}
	clear(s.conns)
}

func (s *faultySide) isCut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.back)
}

// hold blocks the traffic of a link while the worker is cut off silently.
func (s *faultySide) hold() {
	s.mu.Lock()
	left := time.Until(s.back)
	mute := s.mute
	s.mu.Unlock()
	if mute && left > 0 {
		time.Sleep(left)
	}
}

func (s *faultySide) Dial(ctx context.Context, to mesh.Role, address string) (mesh.Conn, error) {
	cut := &mesh.LinkError{Peer: fmt.Sprintf("the %s at %s", to, address), Did: "dialling", Err: errCut}
	if s.isCut() {
		return nil, cut
	}
	c, err := s.Transport.Dial(ctx, to, address)
	if err != nil {
		return nil, err
	}
	if !s.keep(c) {
		return nil, cut
	}
	return &faultyConn{c, s}, nil
}

func (s *faultySide) Listen(at mesh.Place) (mesh.Listener, error) {
	l, err := s.Transport.Listen(at)
	return faultyListener{l, s}, err
}

type faultyListener struct {
	mesh.Listener
	side *faultySide
}

func (l faultyListener) Accept() (mesh.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.side.keep(c) {
			return &faultyConn{c, l.side}, err
		}
	}
}

// faultyConn is a link of a worker.
type faultyConn struct {
	mesh.Conn
	side *faultySide
}

func (c *faultyConn) Close() {
	c.side.forget(c.Conn)
	c.Conn.Close()
}

func (c *faultyConn) Abort() {
	c.side.forget(c.Conn)
	c.Conn.Abort()
}

func (c *faultyConn) Send(m coordination.Message) error {
	switch m := m.(type) {
	case *coordination.Update:
		return c.sendUpdate(m)
	case *coordination.Log:
		return c.passOn(m)
	case *coordination.State:
		c.side.at(func(f fault) bool { return f.At == handing })
	case *coordination.Part:
		c.side.at(func(f fault) bool { return f.At == settling && f.Worker == c.side.peer().Worker })
	}
	c.side.hold()
	return c.Conn.Send(m)
}

func (c *faultyConn) sendUpdate(u *coordination.Update) error {
	c.side.at(func(f fault) bool { return f.At == beforeSend && f.is(u.Epoch, u.Partition, u.Ordinal) })
	c.side.hold()
	if err := c.Conn.Send(u); err != nil {
		return err
	}
	c.side.at(func(f fault) bool { return f.At == beforeCommit && f.is(u.Epoch, u.Partition, u.Ordinal) })
	return nil
}

// passOn sends a part of the log to a child.
func (c *faultyConn) passOn(m *coordination.Log) error {
	s := c.side
	s.relay.Lock()
	defer s.relay.Unlock()
	var passed []int
	for i, f := range s.conf.Faults {
		for _, e := range m.Entries {
			if f.At != relaying || e.Kind != coordination.UpdateEntry || e.Epoch < f.Epoch || e.Epoch == f.Epoch &&
				e.Ordinal < f.Ordinal {
				continue
			}
			if s.passed[i] == f.Children {
				s.ask(i)
			}
			passed = append(passed, i)
			break
		}
	}
	s.hold()
	err := c.Conn.Send(m)
	for _, i := range passed {
		s.passed[i]++
	}
	return err
}

func (c *faultyConn) Receive(alive func()) (coordination.Message, error) {
	m, err := c.Conn.Receive(alive)
	c.side.hold()
	switch m := m.(type) {
	case *coordination.Welcome:
		c.side.mu.Lock()
		c.side.self = m.Peer
		c.side.mu.Unlock()
	case *coordination.Log:
		for _, e := range m.Entries {
			if e.Own {
				c.side.at(func(f fault) bool { return f.At == atCommit && f.is(e.Epoch, e.Partition, e.Ordinal) })
			}
		}
	}
	return m, err
}

func (s *faultySide) peer() coordination.Peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.self
}

// at causes the faults of this point.
func (s *faultySide) at(here func(fault) bool) {
	for i, f := range s.conf.Faults {
		if here(f) {
			s.ask(i)
		}
	}
}

// ask lets a fault happen if the director agrees.
func (s *faultySide) ask(i int) {
	cut, err := question{Fault: i, Peer: s.peer()}.put(s.conf.Director)
	if err != nil {
		panic(fmt.Sprintf("the director of faults: %v", err)) // the fit has ended
	}
	if cut > 0 {
		s.cut(cut, s.conf.Faults[i].Deed == silent)
	}
}
