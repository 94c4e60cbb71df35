package local

import (
	"fmt"
	"sync"

	"github.com/dl4go/dl4go/engine"
)

// slot is one of the N places where tasks run, and the worker that they see.
type slot struct {
	engine *Engine
	name   string
	cache  engine.Cache

	mu       sync.Mutex
	occupied string               // by which partition, or ""
	released []engine.BroadcastID // while occupied: to be dropped at its end
}

// Broadcast gives a broadcast value.
func (s *slot) Broadcast(id engine.BroadcastID) ([]byte, error) {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	value, ok := s.engine.broadcasts[id]
	if !ok {
		return nil, engine.Permanent(fmt.Errorf("broadcast %q was released, or is of another engine than %s", id, s.engine.Master()))
	}
	return value, nil
}

// Cache is what the slot's tasks built.
func (s *slot) Cache() *engine.Cache { return &s.cache }

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
		s.cache.Drop(id)
	}
	s.released, s.occupied = nil, ""
	s.mu.Unlock()
	s.engine.free <- s
}

// drop forgets what was built of a broadcast, at the end of the task that may be using it.
func (s *slot) drop(id engine.BroadcastID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.occupied != "" {
		s.released = append(s.released, id)
		return
	}
	s.cache.Drop(id)
}

// clear forgets everything, unless a task that does not end is using it.
func (s *slot) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.occupied == "" {
		s.cache.Clear()
	}
}
