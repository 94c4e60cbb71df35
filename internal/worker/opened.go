package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// The marks begin a reference to a file that this process's workers see under its name, with its stamp, and the
// contents of a pipe.
const (
	stampMark = "file "
	pipeMark  = "pipe "
)

// Refer returns a reference to a file for [Fetch.Opened], for engines whose workers see the same files as the driver.
func Refer(ctx context.Context, path string) ([]byte, error) {
	stamp, piped, err := storage.StampOf(ctx, path)
	if err != nil || piped != nil {
		return append([]byte(pipeMark), piped...), err
	}
	b, err := json.Marshal(stamp)
	return append([]byte(stampMark), b...), err
}

// opener is a worker whose tasks open files by references.
type opener struct {
	engine.Worker
	run *run
	how Fetch
}

// OpenFile opens the file of a row.
func (o opener) OpenFile(ctx context.Context, f engine.File) (storage.File, error) {
	if len(f.Content) == 0 {
		return engine.InMemory(nil), nil
	}
	if piped, ok := bytes.CutPrefix(f.Content, []byte(pipeMark)); ok {
		return engine.InMemory(piped), nil
	}
	opened := &openedFile{run: o.run}
	if stamp, ok := bytes.CutPrefix(f.Content, []byte(stampMark)); ok {
		var seen storage.Stamp
		err := json.Unmarshal(stamp, &seen)
		if err == nil {
			opened.File, err = storage.OpenStamped(ctx, f.Path, seen)
		}
		return opened, opened.check(err)
	}
	ref, err := o.run.reference(o.how, f.Content)
	if err != nil {
		return nil, err
	}
	opened.ref = &ref
	opened.File, err = ref.open(ctx)
	return opened, opened.check(err)
}

// openedFile is a file that an operation reads. Its errors end the task, even if the operation swallows them.
type openedFile struct {
	storage.File
	run *run
	ref *reference // nil for a file that all workers see
}

// check notes an error of the file.
func (f *openedFile) check(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	switch changed := errors.As(err, new(*storage.ChangedError)); {
	case f.ref != nil && !changed && !errors.Is(err, storage.ErrLapsed):
		err = &UnreadError{f.ref.URL, err}
	case f.ref == nil && (changed || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
		err = engine.Permanent(err)
	}
	return f.run.fail(&engine.StepError{Step: "read files", Cause: err})
}

// Read reads on.
func (f *openedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.check(err)
}

// ReadAt reads at an offset.
func (f *openedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	return n, f.check(err)
}

// Close fails if the file has changed.
func (f *openedFile) Close() error {
	var changed error
	if f.ref != nil && !f.ref.lent {
		changed = f.ref.is(f.File)
	}
	return f.check(errors.Join(changed, f.File.Close()))
}
