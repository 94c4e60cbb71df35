//go:build unix

package lease

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

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
