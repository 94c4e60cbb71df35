package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Output is a file being written. Commit makes it appear under its name; Close without Commit keeps the old file.
type Output struct {
	ctx    context.Context
	path   string
	temp   *os.File   // nil after Commit and Close
	remote FileSystem // nil for a local file
}

// Create starts to write a file, which replaces an existing one. Until Commit the bytes go to a temporary file: in the
// same directory or, for a URL, in this machine's temporary directory. If the path is a symbolic link, the file that
// it points to is replaced. A directory, a pipe or a device is an error, because a file would replace it. The context
// also governs Commit.
func Create(ctx context.Context, path string) (*Output, error) {
	r, path, err := remote(path)
	if err != nil {
		return nil, err
	}
	if r != nil {
		temp, err := os.CreateTemp("", "dl4go-*.tmp")
		if err != nil {
			return nil, fmt.Errorf("%s can't be written: what is to go there is put together on this machine (TMPDIR): %w",
				path, err)
		}
		os.Remove(temp.Name()) // it vanishes with this process then; on Windows, Close removes it
		return &Output{ctx, path, temp, r}, nil
	}
	if path, err = behindLinks(path); err != nil {
		return nil, err
	}
	temp, err := createTemp(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // without the temporary name
		}
		if dir := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) {
			err = noDirectory(dir)
		}
		return nil, fmt.Errorf("%s can't be written: %w", path, err)
	}
	return &Output{ctx, path, temp, nil}, nil
}

// noDirectory is the error of a file in a directory that does not exist.
type noDirectory string

func (d noDirectory) Error() string {
	return fmt.Sprintf("the directory %s does not exist; make it", string(d))
}

func (noDirectory) Unwrap() error { return fs.ErrNotExist }

// behindLinks returns the path of the file to be written, after following links. It may not exist yet.
func behindLinks(path string) (string, error) {
	name := path
	for range 40 {
		st, err := os.Lstat(path)
		switch {
		case err != nil || st.Mode().IsRegular():
			return path, nil // if the file can't be created either, that error says why
		case st.IsDir():
			return "", &fs.PathError{Op: "create", Path: name, Err: errors.New("is a directory, not a file")}
		case st.Mode()&fs.ModeSymlink == 0:
			return "", &fs.PathError{Op: "create", Path: name, Err: errors.New("is not a regular file")}
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &fs.PathError{Op: "create", Path: name, Err: errors.New("too many symbolic links")}
}

// createTemp creates a file beside path with the permissions of the user's umask, unlike os.CreateTemp.
func createTemp(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Write writes to the temporary file, unbuffered.
func (o *Output) Write(b []byte) (int, error) {
	if o.temp == nil {
		return 0, os.ErrClosed
	}
	n, err := o.temp.Write(b)
	var p *fs.PathError
	if errors.As(err, &p) {
		where := ""
		if o.remote != nil {
			where = fmt.Sprintf("what is to go there is put together in %s on this machine (TMPDIR): ",
				filepath.Dir(o.temp.Name()))
		}
		err = fmt.Errorf("%s can't be written: %s%w", o.path, where, p.Err)
	}
	return n, err
}

// Seek moves to another place of the temporary file.
func (o *Output) Seek(offset int64, whence int) (int64, error) {
	if o.temp == nil {
		return 0, os.ErrClosed
	}
	return o.temp.Seek(offset, whence)
}

// Commit makes the file durable and moves it to its place.
func (o *Output) Commit() error {
	if o.temp == nil {
		return os.ErrClosed
	}
	defer o.Close()
	if o.remote != nil {
		return o.put()
	}
	name := o.temp.Name()
	if st, err := os.Stat(o.path); err == nil {
		if err := o.temp.Chmod(st.Mode().Perm()); err != nil {
			return fmt.Errorf("%s can't be written: %w", o.path, err)
		}
	}
	if err := errors.Join(o.temp.Sync(), o.temp.Close()); err != nil {
		return fmt.Errorf("%s can't be written: %w", o.path, err)
	}
	if err := os.Rename(name, o.path); err != nil {
		return fmt.Errorf("%s can't be written: %w", o.path, err)
	}
	o.temp = nil
	return syncDir(filepath.Dir(o.path))
}

// put stores the temporary file at its URL.
func (o *Output) put() error {
	size, err := o.temp.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = o.temp.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("%s can't be written: %w", o.path, err)
	}
	return o.remote.Put(o.ctx, o.path, o.temp, size)
}

// Close discards the file if it was not committed.
func (o *Output) Close() error {
	if o.temp == nil {
		return nil
	}
	o.temp.Close()
	err := os.Remove(o.temp.Name())
	if o.remote != nil && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	o.temp = nil
	return err
}
