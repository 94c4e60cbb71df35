package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// List returns the files directly in a directory, but no directories, in the order of their names, including hidden
// ones (.name, _name). The error for a missing directory is fs.ErrNotExist.
func List(ctx context.Context, dir string) ([]Entry, error) {
	r, dir, err := remote(dir)
	if err != nil {
		return nil, err
	}
	if r != nil {
		return r.List(ctx, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []Entry
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		st, err := os.Stat(path) // follows links
		switch {
		case errors.Is(err, fs.ErrNotExist) && Hidden(path): // editors leave dangling links
		case err != nil:
			return nil, err
		case st.Mode().IsRegular():
			files = append(files, Entry{path, st.Size()})
		}
	}
	return files, nil
}

// Directories returns the directories directly in a directory, without links. The error for a missing directory is
// fs.ErrNotExist. For a URL, the file system must be a [DirectoryLister].
func Directories(ctx context.Context, dir string) (dirs []string, err error) {
	r, dir, err := remote(dir)
	if err != nil {
		return nil, err
	}
	if r != nil {
		if m, ok := r.(DirectoryLister); ok {
			return m.Directories(ctx, dir)
		}
		return nil, fmt.Errorf("%s: its file system can't list directories: %w", dir, errors.ErrUnsupported)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(dir, e.Name()))
		}
	}
	return dirs, err
}

// Files returns the file of that name or, for a directory (isDir), the files directly in it, as List does.
func Files(ctx context.Context, name string) (files []Entry, isDir bool, err error) {
	r, name, err := remote(name)
	if err != nil {
		return nil, false, err
	}
	if r == nil {
		st, err := os.Stat(name)
		if err != nil {
			return nil, false, err
		}
		if !st.IsDir() {
			return []Entry{{name, st.Size()}}, false, nil
		}
		files, err = List(ctx, name)
		return files, true, err
	}
	var opened error
	if !strings.HasSuffix(name, "/") {
		var f File
		if f, opened = Open(ctx, name); opened == nil {
			defer f.Close()
			return []Entry{{name, f.Size()}}, false, nil
		}
	}
	if files, err = List(ctx, name); err != nil {
		if opened != nil {
			err = opened
		}
		return nil, false, err
	}
	return files, true, nil
}

// Hidden reports whether programs hide a file of this name: it starts with a dot or an underscore.
func Hidden(name string) bool {
	base := Base(name)
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// Remove removes a file.
func Remove(ctx context.Context, name string) error {
	r, name, err := remote(name)
	if err != nil {
		return err
	}
	if r != nil {
		return r.Remove(ctx, name)
	}
	return os.Remove(name)
}

// RemoveAll removes a directory with its content. For a URL it removes the files directly in it, hidden ones last, and
// stops at one that can't be removed. A missing directory is no error. If the file system is a [DirectoryRemover], it
// removes the directory itself.
func RemoveAll(ctx context.Context, dir string) error {
	r, dir, err := remote(dir)
	if err != nil {
		return err
	}
	if r == nil {
		return os.RemoveAll(dir)
	}
	if m, ok := r.(DirectoryRemover); ok {
		return m.RemoveAll(ctx, dir)
	}
	files, err := r.List(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	slices.SortStableFunc(files, func(a, b Entry) int { return hidden(a) - hidden(b) })
	for _, f := range files {
		if err := r.Remove(ctx, f.URL); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func hidden(e Entry) int {
	if Hidden(e.URL) {
		return 1
	}
	return 0
}

// Sweep removes temporary files that killed processes left directly in a directory, for files whose names begin with
// the prefix. No process may be writing there. A missing directory is not an error. For a URL, this has an effect only
// if the file system is a [Sweeper].
func Sweep(ctx context.Context, dir, prefix string) error {
	r, dir, err := remote(dir)
	if err != nil {
		return err
	}
	if r != nil {
		if m, ok := r.(Sweeper); ok {
			return m.Sweep(ctx, dir, prefix)
		}
		return nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+prefix) && strings.HasSuffix(e.Name(), ".tmp") {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// Exists reports whether there is a file of that name, or a local directory.
func Exists(ctx context.Context, name string) (bool, error) {
	r, name, err := remote(name)
	if err != nil {
		return false, err
	}
	if r == nil {
		_, err = os.Stat(name)
	} else {
		var f File
		if f, err = r.Open(ctx, name); err == nil {
			f.Close()
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// MkdirAll creates a directory and its missing parents. For a URL, this has an effect only if the file system is a
// [DirectoryMaker].
func MkdirAll(ctx context.Context, dir string) error {
	r, dir, err := remote(dir)
	if err != nil {
		return err
	}
	if r == nil {
		return os.MkdirAll(dir, 0o777)
	}
	if m, ok := r.(DirectoryMaker); ok {
		return m.MkdirAll(ctx, dir)
	}
	return nil
}

// Join returns the name of a file in a directory. The directory may be a URL.
func Join(dir, name string) string {
	if IsURL(dir) {
		scheme, path, _ := strings.Cut(dir, "://")
		return scheme + "://" + strings.TrimRight(path, "/") + "/" + name
	}
	if path, err := Path(dir); err == nil {
		dir = path
	} else {
		return dir + "/" + name // using it returns that error
	}
	return filepath.Join(dir, name)
}

// Base returns the last element of a path or a URL.
func Base(name string) string {
	return name[strings.LastIndexAny(name, `/`+string(filepath.Separator))+1:]
}
