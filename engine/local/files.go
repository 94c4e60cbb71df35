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
