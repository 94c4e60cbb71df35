package slots

import (
	"sync"

	"github.com/dl4go/dl4go/engine"
)

// slot is one of the N places where tasks run.
type slot struct {
	engine *Engine
	name   string
	worker Worker

	mu       sync.Mutex
	occupied string               // the partition in the slot, or ""
	released []engine.BroadcastID // while occupied: to be dropped when the task ends
}

func (s *slot) occupy(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.occupied = what
}

func (s *slot) occupant() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.occupied
}

// leave makes the slot free for the next task.
func (s *slot) leave() {
	s.mu.Lock()
	for _, id := range s.released {
		s.worker.Drop(id)
	}
	s.released, s.occupied = nil, ""
	s.mu.Unlock()
	s.engine.free <- s
}

// drop forgets the values built from a broadcast. If a task may be using them, it waits for the task's end.
func (s *slot) drop(id engine.BroadcastID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.occupied != "" {
		s.released = append(s.released, id)
		return
	}
	s.worker.Drop(id)
}
