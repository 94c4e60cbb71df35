package worker

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/dl4go/dl4go/engine"
)

// Sender writes records. Its methods may be called from several goroutines.
type Sender struct {
	to      io.Writer
	framing Framing

	mu     sync.Mutex
	buffer []byte
	seq    int64
	commit engine.Commit // of the rows sent so far
	err    error         // of the first write that failed
}

// NewSender makes a sender.
func NewSender(to io.Writer, f Framing) *Sender { return &Sender{to: to, framing: f} }

// Begin sets the partition and attempt of the next rows.
func (s *Sender) Begin(partition, attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq, s.commit = 0, engine.Commit{Partition: partition, Attempt: attempt}
}

// Job sends the task, and begins its partition's rows.
func (s *Sender) Job(t Task) error {
	s.Begin(t.Partition, t.Attempt)
	return s.document(Job, t)
}

// Header sends a Job record without data. In a table it marks where the next job belongs.
func (s *Sender) Header() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data(Job, 0, nil)
}

// Write sends a row, a large one in pieces.
func (s *Sender) Write(row engine.Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commit.Add(row)
	return s.data(Row, row.Index, row.Bytes)
}

// Commit ends the rows, and flushes all records.
func (s *Sender) Commit() error {
	s.mu.Lock()
	c := s.commit
	s.mu.Unlock()
	return s.document(Commit, c)
}

// Fail ends the rows instead of Commit.
func (s *Sender) Fail(f Failure) error { return s.document(Failed, f) }

// Alive says that the worker lives.
func (s *Sender) Alive() error { return s.control(Alive, nil) }

// Log sends a line of the task's log.
func (s *Sender) Log(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.append(Record{Partition: s.commit.Partition, Attempt: s.commit.Attempt, Seq: s.seq, Kind: Log, Data: line})
}

// Pass sends another sender's record unchanged.
func (s *Sender) Pass(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.append(r)
}

// Stop says that no more of the task's rows will come.
func (s *Sender) Stop() error { return s.control(Stop, nil) }

// Drop says that a broadcast is released. The empty ID clears the worker's caches.
func (s *Sender) Drop(id engine.BroadcastID) error { return s.control(Drop, []byte(id)) }

// Flush writes all buffered records.
func (s *Sender) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush()
}

func (s *Sender) document(k Kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.data(k, 0, b); err != nil {
		return err
	}
	return s.flush()
}

func (s *Sender) control(k Kind, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append(Record{Kind: k, Data: data})
	return s.flush()
}

func (s *Sender) data(k Kind, index int64, b []byte) error {
	r := Record{Partition: s.commit.Partition, Attempt: s.commit.Attempt, Kind: Piece, Index: index}
	for size := s.framing.piece(); len(b) > size; b = b[size:] {
		r.Seq, r.Data = s.seq, b[:size]
		s.seq++
		if err := s.append(r); err != nil {
			return err
		}
	}
	r.Kind, r.Seq, r.Data = k, s.seq, b
	s.seq++
	return s.append(r)
}

func (s *Sender) append(r Record) error {
	const full = 128 << 10
	s.buffer = s.framing.appendRecord(s.buffer, &r)
	if len(s.buffer) >= full {
		return s.flush()
	}
	return s.err
}

func (s *Sender) flush() error {
	if s.err == nil && len(s.buffer) > 0 {
		_, s.err = s.to.Write(s.buffer)
	}
	s.buffer = s.buffer[:0]
	return s.err
}
