package slots

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

var _ engine.Cleaner = (*Engine)(nil)

// Save writes each row as a file of a run directory in dir, which may be a URL, or in the directory for temporary
// files. Files on a disk are only synced when they are kept: until then they can be computed again, and syncing
// thousands of small files takes longer than writing them.
func (e *Engine) Save(ctx context.Context, d *engine.Dataset, dir string) (*engine.Saved, error) {
	if dir == "" {
		dir = e.options.TempDir
	}
	write, sync := func(_ context.Context, path string, content []byte) error {
		return os.WriteFile(path, content,
			0o644)
	}, syncFile
	if storage.IsURL(dir) {
		write = func(ctx context.Context, path string, content []byte) error {
			return storage.WriteFile(ctx, path, func(w io.Writer) error { _, err := w.Write(content); return err })
		}
		sync = func(string) error { return nil }
	}
	run, err := newRunDir(ctx, dir) // before anything is computed
	if err != nil {
		return nil, engine.Advised(err)
	}
	paths, err := e.writeFiles(ctx, d, run.Path, write)
	if err != nil {
		return nil, errors.Join(err, run.Remove(ctx))
	}
	return engine.NewSaved(engine.ReadFiles(e, paths), run.Path, run.Remove,
		func(ctx context.Context) error {
			for _, path := range slices.Concat(paths...) {
				if err := sync(path); err != nil {
					return err
				}
			}
			return run.Keep(ctx)
		}), nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// writeFiles calls write for each row of d, with a path in dir. A repeated attempt writes its files again.
func (e *Engine) writeFiles(ctx context.Context, d *engine.Dataset, dir string,
	write func(ctx context.Context, path string, content []byte) error) (paths [][]string, err error) {
	j, end := e.begin(ctx)
	defer func() { end(err) }()
	all := upTo(d.Partitions())
	if err := j.prepare(d, all); err != nil {
		return nil, err
	}
	err = stage(j, d, all, func(a *attempt, p int) (written []string, err error) {
		err = a.run(d, p, engine.WriterFunc(func(row engine.Row) error {
			file, err := engine.FileOf(row)
			if err != nil {
				return err
			}
			path := storage.Join(dir, filepath.Base(file.Path))
			written = append(written, path)
			if err := write(a.ctx, path, file.Content); err != nil {
				return &engine.StepError{Step: "write files", Cause: err}
			}
			return nil
		}))
		return written, err
	}, func(_ int, written []string) error {
		paths = append(paths, written)
		return nil
	})
	return paths, err
}

// Runs lists the run directories in dir, or in the directory for temporary files.
func (e *Engine) Runs(ctx context.Context, dir string) ([]engine.Run, error) {
	if dir == "" {
		dir = e.options.TempDir
	}
	if dir == "" {
		dir = os.TempDir()
	}
	return runs(ctx, dir)
}

// RemoveRun removes a run's directory.
func (e *Engine) RemoveRun(ctx context.Context, r engine.Run) error {
	return removeRun(ctx, r)
}
