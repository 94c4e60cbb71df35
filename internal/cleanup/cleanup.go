// Package cleanup removes what killed runs have left in directories and tables.
package cleanup

import (
	"context"
	"errors"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// Options say what is removed.
type Options struct {
	// OlderThan is how long a run whose owner can't be asked must not have been seen.
	OlderThan time.Duration
	// DryRun removes nothing.
	DryRun bool
	// Seen is told of each run, and what became of it.
	Seen func(r engine.Run, verdict string)
}

// DirError is about one of the directories that were named.
type DirError struct{ Err error }

func (e *DirError) Error() string { return e.Err.Error() }
func (e *DirError) Unwrap() error { return e.Err }

// Result is what came of it.
type Result struct {
	Removed, Left int
	Bytes         int64 // of those that were removed, or would be
}

// Find lists the runs in the default places and in dirs, each once.
func Find(ctx context.Context, e engine.Cleaner, dirs []string) ([]engine.Run, error) {
	var all []engine.Run
	seen := make(map[string]bool)
	for _, dir := range append([]string{""}, dirs...) {
		runs, err := e.Runs(ctx, dir)
		if err != nil && dir != "" {
			err = &DirError{err}
		}
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			if !seen[r.Name] {
				seen[r.Name] = true
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// Remove removes the runs that Find has listed, but for those that are in use, or may be. The error is of those that
// could not be removed.
func Remove(ctx context.Context, e engine.Cleaner, runs []engine.Run, now time.Time, o Options) (done Result,
	err error) {
	var failed []error
	for _, r := range runs {
		verdict := spared(r, now, o.OlderThan)
		switch {
		case verdict != "":
			verdict = "left: " + verdict
			done.Left++
		case o.DryRun:
			verdict = "would be removed"
		default:
			verdict = "removed"
			if err := e.RemoveRun(ctx, r); err != nil {
				verdict = "not removed"
				failed = append(failed, err)
				done.Left++
			}
		}
		if verdict == "removed" || verdict == "would be removed" {
			done.Removed++
			done.Bytes += max(0, r.Bytes)
		}
		o.Seen(r, verdict)
	}
	return done, errors.Join(failed...)
}

// spared says why a run is left alone; it is empty if it is not.
func spared(r engine.Run, now time.Time, olderThan time.Duration) string {
	switch {
	case r.Owner == engine.OwnerLives:
		return "it is in use"
	case r.Owner == engine.OwnerUnknown && now.Sub(r.Seen) < olderThan:
		return "its owner may live; --older-than 0s removes it all the same"
	}
	return ""
}
