package engine

import (
	"context"
	"sync"
)

// Saved is a data set whose rows lie on the engine's storage, and nowhere else: reading it computes nothing.
type Saved struct {
	*Dataset
	// Place is where the rows are, for people: a directory, or a table.
	Place string

	remove, keep func(context.Context) error
	mu           sync.Mutex
	kept         bool
}

// NewSaved is for engines: d reads the rows. remove takes them off the storage, keep makes them nobody's run's.
func NewSaved(d *Dataset, place string, remove, keep func(context.Context) error) *Saved {
	return &Saved{Dataset: d, Place: place, remove: remove, keep: keep}
}

// Remove takes the rows, and what was made to hold them, off the storage. A second Remove does nothing.
func (s *Saved) Remove(ctx context.Context) error { return s.remove(ctx) }

// Keep leaves the rows where they are for good: they are no longer something that a run left. A second Keep does nothing.
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

// Save evaluates the data set once, writes its rows below dir, in a place of their own that has a run's name (see
// RunName), and gives the data set of what was written, in the same partitions and the same order. The rows are Files
// with plain names, each name once. dir is a directory of the engine's storage, and is made if need be; the engine
// has one of its own where dir is empty.
//
// Where files are written one by one, they lie in the run's directory under their names. On an error nothing is left.
func (d *Dataset) Save(ctx context.Context, dir string) (*Saved, error) {
	if d.err != nil {
		return nil, d.err
	}
	return d.engine.Save(ctx, d, dir)
}

// SavedOpener is an Engine that saves in another form than a file for each row. What was kept there needs it to be read
// again.
type SavedOpener interface {
	// OpenSaved gives the data set of what Save wrote at this place, and Keep left.
	OpenSaved(ctx context.Context, place string) (*Dataset, error)
}
