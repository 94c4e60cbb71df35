package hdfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/dl4go/dl4go/internal/grace"
)

const (
	putAttempts   = 5
	completeLimit = 30 * time.Second // for data nodes to report a file's last block
	discardLimit  = 3 * time.Second  // for the removal of an incomplete file after its context has ended
)

// Put writes the content to a temporary file in the directory, which it creates if necessary, and renames it. The new
// file keeps the mode of the file that it replaces. The library can't continue a block when one of its data nodes
// fails. Then, or if no data node reports the last block, Put starts again if the content is an io.Seeker.
func (f *FileSystem) Put(ctx context.Context, url string, content io.Reader, size int64) error {
	p, err := f.at(ctx, url)
	if err != nil {
		return err
	}
	seeker, _ := content.(io.Seeker)
	for attempt := 1; ; attempt++ {
		from := &source{Reader: content}
		lost, err := p.try("create", func(c *client) error { return p.put(c, from, size) })
		if err == nil || attempt == putAttempts || !(lost || early(err) || unreported(err)) {
			return err
		}
		if from.touched {
			if seeker == nil {
				return err
			}
			if _, err := seeker.Seek(0, io.SeekStart); err != nil {
				return p.error("create", nil, err)
			}
		}
	}
}

// PutNew creates the file under its own name, which the name node allows only once, and writes it. Until then the file
// is visible as empty.
func (f *FileSystem) PutNew(ctx context.Context, url string, content []byte) error {
	p, err := f.at(ctx, url)
	if err != nil {
		return err
	}
	create := func(c *client) error {
		if p.directory {
			return own{errors.New("is a directory's name: a slash is at its end")}
		}
		if err := mkdirAll(c, path.Dir(p.path)); err != nil {
			return err
		}
		w, err := c.Create(p.path)
		if err != nil {
			return err
		}
		if err := p.write(c, w, &source{Reader: bytes.NewReader(content)}, int64(len(content))); err != nil {
			p.discard(c, p.path, w)
			return err
		}
		return nil
	}
	for attempt := 1; ; attempt++ {
		if err := p.do("create", create); attempt == putAttempts || !unreported(err) {
			return err
		}
	}
}

// unreported reports whether no data node reported the last block to the name node in time. A data node that registers
// again may forget to report a block, until its next full report hours later; the block of another attempt is
// reported.
func unreported(err error) bool { return errors.Is(err, hdfs.ErrReplicating) }

// early reports whether the library asked for a block before the last but one was on enough data nodes. The library
// can't continue then.
func early(err error) bool {
	var remote hdfs.Error
	return errors.As(err, &remote) && strings.HasSuffix(remote.Exception(), "NotReplicatedYetException")
}

func (p place) put(c *client, content *source, size int64) error {
	old, err := p.replaced(c)
	if err != nil {
		return err
	}
	if err := mkdirAll(c, path.Dir(p.path)); err != nil {
		return err
	}
	temp := temporary(p.path)
	w, err := c.Create(temp)
	if err != nil {
		return err
	}
	err = p.write(c, w, content, size)
	if err == nil && old != nil {
		err = c.Chmod(temp, old.Mode().Perm())
	}
	if err == nil {
		err = p.take(c, temp)
	}
	if err != nil {
		p.discard(c, temp, w)
	}
	return err
}

// write writes the content and waits until data nodes have it.
func (p place) write(c *client, w *hdfs.FileWriter, content *source, size int64) error {
	// one byte more, to detect excess content
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(content, size+1), make([]byte, 256<<10))
	switch {
	case content.err != nil:
		return own{content.err}
	case connectionLost(err):
		return fmt.Errorf("the data nodes don't take byte %d: %w%s", n, bare(err), c.hint())
	case err != nil:
		return err
	case n < size:
		return own{fmt.Errorf("the content ends after %d of %d bytes", n, size)}
	case n > size:
		return own{fmt.Errorf("the content has more than the %d bytes that it was to have", size)}
	}
	return p.complete(w)
}

// complete closes the file. Enough data nodes must report the last block to the name node.
func (p place) complete(w *hdfs.FileWriter) error {
	until := time.Now().Add(completeLimit)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := w.Close()
		if !unreported(err) || time.Now().After(until) {
			return err
		}
		if e := pause(p.ctx, wait); e != nil {
			return e
		}
	}
}

// take moves the temporary file to its place, over an existing file. If an earlier connection broke, it may have done
// so already.
func (p place) take(c *client, temp string) error {
	st, err := c.Stat(temp)
	if err != nil {
		return err
	}
	again := false
	return p.do("create", func(c *client) error {
		if again {
			if now, err := c.Stat(p.path); err == nil && identity(now) == identity(st) {
				return nil
			}
		}
		again = true
		return c.Rename(temp, p.path)
	})
}

// discard removes an incomplete file. It closes the writer only afterwards, because closing would complete the file.
func (p place) discard(c *client, temp string, w *hdfs.FileWriter) {
	err := c.Remove(temp)
	w.Close()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		var cancel context.CancelFunc
		p.ctx, cancel = grace.Extend(p.ctx, discardLimit)
		defer cancel()
		p.do("remove", func(c *client) error { return c.Remove(temp) })
	}
}

// replaced returns the existing file that would be replaced, or nil.
func (p place) replaced(c *client) (os.FileInfo, error) {
	if p.directory {
		return nil, own{errors.New("is a directory's name: a slash is at its end")}
	}
	st, err := c.Stat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, errDirectory
	}
	return st, nil
}

// temporary returns a file's name until it is complete.
func temporary(name string) string {
	return path.Join(path.Dir(name), fmt.Sprintf(".%s.%08x.tmp", path.Base(name), rand.Uint32()))
}

// source is a content that records whether reading it failed.
type source struct {
	io.Reader
	touched bool
	err     error
}

func (s *source) Read(b []byte) (int, error) {
	s.touched = true
	n, err := s.Reader.Read(b)
	if err != io.EOF {
		s.err = err
	}
	return n, err
}
