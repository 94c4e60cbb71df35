package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/dl4go/dl4go/storage"
)

// The sizes of range requests: the first is small, and each one that continues the last is twice as large.
const (
	firstRead = 64 << 10
	mostRead  = 8 << 20
)

// opened is an object being read. It requests ranges, and keeps the last two, because a reader of a zip file
// alternates between its directory and its entries.
type opened struct {
	ctx    context.Context // of all requests
	client *client
	object object
	etag   string
	size   int64
	stored time.Time

	mu     sync.Mutex
	at     int64     // of Read
	ranges [2]window // the last used one is first
	closed bool
}

// window is a range that has been read.
type window struct {
	from  int64
	bytes []byte
}

func (w *window) end() int64 { return w.from + int64(len(w.bytes)) }

// Open requests the beginning of the object. An error response to this says more than one to a request for the
// object's existence.
func (f *FileSystem) Open(ctx context.Context, url string) (storage.File, error) {
	o, c, err := f.reach(url)
	if err != nil {
		return nil, err
	}
	in := &opened{ctx: ctx, client: c, object: o, size: -1}
	in.ranges[0].bytes, err = in.fetch(0, firstRead)
	if err != nil {
		return nil, err
	}
	return in, nil
}

// fetch reads a range. The response to the first request has the object's size and version.
func (f *opened) fetch(from, length int64) ([]byte, error) {
	var b []byte
	err := f.client.again(f.ctx, func() (err error) {
		b, err = f.try(from, length)
		return err
	})
	if err != nil {
		return nil, f.client.explain("read", f.object, err)
	}
	return b, nil
}

func (f *opened) try(from, length int64) (b []byte, err error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(from, from+length-1); err != nil {
		return nil, settled{err}
	}
	if f.etag != "" {
		if err := options.SetMatchETag(f.etag); err != nil {
			return nil, settled{err}
		}
	}
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	body, info, header, err := minio.Core{Client: f.client.Client}.GetObject(ctx, f.object.bucket, f.object.key, options)
	if minio.ToErrorResponse(err).Code == minio.InvalidRange && f.size < 0 {
		return nil, f.empty(ctx)
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	size := info.Size
	if r := header.Get("Content-Range"); r != "" {
		_, total, _ := strings.Cut(r, "/")
		if size, err = strconv.ParseInt(total, 10, 64); err != nil || size < 0 {
			return nil, settled{fmt.Errorf("the server answers with the range %q", r)}
		}
	} else if from > 0 {
		return nil, settled{errors.New("the server does not read ranges of objects")}
	}
	if f.size >= 0 && (size != f.size || info.ETag != f.etag) {
		return nil, settled{errChanged}
	}
	b = make([]byte, min(length, size-from))
	if _, err := io.ReadFull(body, b); err != nil {
		return nil, fmt.Errorf("the connection broke: %w", err)
	}
	f.size, f.etag, f.stored = size, info.ETag, info.LastModified
	return b, nil
}

// empty checks that an object without readable ranges is empty.
func (f *opened) empty(ctx context.Context) error {
	info, err := f.client.StatObject(ctx, f.object.bucket, f.object.key, minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	if info.Size != 0 {
		return settled{errChanged}
	}
	f.size, f.etag, f.stored = info.Size, info.ETag, info.LastModified
	return nil
}

var errChanged = errors.New("it was changed while it was read: read it again")

func (f *opened) Size() int64 { return f.size }

func (f *opened) ModTime() time.Time { return f.stored }

// Version is the ETag: [storage.Stamp].
func (f *opened) Version() string { return strings.Trim(f.etag, `"`) }

func (f *opened) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.read(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *opened) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: f.object.url, Err: fs.ErrInvalid}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for n < len(p) && err == nil {
		var m int
		m, err = f.read(p[n:], off+int64(n))
		n += m
	}
	return n, err
}

// read reads from one range, and fetches it if necessary.
func (f *opened) read(p []byte, at int64) (int, error) {
	switch {
	case f.closed:
		return 0, &fs.PathError{Op: "read", Path: f.object.url, Err: fs.ErrClosed}
	case len(p) == 0:
		return 0, nil
	case at >= f.size:
		return 0, io.EOF
	}
	if w := f.ranges[1]; at >= w.from && at < w.end() {
		f.ranges[0], f.ranges[1] = w, f.ranges[0]
	}
	if w := f.ranges[0]; at < w.from || at >= w.end() {
		length := int64(firstRead)
		for _, w := range f.ranges {
			if at == w.end() && at > 0 {
				length = max(length, 2*int64(len(w.bytes)))
			}
		}
		length = min(max(length, int64(len(p))), mostRead, f.size-at)
		b, err := f.fetch(at, length)
		if err != nil {
			return 0, err
		}
		f.ranges[0], f.ranges[1] = window{at, b}, w
	}
	w := f.ranges[0]
	return copy(p, w.bytes[at-w.from:]), nil
}

func (f *opened) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 || f.closed {
		return 0, &fs.PathError{Op: "seek", Path: f.object.url, Err: fs.ErrInvalid}
	}
	f.at = offset
	return offset, nil
}

func (f *opened) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.ranges = true, [2]window{}
	return nil
}
