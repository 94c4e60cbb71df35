package engine

import (
	"context"
	"sync"
)

// Saved is a data set whose rows lie on the engine's storage, and nowhere else: reading it computes nothing.
type Saved struct {
	*Dataset
	// Place is where the rows are, for messages: a directory, or a table.
	Place string

	remove, keep func(context.Context) error
	mu           sync.Mutex
	kept         bool
}

// NewSaved returns the result of [Engine.Save], for engines. d reads the rows, remove deletes them, and keep makes them
// permanent.
func NewSaved(d *Dataset, place string, remove, keep func(context.Context) error) *Saved {
	return &Saved{Dataset: d, Place: place, remove: remove, keep: keep}
}

// Remove deletes the rows and the directory or table that was made for them. A second Remove does nothing.
func (s *Saved) Remove(ctx context.Context) error { return s.remove(ctx) }

// Keep makes the rows permanent where they are: they no longer belong to a run. A second Keep does nothing.
func (s *Saved) Keep(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept {
		return nil
	}
	err := s.keep(ctx)
	s.kept = err == nil
	return err
}

// Save evaluates the data set once and writes its rows below dir, in a place with the name of the run (see RunName). It
// returns the data set of the written rows, with the same partitions and order. The rows are Files with plain, unique
// names. dir is a directory of the engine's storage, and is made if necessary. If it is empty, the engine chooses one.
//
// If files are written one by one, they are in the run's directory under their names. After an error, nothing is left.
func (d *Dataset) Save(ctx context.Context, dir string) (*Saved, error) {
	if d.err != nil {
		return nil, d.err
	}
	return d.engine.Save(ctx, d, dir)
}

// SavedOpener is an Engine that saves rows in another form than one file for each row. It reads kept rows again.
type SavedOpener interface {
	// OpenSaved returns the data set that Save wrote at this place and that Keep made permanent.
	OpenSaved(ctx context.Context, place string) (*Dataset, error)
}
