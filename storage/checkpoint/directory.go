// Package checkpoint keeps the checkpoints of a training run in a directory: a file each, of which the last two stay.
//
// A checkpoint is a Deeplearning4j model zip with one entry more, checkpoint.json, which says what the run is and how far it has
// come: whatever opens a model opens a checkpoint. A file appears complete or not at all, and the zip's checksums tell
// whether it is still whole when it is read.
package checkpoint

import (
	"errors"
	"fmt"
	"github.com/dl4go/dl4go/storage"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Directory is a directory of checkpoints, open for one run. It is used by one goroutine at a time.
type Directory struct {
	path string
	lock *os.File
	last int // the highest number there

	damaged map[int]bool // that Last has found
}

// How files are named: checkpoint-000001.zip, …, each with a higher number than those before.
const (
	prefix   = "checkpoint-"
	suffix   = ".zip"
	lockName = ".lock"
	kept     = 2
)

// NoneError says that a directory has no checkpoint. Damaged are those that can't be read, by the reasons.
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

// ErrExists: a directory for a new run has checkpoints.
var ErrExists = errors.New("there are checkpoints of another run")

// ErrInUse: another process has the directory open.
var ErrInUse = errors.New("another run is using the directory")

// Create opens a directory for a new run, and makes it where it is not there. It fails with ErrExists where there are
// checkpoints, and with ErrInUse where there is a run.
func Create(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	if d.last > 0 {
		d.Close()
		return nil, fmt.Errorf("%s: %w", path, ErrExists)
	}
	return d, nil
}

// Open opens the directory of a run that is to go on. It fails with a *NoneError where there is no checkpoint, and with
// ErrInUse where a run has not ended.
func Open(path string) (*Directory, error) {
	if st, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &NoneError{Path: path}
	} else if err == nil && !st.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a file, not a directory of checkpoints")}
	}
	numbers, err := list(path)
	if err == nil && len(numbers) == 0 {
		err = &NoneError{Path: path}
	}
	if err != nil {
		return nil, err
	}
	return open(path)
}

func open(path string) (*Directory, error) {
	d := &Directory{path: path, damaged: map[int]bool{}}
	var err error
	if d.lock, err = os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	switch err = storage.Lock(d.lock); {
	case errors.Is(err, storage.ErrLocked):
		err = fmt.Errorf("%w: %w", ErrInUse, err)
	case errors.Is(err, errors.ErrUnsupported): // then two runs on one directory are not found out
		err = nil
	}
	var numbers []int
	if err == nil {
		numbers, err = list(path)
	}
	if err != nil {
		d.lock.Close()
		return nil, err
	}
	if len(numbers) > 0 {
		d.last = numbers[0]
	}
	if err := d.sweep(); err != nil {
		d.lock.Close()
		return nil, err
	}
	return d, nil
}

// list gives the numbers of the checkpoints, the newest first.
func list(path string) ([]int, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		text, named := strings.CutPrefix(e.Name(), prefix)
		text, ended := strings.CutSuffix(text, suffix)
		if n, err := strconv.Atoi(text); err == nil && n > 0 && named && ended {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	return numbers, nil
}

// sweep removes what a killed run was writing.
func (d *Directory) sweep() error {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "."+prefix) && strings.HasSuffix(name, ".tmp") {
			err = errors.Join(err, os.Remove(filepath.Join(d.path, name)))
		}
	}
	return err
}

func (d *Directory) file(n int) string {
	return filepath.Join(d.path, fmt.Sprintf("%s%06d%s", prefix, n, suffix))
}

// Path is where the directory is.
func (d *Directory) Path() string { return d.path }

// Close lets another run have the directory.
func (d *Directory) Close() error { return d.lock.Close() }
