package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// RunDir is a directory that this process has for the time of a run. It is locked, so that others see whether its owner
// lives: a process that is killed leaves the directory, but not the lock.
type RunDir struct {
	Path string // absolute

	lock *os.File
	base string // that was made for it
}

// lockName is the file that is locked. What has none is no run's.
const (
	lockName = ".dl4go-run"
	unlocked = ".new" // behind it, before it is
)

// NewRunDir makes a directory below under, which is made if need be: the system's temporary directory if empty.
func NewRunDir(under string) (*RunDir, error) {
	if under == "" {
		under = os.TempDir()
	}
	under, err := filepath.Abs(under)
	if err != nil {
		return nil, err
	}
	r := &RunDir{Path: filepath.Join(under, engine.RunName(time.Now()))}
	if _, err := os.Stat(under); errors.Is(err, fs.ErrNotExist) {
		r.base = under
	}
	if err := os.MkdirAll(under, 0o777); err != nil {
		return nil, err
	}
	if err := os.Mkdir(r.Path, 0o700); err != nil {
		r.removeBase()
		return nil, err
	}
	if err := r.hold(); err != nil {
		return nil, errors.Join(err, r.Remove())
	}
	return r, nil
}

// hold makes the file that is locked. It has its name when it is locked only, or others would take the owner for gone.
func (r *RunDir) hold() (err error) {
	path := filepath.Join(r.Path, lockName)
	if r.lock, err = os.OpenFile(path+unlocked, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	err = storage.Lock(r.lock)
	if errors.Is(err, errors.ErrUnsupported) {
		r.unlock()
	} else if err != nil {
		return err
	}
	return os.Rename(path+unlocked, path)
}

// Keep makes the directory one that is no run's. All may then read it whom the user's umask lets.
func (r *RunDir) Keep() error {
	r.unlock()
	return errors.Join(os.Remove(filepath.Join(r.Path, lockName)), os.Chmod(r.Path, 0o755))
}

// Remove removes the directory with what is in it, and the one that was made for it if that is empty.
func (r *RunDir) Remove() error {
	r.unlock()
	err := os.RemoveAll(r.Path)
	r.removeBase()
	return err
}

func (r *RunDir) removeBase() {
	if r.base != "" {
		os.Remove(r.base)
	}
}

func (r *RunDir) unlock() {
	if r.lock != nil {
		r.lock.Close()
		r.lock = nil
	}
}

// runs lists the directories of runs in dir.
func runs(dir string) ([]engine.Run, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []engine.Run
	for _, entry := range entries {
		began, ok := engine.RunTime(entry.Name())
		if !ok || !entry.IsDir() {
			continue
		}
		run := engine.Run{Name: entry.Name(), Place: filepath.Join(dir, entry.Name()), Seen: began}
		if run.Owner, ok = owner(run.Place); !ok {
			continue
		}
		run.Bytes = sizeOf(run.Place)
		found = append(found, run)
	}
	return found, nil
}

// owner finds out whether a run directory's owner lives; ok says whether it is one.
func owner(dir string) (o engine.Owner, ok bool) {
	f, err := openLock(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		// Its owner may have been killed before it made the file. What has other files was kept.
		entries, err := os.ReadDir(dir)
		return engine.OwnerUnknown, err == nil && (len(entries) == 0 || len(entries) == 1 && entries[0].Name() == lockName+unlocked)
	}
	if err != nil {
		return engine.OwnerUnknown, true
	}
	defer f.Close()
	switch err := storage.Lock(f); {
	case err == nil:
		return engine.OwnerGone, true
	case errors.Is(err, errors.ErrUnsupported):
		return engine.OwnerUnknown, true
	}
	return engine.OwnerLives, true
}

func sizeOf(dir string) int64 {
	size := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		return -1
	}
	return size
}

// removeRun removes the directory of a run whose owner does not live.
func removeRun(r engine.Run) error {
	refuse := func(why string) error { return &fs.PathError{Op: "remove", Path: r.Place, Err: errors.New(why)} }
	if _, ok := engine.RunTime(r.Name); !ok || filepath.Base(r.Place) != r.Name {
		return refuse("this is no run's directory")
	}
	switch o, ok := owner(r.Place); {
	case !ok:
		return refuse("it was kept, or is no longer there")
	case o == engine.OwnerLives:
		return refuse("the run that it belongs to lives")
	}
	return os.RemoveAll(r.Place)
}
