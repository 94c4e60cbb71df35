package hdfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"
)

const (
	bufferSize  = 64 << 10
	idleCursors = 4 // kept by a file
)

// file is an open file. It is read through cursors, so that several parts can be read at once.
type file struct {
	place
	info   *hdfs.FileInfo
	offset int64 // of Read

	mu     sync.Mutex
	idle   []*cursor // those that have been idle longest are first
	closed bool
}

// identity distinguishes a file from one that has replaced it.
func identity(i os.FileInfo) uint64 { return i.(*hdfs.FileInfo).Sys().(*hdfs.FileStatus).GetFileId() }

// open opens a file and reads its first bytes, to make sure that they can be read.
func open(p place) (*file, error) {
	f := &file{place: p}
	err := p.do("open", func(c *client) error {
		st, err := c.Stat(p.path)
		switch {
		case err != nil:
			return err
		case st.IsDir():
			return errDirectory
		}
		f.info = st.(*hdfs.FileInfo)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := f.ReadAt(make([]byte, min(1, f.Size())), 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Size returns the file's length when it was opened.
func (f *file) Size() int64 { return f.info.Size() }

// ModTime returns when the file was written, by the name node's clock.
func (f *file) ModTime() time.Time { return f.info.ModTime() }

// Read reads from the current offset.
func (f *file) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := f.ReadAt(b[:min(int64(len(b)), max(f.Size()-f.offset, 1))], f.offset)
	f.offset += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// Seek sets the offset of Read. It may be beyond the end.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.Size()
	default:
		return f.offset, f.error("seek", nil, fs.ErrInvalid)
	}
	if offset < 0 {
		return f.offset, f.error("seek", nil, errors.New("the offset is negative"))
	}
	f.offset = offset
	return offset, nil
}

// ReadAt can be called by many goroutines at once.
func (f *file) ReadAt(b []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, f.error("read", nil, errors.New("the offset is negative"))
	}
	whole := len(b)
	b = b[:max(0, min(int64(whole), f.Size()-offset))]
	for failures := 0; n < len(b); {
		cur, err := f.cursor(offset + int64(n))
		if err != nil {
			return n, err
		}
		var m int
		m, err = cur.read(b[n:], offset+int64(n))
		n += m
		if err == nil {
			f.put(cur)
			failures = 0
			continue
		}
		// A data node or the name node was lost, or the name node's information about data nodes is outdated.
		lost := connectionLost(err)
		if lost && f.ctx.Err() != nil {
			cur.close(true)
			return n, f.error("read", nil, f.ended(err))
		}
		if lost {
			err = fmt.Errorf("the data nodes that have byte %d don't give it: %w%s", offset+int64(n), err, cur.client.hint())
		}
		err = f.error("read", cur.client, err)
		cur.close(lost)
		if failures++; !lost || failures == 2 {
			return n, err
		}
	}
	if len(b) < whole {
		return n, io.EOF
	}
	return n, nil
}

// cursor returns the idle cursor that is best for reading at an offset, or a new one.
func (f *file) cursor(offset int64) (*cursor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, f.error("read", nil, fs.ErrClosed)
	}
	best := slices.IndexFunc(f.idle, func(c *cursor) bool { return c.near(offset) })
	if best < 0 && len(f.idle) == idleCursors {
		best = 0
	}
	if best < 0 {
		f.mu.Unlock()
		defer f.mu.Lock()
		return newCursor(f)
	}
	c := f.idle[best]
	f.idle = slices.Delete(f.idle, best, best+1)
	return c, nil
}

func (f *file) put(c *cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.idle) == idleCursors {
		c.close(false)
		return
	}
	f.idle = append(f.idle, c)
}

// Close closes the file. Reads in progress may still succeed.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.idle {
		c.close(false)
	}
	f.idle, f.closed = nil, true
	return nil
}

// cursor is a position in a file, with some bytes that were read ahead.
type cursor struct {
	file    *file
	client  *client
	reader  *hdfs.FileReader
	offset  int64  // of the reader
	buffer  []byte // the bytes before it
	checked bool   // the reader is known to have the blocks of the opened file
}

func newCursor(f *file) (c *cursor, err error) {
	err = f.do("read", func(client *client) error {
		r, err := client.Open(f.path)
		if err != nil {
			return err
		}
		if err := f.same(r.Stat()); err != nil {
			return err
		}
		client.hold()
		c = &cursor{file: f, client: client, reader: r}
		return nil
	})
	return c, err
}

// same fails if the path is now another file than the opened one.
func (f *file) same(now os.FileInfo) error {
	if identity(now) != identity(f.info) || now.Size() < f.Size() {
		return own{errors.New("was replaced after it was opened: open it again")}
	}
	return nil
}

// near reports whether reading at the offset needs no new connection to a data node.
func (c *cursor) near(offset int64) bool {
	return c.offset-int64(len(c.buffer)) <= offset && offset <= c.offset+bufferSize
}

// read reads some bytes.
func (c *cursor) read(b []byte, offset int64) (int, error) {
	if at := offset - (c.offset - int64(len(c.buffer))); at >= 0 && at < int64(len(c.buffer)) {
		return copy(b, c.buffer[at:]), nil
	}
	if offset != c.offset { // the library's Seek makes a new connection if it is called
		if _, err := c.reader.Seek(offset, io.SeekStart); err != nil {
			return 0, err
		}
		c.offset, c.buffer = offset, c.buffer[:0]
	}
	if len(b) >= bufferSize {
		n, err := c.fill(b)
		c.buffer = c.buffer[:0]
		return n, err
	}
	if c.buffer == nil {
		c.buffer = make([]byte, 0, bufferSize)
	}
	n, err := c.fill(c.buffer[:bufferSize])
	c.buffer = c.buffer[:n]
	return copy(b, c.buffer), err
}

// fill reads from the reader. The library looks up the blocks by the file's name at the first read, so it may get
// those of another file.
func (c *cursor) fill(b []byte) (int, error) {
	n, err := c.reader.Read(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && !c.checked {
		var now os.FileInfo
		if now, err = c.client.Stat(c.file.path); err == nil {
			err = c.file.same(now)
		}
		c.checked = err == nil
	}
	if err != nil {
		return 0, err
	}
	c.offset += int64(n)
	return n, nil
}

func (c *cursor) close(broken bool) {
	c.reader.Close()
	c.client.release(broken)
}
