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

// file is an event file. On this machine's disk it grows by what is appended, so that a TensorBoard that reads it goes
// on; on S3 and HDFS it is written whole each time.
type file struct {
	path    string
	content []byte // of a URL
}

// create makes a new event file in a directory, beside those of others.
func create(ctx context.Context, dir string, at time.Time) (*file, error) {
	for i := range 1000 {
		name := fmt.Sprintf("events.out.tfevents.%010d.dl4go.%d.%d", at.Unix(), os.Getpid(), i)
		f := &file{path: storage.Join(dir, name)}
		if !storage.IsURL(dir) {
			var err error
			if f.path, err = storage.Path(f.path); err != nil {
				return nil, err
			}
			if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
				return nil, err
			}
			out, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out.Close()
		} else if there, err := storage.Exists(ctx, f.path); err != nil {
			return nil, err
		} else if there {
			continue
		}
		return f, f.append(ctx, appendRecord(nil, event(at, 0).text(eventVersion, "brain.Event:2")))
	}
	return nil, fmt.Errorf("%s: it has a thousand event files of this second", dir)
}

// append adds records.
func (f *file) append(ctx context.Context, b []byte) error {
	if storage.IsURL(f.path) {
		f.content = append(f.content, b...)
		return storage.WriteFile(ctx, f.path, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
	}
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return errors.Join(err, out.Close())
}
