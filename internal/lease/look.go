package lease

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// State is whether a run that has a lease is alive.
type State int

const (
	Unknown State = iota
	Lives
	Ended // released its lease, or its process is gone
)

// Look returns the state of a directory's owner without waiting, and when the owner last renewed its lease, by the
// clock of the file server. A lock has no such time. Look fails with fs.ErrNotExist if there is no lease.
func Look(ctx context.Context, dir string) (state State, seen time.Time, err error) {
	if !storage.IsURL(dir) {
		if state, err := lookAtLock(dir); !errors.Is(err, fs.ErrNotExist) {
			return state, time.Time{}, err
		}
	}
	last, err := highest(ctx, dir, 0)
	if err != nil {
		return Unknown, time.Time{}, err
	}
	if last == 0 {
		return Unknown, time.Time{}, &fs.PathError{Op: "look at", Path: dir, Err: fs.ErrNotExist}
	}
	for try := 1; ; try++ {
		_, r, seen, err := read(ctx, dir, last)
		if err == nil || try == 3 { // it may have been replaced during the read
			return r.state(), seen, err
		}
	}
}

// largest is the read limit of a record.
const largest = 1 << 16

// read reads the file of a token. The record is empty while its owner is writing it for the first time.
func read(ctx context.Context, dir string, token int64) (text string, r record, seen time.Time, err error) {
	f, err := storage.Open(ctx, storage.Join(dir, nameOf(token)))
	if err != nil {
		return "", r, seen, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largest))
	json.Unmarshal(b, &r)
	return string(b), r, f.ModTime(), err
}
