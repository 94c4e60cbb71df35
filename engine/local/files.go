package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// files reads one file after the other.
func files(paths []string) engine.Rows {
	return engine.RowsFunc(func() (engine.Row, error) {
		if len(paths) == 0 {
			return engine.Row{}, io.EOF
		}
		path := paths[0]
		paths = paths[1:]
		content, err := readFile(path)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				err = engine.Permanent(err)
			}
			return engine.Row{}, &engine.StepError{Step: "read files", Cause: err}
		}
		return engine.File{Path: path, Content: content}.Row(), nil
	})
}

func readFile(path string) ([]byte, error) {
	f, err := storage.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content := make([]byte, f.Size)
	if _, err := io.ReadFull(f, content); err != nil && err != io.EOF {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return content, nil
}

// WriteFiles writes the rows of d as files of this machine.
func (e *Engine) WriteFiles(ctx context.Context, d *engine.Dataset, dir string) ([][]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	j, end := e.begin(ctx)
	defer end()
	all := upTo(d.Partitions())
	if err := j.prepare(d, all); err != nil {
		return nil, err
	}
	var paths [][]string
	err := stage(j, all, func(a *attempt, p int) (written []string, err error) {
		err = a.run(d, p, engine.WriterFunc(func(row engine.Row) error {
			file, err := engine.FileOf(row)
			if err != nil {
				return err
			}
			path := filepath.Join(dir, filepath.Base(file.Path))
			written = append(written, path)
			if err = writeFile(path, file.Content); err != nil {
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

// writeFile gives the file its name when it is complete. It does not sync: what is written here was computed and can be
// again, and syncing thousands of small files takes longer than writing them.
func writeFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".dl4go-")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// ListFiles lists a directory of this machine.
func (e *Engine) ListFiles(_ context.Context, dir string) ([]engine.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []engine.FileInfo
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			files = append(files, engine.FileInfo{Path: path, Size: info.Size()})
		}
	}
	return files, nil
}

// RemoveFiles removes files of this machine.
func (e *Engine) RemoveFiles(_ context.Context, paths []string) error {
	var failed []error
	dirs := make(map[string]bool)
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
		dirs[filepath.Dir(path)] = true
	}
	for dir := range dirs {
		if left, err := os.ReadDir(dir); err == nil && len(left) == 0 {
			failed = append(failed, os.Remove(dir))
		}
	}
	return errors.Join(failed...)
}
