package external

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// compressed is the file system of the scheme gz: gz:///dir/file is the local file /dir/file.gz, compressed.
type compressed struct{}

func init() { storage.Register("gz", compressed{}) }

const scheme, ending = "gz://", ".gz"

func local(url string) string { return filepath.FromSlash(strings.TrimPrefix(url, scheme)) + ending }

// file is an open file: its content, in memory.
type file struct {
	*bytes.Reader
	modified time.Time
}

func (f file) ModTime() time.Time { return f.modified }

func (f file) Close() error { return nil }

// Open reads and expands the whole file.
func (compressed) Open(ctx context.Context, url string) (storage.File, error) {
	f, err := os.Open(local(url))
	if err != nil {
		return nil, named("open", url, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, named("open", url, err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, named("open", url, err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		return nil, named("read", url, err)
	}
	return file{bytes.NewReader(content), info.ModTime()}, ctx.Err()
}

// Put writes a temporary file and renames it, so that the file appears complete or not at all.
func (compressed) Put(ctx context.Context, url string, content io.Reader, _ int64) error {
	at := local(url)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return named("write", url, err)
	}
	f, err := os.CreateTemp(filepath.Dir(at), ".gz-")
	if err != nil {
		return named("write", url, err)
	}
	defer os.Remove(f.Name()) // which fails when all is well
	if err := errors.Join(compress(f, content), ctx.Err()); err != nil {
		return named("write", url, err)
	}
	return named("write", url, os.Rename(f.Name(), at))
}

// PutNew writes a file only where there is none. Directories of checkpoints need it.
func (compressed) PutNew(ctx context.Context, url string, content []byte) error {
	at := local(url)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return named("write", url, err)
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return named("write", url, err)
	}
	return named("write", url, compress(f, bytes.NewReader(content)))
}

// compress writes and closes a file.
func compress(f *os.File, content io.Reader) error {
	z := gzip.NewWriter(f)
	_, err := io.Copy(z, content)
	return errors.Join(err, z.Close(), f.Sync(), f.Close())
}

// CheckWritable makes a temporary file and removes it.
func (compressed) CheckWritable(_ context.Context, url string) error {
	at := filepath.Dir(local(url))
	if err := os.MkdirAll(at, 0o777); err != nil {
		return named("write", url, err)
	}
	f, err := os.CreateTemp(at, ".gz-")
	if err != nil {
		return named("write", url, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// List gives the files of a directory. Their sizes stand at the end of each.
func (compressed) List(ctx context.Context, dir string) ([]storage.Entry, error) {
	at := strings.TrimSuffix(local(dir), ending)
	all, err := os.ReadDir(at)
	if err != nil {
		return nil, named("list", dir, err)
	}
	var entries []storage.Entry
	for _, e := range all {
		name, ours := strings.CutSuffix(e.Name(), ending)
		if !ours || e.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(at, e.Name()))
		if err != nil || len(b) < 4 {
			return nil, named("list", dir, errors.Join(err, ctx.Err()))
		}
		size := binary.LittleEndian.Uint32(b[len(b)-4:])
		entries = append(entries, storage.Entry{URL: strings.TrimSuffix(dir, "/") + "/" + name, Size: int64(size)})
	}
	return entries, ctx.Err()
}

// Remove removes a file.
func (compressed) Remove(_ context.Context, url string) error {
	return named("remove", url, os.Remove(local(url)))
}

// Lend lets workers on other machines read files: as this file system needs no credentials, a loan is the URL.
func (c compressed) Lend(ctx context.Context, urls []string, _ time.Duration) ([]storage.Loan, error) {
	var loans []storage.Loan
	for _, url := range urls {
		f, err := c.Open(ctx, url)
		if err != nil {
			return nil, err
		}
		loans = append(loans, storage.Loan{URL: url, Size: f.Size(), Modified: f.ModTime()})
	}
	return loans, nil
}

// Borrow opens a file that was lent, unless it has changed since.
func (c compressed) Borrow(ctx context.Context, l storage.Loan) (io.ReadCloser, error) {
	f, err := c.Open(ctx, l.URL)
	if err == nil && !f.ModTime().Equal(l.Modified) {
		return nil, named("read", l.URL, storage.ErrLapsed)
	}
	return f, err
}

// named is an error that says what was to be done with which URL.
func named(op, url string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &fs.PathError{Op: op, Path: url, Err: err}
}
