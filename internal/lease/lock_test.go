//go:build unix

package lease

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReleaseBesideStartingProcesses checks that a released directory is free even if this process is starting another
// one, which shares its open files for a moment.
func TestReleaseBesideStartingProcesses(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		l, err := lock(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		child, err := syscall.Dup(int(l.(*locked).file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(child)
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Errorf("released twice: %v", err)
		}
	}
	if state, err := lookAtLock(dir); state != Ended || err != nil {
		t.Errorf("the lock's owner is in state %v, error %v", state, err)
	}
}

// TestExclusiveBesideLooks checks that a look at a lock does not keep another process from taking the lock, and that
// an owner does.
func TestExclusiveBesideLooks(t *testing.T) {
	open := func(name string) *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	name := filepath.Join(t.TempDir(), lockName)
	looker, owner := open(name), open(name)
	if err := flock(looker, false); err != nil {
		t.Fatal(err)
	}
	pauses := 0
	err := exclusive(owner, func() {
		if pauses++; pauses == 3 {
			looker.Close()
		}
	})
	if err != nil || pauses != 3 {
		t.Errorf("the lock was taken after %d pauses, error %v", pauses, err)
	}
	if err := exclusive(open(name), func() { t.Error("it is tried again, though it has an owner") }); !errors.Is(err,
		errLocked) {
		t.Errorf("a lock that has an owner: error %v", err)
	}
	if err := flock(open(name), false); !errors.Is(err, errLocked) {
		t.Errorf("a look at a lock that has an owner: error %v", err)
	}
}
