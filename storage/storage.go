// Package storage reads and writes whole files: local ones, and those at URLs of registered file systems (storage/s3,
// storage/hdfs). A written file appears complete or not at all.
//
// All functions take a context. When it is done, requests to servers end at once, including those of files opened with
// it. Local files ignore it.
package storage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dl4go/dl4go/internal/checkup"
)

// localFile is a local File.
type localFile struct {
	*os.File
	info fs.FileInfo
}

func (f localFile) Size() int64 { return f.info.Size() }

func (f localFile) ModTime() time.Time { return f.info.ModTime() }

// Open opens a file for reading. A directory is an error. For a URL, the context also governs the file's reads, until
// it is closed.
func Open(ctx context.Context, path string) (File, error) {
	r, path, err := remote(path)
	if err != nil {
		return nil, err
	}
	if r != nil {
		return r.Open(ctx, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory, not a file")}
	}
	if err == nil && endless(st) {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("is a device, not a file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return localFile{f, st}, nil
}

// endless reports whether a file is a device, such as /dev/zero. Standard input and /dev/null don't count.
func endless(st fs.FileInfo) bool {
	if st.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	if in, err := os.Stdin.Stat(); err == nil && os.SameFile(st, in) {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}

// maxPiped is the maximum number of bytes that ReadFile reads from a pipe.
const maxPiped = 1 << 30

// ReadFile reads a whole file. From a pipe, whose size is unknown, it reads at most a gigabyte.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	f, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readWhole(f, path)
}

// readWhole reads a file to its end.
func readWhole(f File, path string) ([]byte, error) {
	if err := checkup.Fits(f.Size()); err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	var b bytes.Buffer
	b.Grow(int(f.Size()) + bytes.MinRead)
	most := max(f.Size(), maxPiped)
	_, err := b.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(b.Len()) > most {
		err = &fs.PathError{Op: "read", Path: path,
			Err: fmt.Errorf("more than %d bytes come from it: name a file that does not grow", most)}
	}
	return b.Bytes(), err
}

// WriteFile writes a file: it calls write with a buffered writer, and commits the file if write succeeds.
func WriteFile(ctx context.Context, path string, write func(io.Writer) error) error {
	o, err := Create(ctx, path)
	if err != nil {
		return err
	}
	defer o.Close()
	b := bufio.NewWriterSize(o, 256<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return o.Commit()
}

// WriteNew stores a small file. If there is one of that name, it fails with fs.ErrExist. If several try at once, one
// succeeds. If the response is lost, it may fail with fs.ErrExist though it created the file. On some file systems the
// file is visible as empty for a moment. For a URL, the file system must be a [NewPutter].
func WriteNew(ctx context.Context, path string, content []byte) error {
	r, path, err := remote(path)
	if err != nil {
		return err
	}
	if r != nil {
		if m, ok := r.(NewPutter); ok {
			return m.PutNew(ctx, path, content)
		}
		return fmt.Errorf("%s: its file system can't make a file only where there is none: %w", path, errors.ErrUnsupported)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
		return fmt.Errorf("%s can't be written: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// CheckWritable fails if WriteFile could not write the file now. It leaves nothing behind.
func CheckWritable(ctx context.Context, path string) error {
	r, path, err := remote(path)
	if err != nil {
		return err
	}
	if r != nil {
		return r.CheckWritable(ctx, path)
	}
	o, err := Create(ctx, path)
	if err != nil {
		return err
	}
	return o.Close()
}
