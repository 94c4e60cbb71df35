package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// lockName is the file that a process has locked. It names the process.
const (
	lockName = ".lock"
	unlocked = ".new" // suffix in a new directory until the owner is written: if it can be locked, its owner is dead
)

var errLocked = errors.New("another process has it locked")

// locked is the lease of a directory on this machine's disk.
type locked struct {
	dir   string
	file  *os.File
	token int64
}

// lock takes a lock. It fails with errors.ErrUnsupported if the file system has none.
func lock(dir string, o Options) (_ Lease, err error) {
	name := storage.Join(dir, lockName)
	at := name
	if o.New {
		at += unlocked
	}
	f, err := os.OpenFile(at, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			leave(f)
		}
	}()
	err = exclusive(f, func() { time.Sleep(time.Millisecond) })
	switch {
	case errors.Is(err, errLocked):
		var owner Owner
		json.NewDecoder(f).Decode(&owner) // the owner may not have written it yet
		return nil, fmt.Errorf("%s: %w: %v; it is free when that process has ended", dir, ErrInUse, owner)
	case errors.Is(err, errors.ErrUnsupported):
		os.Remove(at)
		return nil, err
	case err != nil:
		return nil, err
	}
	text, err := json.Marshal(thisProcess())
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(text, 0)
	}
	if err == nil && at != name {
		err = os.Rename(at, name)
	}
	if err != nil {
		return nil, err
	}
	return &locked{dir, f, o.After + 1}, nil
}

func (l *locked) Token() int64                 { return l.token }
func (l *locked) Verify(context.Context) error { return nil }
func (l *locked) Lost() <-chan struct{}        { return nil }

func (l *locked) Release(context.Context) error {
	if err := leave(l.file); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// leave unlocks and closes a file. Closing alone does not unlock it while this process starts another one: the child
// shares all open files until it runs its own program.
func leave(f *os.File) error {
	unlocked := unlock(f)
	if err := f.Close(); err != nil {
		return err
	}
	return unlocked
}

func (l *locked) Remove(ctx context.Context) error {
	return errors.Join(os.Remove(storage.Join(l.dir, lockName)), l.Release(ctx))
}

// looks bounds how often a lock is tried again while other processes look at it.
const looks = 1000

// exclusive locks a file for this process. A process that only looks at the lock shares it for a moment: exclusive
// pauses and tries again.
func exclusive(f *os.File, pause func()) error {
	for range looks {
		err := flock(f, true)
		if !errors.Is(err, errLocked) {
			return err
		}
		if err := flock(f, false); err != nil {
			return err
		}
		if err := unlock(f); err != nil {
			return err
		}
		pause()
	}
	return fmt.Errorf("%s: other processes look at it all the time: %w", f.Name(), errLocked)
}

// lookAtLock returns the state of a lock's owner. It fails with fs.ErrNotExist if there is no lock.
func lookAtLock(dir string) (State, error) {
	f, err := openLock(storage.Join(dir, lockName))
	if err != nil {
		return Unknown, err
	}
	defer leave(f)
	switch err := flock(f, false); {
	case err == nil:
		return Ended, nil
	case errors.Is(err, errLocked):
		return Lives, nil
	case errors.Is(err, errors.ErrUnsupported):
		return Unknown, fs.ErrNotExist
	default:
		return Unknown, err
	}
}
