package slots

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// files reads one file after the other.
func files(ctx context.Context, paths []string) engine.Rows {
	return engine.RowsFunc(func() (engine.Row, error) {
		if len(paths) == 0 {
			return engine.Row{}, io.EOF
		}
		path := paths[0]
		paths = paths[1:]
		content, err := storage.ReadWatched(ctx, path)
		if err != nil {
			changed := errors.As(err, new(*storage.ChangedError))
			if changed || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				err = engine.Permanent(err)
			}
			return engine.Row{}, &engine.StepError{Step: "read files", Cause: err}
		}
		return engine.File{Path: path, Content: content}.Row(), nil
	})
}

// ListTree lists a directory and all directories below it.
func (e *Engine) ListTree(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return engine.StoredTree(ctx, dir)
}

// ListFiles lists a directory of this machine, or of a storage that has URLs.
func (e *Engine) ListFiles(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return engine.StoredFiles(ctx, dir)
}
