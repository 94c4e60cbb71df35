package slots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
	"github.com/dl4go/dl4go/storage"
)

// files reads one file after the other, or refers to it.
func files(ctx context.Context, plan engine.Files, p int) engine.Rows {
	paths := plan.Partitions[p]
	var cuts []engine.Cut
	if plan.Cuts != nil {
		cuts = plan.Cuts[p]
	}
	return engine.RowsFunc(func() (engine.Row, error) {
		if len(paths) == 0 {
			return engine.Row{}, io.EOF
		}
		path := paths[0]
		paths = paths[1:]
		content, err := []byte(nil), error(nil)
		switch {
		case plan.Opened:
			content, err = worker.Refer(ctx, path)
		case cuts != nil:
			content, err = cut(ctx, path, cuts[0])
			cuts = cuts[1:]
		default:
			content, err = storage.ReadWatched(ctx, path)
		}
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

// cut reads a piece of a file.
func cut(ctx context.Context, path string, c engine.Cut) ([]byte, error) {
	f, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, n := c.Of(f.Size())
	b := make([]byte, n)
	if n == 0 {
		return b, nil
	}
	if k, err := f.ReadAt(b, from); k < len(b) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// ListTree lists a directory and all directories below it.
func (e *Engine) ListTree(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return engine.StoredTree(ctx, dir)
}

// ListFiles lists a directory of this machine, or of a storage that has URLs.
func (e *Engine) ListFiles(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return engine.StoredFiles(ctx, dir)
}
