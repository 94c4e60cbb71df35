// Package cleanup removes what killed runs left behind in directories and tables.
package cleanup

import (
	"context"
	"errors"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// Options say which runs are removed.
type Options struct {
	// OlderThan is how long a run must not have been seen if its owner can't be asked.
	OlderThan time.Duration
	// DryRun removes nothing.
	DryRun bool
	// Seen is called with each run, and what was done with it.
	Seen func(r engine.Run, verdict string)
}

// DirError is an error about one of the given directories.
type DirError struct{ Err error }

func (e *DirError) Error() string { return e.Err.Error() }
func (e *DirError) Unwrap() error { return e.Err }

// Result is the result of Remove.
type Result struct {
	Removed, Left int
	Bytes         int64 // of removed runs, or with DryRun of those that would be removed
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

// Remove removes the runs that Find has listed, except those that are in use, or may be. The error is about runs that
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

// spared returns why a run must stay, or an empty text if it can be removed.
func spared(r engine.Run, now time.Time, olderThan time.Duration) string {
	switch {
	case r.Owner == engine.OwnerLives:
		return "it is in use"
	case r.Owner == engine.OwnerUnknown && now.Sub(r.Seen) < olderThan:
		return "its owner may live; --older-than 0s removes it all the same"
	}
	return ""
}
