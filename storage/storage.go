// Package storage reads and writes whole files. A file that is written appears complete or not at all.
package storage

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Input is an open file.
type Input struct {
	*os.File
	Size int64
}

// Open opens a file for reading. A directory is an error.
func Open(path string) (*Input, error) {
	if err := local(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory, not a file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Input{f, st.Size()}, nil
}

// Output is a file being written. Commit makes it appear under its name; Close without Commit leaves what was there.
type Output struct {
	path string
	temp *os.File // nil after Commit and Close
}

// Create starts writing a file, in place of one that may be there. What is written goes to a temporary file in the
// same directory until Commit. A symbolic link stays: the file that it leads to is replaced. What is no file, such as a
// directory, a pipe or a device, is an error, as it would be replaced by one.
func Create(path string) (*Output, error) {
	if err := local(path); err != nil {
		return nil, err
	}
	path, err := behindLinks(path)
	if err != nil {
		return nil, err
	}
	temp, err := createTemp(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // without the temporary name
		}
		return nil, fmt.Errorf("%s can't be written: %w", path, err)
	}
	return &Output{path, temp}, nil
}

// behindLinks gives the path of the file that is to be written, which may not be there yet.
func behindLinks(path string) (string, error) {
	name := path
	for range 40 {
		st, err := os.Lstat(path)
		switch {
		case err != nil || st.Mode().IsRegular():
			return path, nil // if the file can't be created either, that says why
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

// createTemp creates a file beside path with the permissions that the user's umask gives, unlike os.CreateTemp.
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
	return o.temp.Write(b)
}

// Seek moves to another place of the temporary file.
func (o *Output) Seek(offset int64, whence int) (int64, error) {
	if o.temp == nil {
		return 0, os.ErrClosed
	}
	return o.temp.Seek(offset, whence)
}

// Commit makes the file durable and puts it in its place.
func (o *Output) Commit() error {
	if o.temp == nil {
		return os.ErrClosed
	}
	defer o.Close()
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

// Close gives up what was not committed.
func (o *Output) Close() error {
	if o.temp == nil {
		return nil
	}
	o.temp.Close()
	err := os.Remove(o.temp.Name())
	o.temp = nil
	return err
}

// WriteFile has write write the file, buffered, and commits it if that succeeds.
func WriteFile(path string, write func(io.Writer) error) error {
	o, err := Create(path)
	if err != nil {
		return err
	}
	defer o.Close()
	b := bufio.NewWriterSize(o, 256<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("%s can't be written: %w", path, err)
	}
	return o.Commit()
}

// CheckWritable fails if WriteFile could not write the file now. It leaves nothing behind.
func CheckWritable(path string) error {
	o, err := Create(path)
	if err != nil {
		return err
	}
	return o.Close()
}

// local fails for the URL of something that is not a local file.
func local(path string) error {
	if scheme, _, ok := strings.Cut(path, "://"); ok && !strings.ContainsAny(scheme, `/\.`) {
		return fmt.Errorf("%s: files are local here, and nothing is known of %s://", path, scheme)
	}
	if path == "" {
		return errors.New("a file's name is empty")
	}
	return nil
}
