package tensorboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// file is an event file. On this machine's disk, records are appended, so that a TensorBoard that reads it sees them;
// on S3 and HDFS it is rewritten each time. Records that could not be written are written with the next ones.
type file struct {
	dir     string
	at      time.Time // when it was started
	path    string    // empty until the file exists
	content []byte    // bytes not written yet; for a URL all bytes
}

// begin starts a file in a directory. It is created with the first records, beside other runs' files.
func begin(dir string, at time.Time) *file {
	return &file{dir: dir, at: at, content: appendRecord(nil, event(at, 0).text(eventVersion, "brain.Event:2"))}
}

// create creates the file, under an unused name.
func (f *file) create(ctx context.Context) error {
	for i := range 1000 {
		path := storage.Join(f.dir, fmt.Sprintf("events.out.tfevents.%010d.dl4go.%d.%d", f.at.Unix(), os.Getpid(), i))
		if !storage.IsURL(f.dir) {
			var err error
			if path, err = storage.Path(path); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err != nil {
				return err
			}
			out.Close()
		} else if there, err := storage.Exists(ctx, path); err != nil {
			return err
		} else if there {
			continue
		}
		f.path = path
		return nil
	}
	return fmt.Errorf("%s: it has a thousand event files of this second", f.dir)
}

// append adds records.
func (f *file) append(ctx context.Context, b []byte) error {
	if f.content = append(f.content, b...); len(f.content) == 0 {
		return nil
	}
	if f.path == "" {
		if err := f.create(ctx); err != nil {
			return err
		}
	}
	if storage.IsURL(f.path) {
		return storage.WriteFile(ctx, f.path, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
	}
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	before, err := out.Stat()
	if err != nil {
		return err
	}
	if _, err := out.Write(f.content); err != nil { // part of a record would spoil the following ones
		return errors.Join(err, out.Truncate(before.Size()))
	}
	f.content = nil
	return nil
}
