package slots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/lease"
	"github.com/dl4go/dl4go/storage"
)

// RunDir is a directory that this process owns during a run, by a lease: others can see whether its owner lives. If the
// process is killed, the directory stays. A directory without a lease belongs to no run.
type RunDir struct {
	Path string // absolute, or a URL

	lease lease.Lease
	base  string // created together with Path, or ""
}

// renewEvery is how often the owner of a URL's directory renews its lease. dl4go clean counts on it.
const renewEvery = time.Hour

// NewRunDir makes a directory on this machine's disk below under, which it creates if need be. An empty under is the
// system's temporary directory.
func NewRunDir(under string) (*RunDir, error) {
	if storage.IsURL(under) {
		return nil, fmt.Errorf("%s: this is kept on this machine's disk: name a directory there", under)
	}
	return newRunDir(context.Background(), under)
}

// newRunDir makes a run directory, also at a URL.
func newRunDir(ctx context.Context, under string) (_ *RunDir, err error) {
	if under, err = storage.Path(under); err != nil {
		return nil, err
	}
	if under == "" {
		under = os.TempDir()
	}
	r := &RunDir{}
	if storage.IsURL(under) {
		r.Path = storage.Join(under, engine.RunName(time.Now()))
		err = storage.MkdirAll(ctx, r.Path)
	} else if under, err = filepath.Abs(under); err == nil {
		r.Path = storage.Join(under, engine.RunName(time.Now()))
		if _, err := os.Stat(under); errors.Is(err, fs.ErrNotExist) {
			r.base = under
		}
		if err = os.MkdirAll(under, 0o777); err == nil {
			err = os.Mkdir(r.Path, 0o700)
		}
	}
	if err != nil {
		r.removeBase()
		return nil, err
	}
	if r.lease, err = lease.Take(ctx, r.Path, lease.Options{New: true, Period: 4 * renewEvery}); err != nil {
		return nil, errors.Join(err, r.Remove(ctx))
	}
	return r, nil
}

// Keep keeps the directory as one that belongs to no run. Then all users may read it whom the umask lets.
func (r *RunDir) Keep(ctx context.Context) error {
	if err := r.lease.Remove(ctx); err != nil || storage.IsURL(r.Path) {
		return err
	}
	return os.Chmod(r.Path, 0o755)
}

// removeTime is how long the removal of a directory may take after the context has ended. The remaining files have no
// owner: dl4go clean removes them.
const removeTime = 10 * time.Second

// Remove removes the directory and its contents. It also removes the directory that was created for it, if that is
// empty.
func (r *RunDir) Remove(ctx context.Context) error {
	ctx, cancel := grace.Extend(ctx, removeTime)
	defer cancel()
	var err error
	if r.lease != nil {
		err = r.lease.Release(ctx)
	}
	if e := storage.RemoveAll(ctx, r.Path); e != nil {
		return errors.Join(err, e)
	}
	r.removeBase()
	return nil
}

func (r *RunDir) removeBase() {
	if r.base != "" {
		os.Remove(r.base)
	}
}

// runs lists the directories of runs in dir.
func runs(ctx context.Context, dir string) ([]engine.Run, error) {
	dir, err := storage.Path(dir)
	if err != nil {
		return nil, err
	}
	dirs, err := storage.Directories(ctx, dir)
	if err != nil {
		return nil, err
	}
	var found []engine.Run
	for _, place := range dirs {
		run := engine.Run{Name: storage.Base(place), Place: place}
		began, ok := engine.RunTime(run.Name)
		if !ok {
			continue
		}
		if run.Owner, run.Seen, ok, err = owner(ctx, place); !ok && err == nil {
			continue
		}
		if run.Seen.Before(began) {
			run.Seen = began
		}
		run.Bytes = sizeOf(ctx, place)
		found = append(found, run)
	}
	return found, nil
}

// owner returns whether a run directory's owner lives, and when it last renewed its lease. ok reports whether dir is a
// run directory.
func owner(ctx context.Context, dir string) (o engine.Owner, seen time.Time, ok bool, err error) {
	state, seen, err := lease.Look(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// Its owner may have been killed before it had the lease. A directory with other files was kept.
		files, err := storage.List(ctx, dir)
		for _, f := range files {
			if !storage.Hidden(f.URL) {
				return engine.OwnerUnknown, seen, false, nil
			}
		}
		if err == nil {
			var inner []string
			if inner, err = storage.Directories(ctx, dir); len(inner) > 0 {
				return engine.OwnerUnknown, seen, false, nil
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return engine.OwnerUnknown, seen, false, nil
		}
		return engine.OwnerUnknown, seen, err == nil, err
	case err != nil:
		return engine.OwnerUnknown, seen, false, err
	case state == lease.Lives:
		return engine.OwnerLives, seen, true, nil
	case state == lease.Ended:
		return engine.OwnerGone, seen, true, nil
	}
	return engine.OwnerUnknown, seen, true, nil
}

// sizeOf returns the total size of the files that are not hidden; a lease's files are hidden. It returns -1 on an
// error.
func sizeOf(ctx context.Context, dir string) (size int64) {
	files, err := storage.List(ctx, dir)
	if err != nil {
		return -1
	}
	for _, f := range files {
		if !storage.Hidden(f.URL) {
			size += f.Size
		}
	}
	return size
}

// removeRun removes the directory of a run, unless its owner lives.
func removeRun(ctx context.Context, r engine.Run) error {
	refuse := func(why string) error { return &fs.PathError{Op: "remove", Path: r.Place, Err: errors.New(why)} }
	if _, ok := engine.RunTime(r.Name); !ok || storage.Base(r.Place) != r.Name {
		return refuse("this is not a run's directory")
	}
	switch o, _, ok, err := owner(ctx, r.Place); {
	case err != nil:
		return err
	case !ok:
		return refuse("it was kept, or is no longer there")
	case o == engine.OwnerLives:
		return refuse("the run that it belongs to lives")
	}
	return storage.RemoveAll(ctx, r.Place)
}
