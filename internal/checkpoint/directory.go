// Package checkpoint keeps the checkpoints of a training run in a directory, one file each. It keeps the two newest.
//
// A checkpoint is a Deeplearning4j model zip with one more entry, checkpoint.json, which has the settings of the run
// and its progress. Any program that opens models opens a checkpoint. A file appears complete or not at all. The
// checksums of the zip show whether a file is intact when it is read.
package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/dl4go/dl4go/internal/lease"
	"github.com/dl4go/dl4go/storage"
)

// Directory is a directory of checkpoints, local or at a URL, that is open for one run. Only one goroutine may use it
// at a time.
type Directory struct {
	path  string
	lease lease.Lease
	last  int // the highest number there

	damaged map[name]bool // found damaged by Last
}

// name is the name of a file: checkpoint-000001-000001.zip. It has the token of the run's lease and a number, each
// higher than those before. The name with the higher token is newer. So a run that has lost the directory without
// knowing it yet writes nothing that a run resumes from, and overwrites nothing. Older versions of this program wrote
// checkpoint-000001.zip, a number without a token; the token counts as 0.
type name struct {
	token  int64
	number int
}

const (
	prefix = "checkpoint-"
	suffix = ".zip"
	kept   = 2
)

func (n name) String() string {
	if n.token == 0 {
		return fmt.Sprintf("%s%06d%s", prefix, n.number, suffix)
	}
	return fmt.Sprintf("%s%06d-%06d%s", prefix, n.token, n.number, suffix)
}

// parse reads what String writes.
func parse(text string) (n name, ok bool) {
	if _, err := fmt.Sscanf(text, prefix+"%d-%d"+suffix, &n.token, &n.number); err != nil {
		n = name{}
		fmt.Sscanf(text, prefix+"%d"+suffix, &n.number)
	}
	return n, n.token >= 0 && n.number > 0 && n.String() == text
}

// NoneError says that a directory has no usable checkpoint. Damaged has the errors of those that can't be read.
type NoneError struct {
	Path    string
	Damaged []error
}

func (e *NoneError) Error() string {
	if len(e.Damaged) > 0 {
		return fmt.Sprintf("%s has no checkpoint that can be read: %v", e.Path, errors.Join(e.Damaged...))
	}
	return e.Path + " has no checkpoint"
}

func (e *NoneError) Unwrap() []error { return e.Damaged }

// Is reports whether target is ErrNone and there is no checkpoint at all, not even a damaged one.
func (e *NoneError) Is(target error) bool { return target == ErrNone && len(e.Damaged) == 0 }

// ErrNone: the directory of a run to be resumed has no checkpoint.
var ErrNone = errors.New("there is no checkpoint")

// ErrExists: a directory for a new run has checkpoints.
var ErrExists = errors.New("there are checkpoints of another run")

// Create opens a directory for a new run, and creates it if it does not exist. It fails with ErrExists if there are
// checkpoints, and with ErrInUse if another run uses it. The context ends the waiting for a lease.
func Create(ctx context.Context, path string, o Options) (*Directory, error) {
	path, err := storage.Path(path)
	if err != nil {
		return nil, err
	}
	if err := noFile(path); err != nil {
		return nil, err
	}
	if err := storage.MkdirAll(ctx, path); err != nil {
		return nil, err
	}
	exist := func(names []name, err error) error {
		if err == nil && len(names) > 0 {
			err = fmt.Errorf("%s: %w", path, ErrExists)
		}
		return err
	}
	if err := exist(list(ctx, path)); err != nil {
		return nil, err // before it waits for a lease
	}
	return open(ctx, path, o, nil, exist)
}

// Open opens the directory of a run to be resumed. It fails with a *NoneError if there is no checkpoint, and with
// ErrInUse if a run has not ended. On S3 or HDFS, the directory of a run that died on another machine is free after
// the lease's period: Open waits that long. The context ends the waiting.
func Open(ctx context.Context, path string, o Options) (*Directory, error) {
	path, err := storage.Path(path)
	if err != nil {
		return nil, err
	}
	if err := noFile(path); err != nil {
		return nil, err
	}
	some := func(names []name, err error) error {
		if err == nil && len(names) == 0 {
			err = &NoneError{Path: path}
		}
		return err
	}
	names, err := list(ctx, path)
	if err := some(names, err); err != nil {
		return nil, err
	}
	return open(ctx, path, o, names, some)
}

// noFile fails if there is a file at the path of a directory on this machine.
func noFile(path string) error {
	if storage.IsURL(path) {
		return nil
	}
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is a file, not a directory of checkpoints; name a directory", path)
	}
	return nil
}

// open takes the lease. It then checks the directory's contents again.
func open(ctx context.Context, path string, o Options, before []name, check func([]name, error) error) (*Directory,
	error) {
	after := int64(0)
	if len(before) > 0 {
		after = before[0].token
	}
	l, err := lease.Take(ctx, path, o.lease(after))
	if err != nil {
		return nil, err
	}
	d := &Directory{path: path, lease: l, damaged: map[name]bool{}}
	names, err := list(ctx, path)
	if err = check(names, err); err == nil {
		err = storage.Sweep(ctx, path, prefix)
	}
	if err != nil {
		return nil, errors.Join(err, l.Release(ctx))
	}
	for _, n := range names {
		d.last = max(d.last, n.number)
	}
	return d, nil
}

// list returns the names of the checkpoints, the newest first.
func list(ctx context.Context, path string) (names []name, err error) {
	if !storage.IsURL(path) {
		return listLocal(path)
	}
	files, err := storage.List(ctx, path)
	if none := (*fs.PathError)(nil); errors.As(err, &none) && errors.Is(err, fs.ErrNotExist) {
		return nil, nil // but a missing bucket is an error
	}
	for _, f := range files {
		if n, ok := parse(storage.Base(f.URL)); ok {
			names = append(names, n)
		}
	}
	sortNames(names)
	return names, err
}

// listLocal is list for a directory on this machine. Any link counts as a checkpoint; if it can't be read, it is
// damaged.
func listLocal(path string) (names []name, err error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if n, ok := parse(e.Name()); ok && (e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0) {
			names = append(names, n)
		}
	}
	sortNames(names)
	return names, err
}

func sortNames(names []name) {
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(cmp.Compare(b.token, a.token), cmp.Compare(b.number, a.number))
	})
}

func (d *Directory) file(n name) string { return storage.Join(d.path, n.String()) }

// Path returns the path of the directory.
func (d *Directory) Path() string { return d.path }

// Close releases the directory for other runs. If the context has ended, it tries for a short time.
func (d *Directory) Close(ctx context.Context) error { return d.lease.Release(ctx) }
