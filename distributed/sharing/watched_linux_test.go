package sharing

import (
	"fmt"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

type minibatch struct{ epoch, partition, ordinal uint32 }

// commit is the position and time of an update's log entry.
type commit struct {
	position uint64
	peer     coordination.Peer
	seq      uint64
	at       time.Time
}

// watched is the coordinator's transport.
type watched struct {
	mesh.Transport
	director *director
}

func (w watched) Listen(at mesh.Place) (mesh.Listener, error) {
	l, err := w.Transport.Listen(at)
	return watchedListener{l, w.director}, err
}

type watchedListener struct {
	mesh.Listener
	director *director
}

func (l watchedListener) Accept() (mesh.Conn, error) {
	c, err := l.Listener.Accept()
	return watchedConn{c, l.director}, err
}

type watchedConn struct {
	mesh.Conn
	director *director
}

// Receive delays an update if its worker is to be killed before the commit.
func (c watchedConn) Receive(alive func()) (coordination.Message, error) {
	m, err := c.Conn.Receive(alive)
	if u, ok := m.(*coordination.Update); ok {
		for i, f := range c.director.faults {
			if f.At == beforeCommit && f.is(u.Epoch, u.Partition, u.Ordinal) {
				c.director.once[i].Do(func() { close(c.director.arrived[i]) })
				c.director.await(c.director.gone[i], f)
			}
		}
	}
	return m, err
}

func (c watchedConn) Send(m coordination.Message) error {
	if l, ok := m.(*coordination.Log); ok {
		c.director.read(l)
	}
	return c.Conn.Send(m)
}

// read records the commits and checks that each minibatch is in the log once.
func (d *director) read(l *coordination.Log) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, e := range l.Entries {
		if e.Kind != coordination.UpdateEntry {
			continue
		}
		m, now := minibatch{e.Epoch, e.Partition, e.Ordinal}, commit{l.First + uint64(i), e.Peer, e.Seq, time.Now()}
		first, ok := d.commits[m]
		if !ok {
			d.commits[m] = now
		} else if now.at = first.at; now != first {
			d.wrong = append(d.wrong, fmt.Errorf("minibatch %+v is in the log twice: %+v, %+v", m, first, now))
		}
	}
}
