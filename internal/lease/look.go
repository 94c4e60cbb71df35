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

// State is what is known of a run that has a lease.
type State int

const (
	Unknown State = iota
	Lives
	Ended // in order, or its process is gone
)

// Look tells what there is to know of a directory's owner without waiting, and when it gave its last sign of life, by
// the clock of what keeps the files; a lock has no such time. It fails with fs.ErrNotExist where there is no lease.
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
		if err == nil || try == 3 { // it may have been replaced while it was read
			return r.state(), seen, err
		}
	}
}

// largest is more than a record takes.
const largest = 1 << 16

// read reads the file of a token: a record, which is empty where it is being made.
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
