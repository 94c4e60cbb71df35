package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// Fetch says how a worker reads files that come as references.
type Fetch struct {
	// Seal is the broadcast with the key of sealed loans.
	Seal engine.BroadcastID `json:"seal,omitempty"`
	// Terms are the terms of unsealed loans, by the beginning of their URLs: hdfs://host:port/
	Terms map[string]string `json:"terms,omitempty"`
	// Times holds the modification times that the files had when they were listed, in milliseconds and in order; -1:
	// unknown.
	Times []int64 `json:"times,omitempty"`
	// Cuts, unless nil, are the pieces of the files to read, in order.
	Cuts []engine.Cut `json:"cuts,omitempty"`
	// Opened leaves the references in the rows: operations open the files.
	Opened bool `json:"opened,omitempty"`
}

// UnreadError means that a worker can't read a file itself, or that it finds a different file from the one that the
// engine listed. The engine must bring the file to its workers in another way.
type UnreadError struct {
	URL    string
	Reason error
}

func (e *UnreadError) Error() string {
	if text := e.Reason.Error(); strings.Contains(text, e.URL) {
		return text
	}
	return e.URL + ": " + e.Reason.Error()
}

func (e *UnreadError) Unwrap() error { return e.Reason }

// reference takes the place of contents in a row of engine.File, for a Link that fetches them. For a file: URL it has
// no terms, and the time may be in whole seconds.
type reference struct {
	storage.Loan
	lent bool        // by the storage that has the file
	cut  *engine.Cut // nil: the whole file
}

// reference parses a sealed loan, or "SIZE MILLISECONDS URL", without any escapes.
func (r *run) reference(how Fetch, b []byte) (reference, error) {
	if sealed, ok := bytes.CutPrefix(b, []byte(sealMark)); ok {
		key, err := r.worker.Broadcast(how.Seal)
		if err != nil {
			return reference{}, err
		}
		l, err := openLoan(key, sealed)
		return reference{Loan: l, lent: true}, err
	}
	size, rest, _ := bytes.Cut(b, []byte(" "))
	modified, url, _ := bytes.Cut(rest, []byte(" "))
	n, ok := number(size)
	ms, also := number(modified)
	if !ok || !also || n < 0 || len(url) == 0 {
		return reference{}, engine.Permanent(fmt.Errorf("%s refers to no file", excerpt(b)))
	}
	l, lent := storage.Loan{URL: string(url), Size: n, Modified: time.UnixMilli(ms)}, false
	for root, terms := range how.Terms {
		if strings.HasPrefix(l.URL, root) {
			l.Terms, lent = terms, true
		}
	}
	return reference{Loan: l, lent: lent}, nil
}

// fetched replaces references by contents, unless operations open the files. A file without a reference is empty.
func (r *run) fetched(how Fetch, in engine.Rows) engine.Rows {
	at, files, size := -1, 0, int64(0)
	return engine.RowsFunc(func() (engine.Row, error) {
		row, err := in.Next()
		if err != nil {
			if err == io.EOF {
				r.log.Debug("the worker has read files itself", "files", files, "bytes", size)
			}
			return row, err
		}
		at++
		f, err := engine.FileOf(row)
		if err != nil || len(f.Content) == 0 || how.Opened && how.Times == nil {
			return row, err
		}
		ref, err := r.reference(how, f.Content)
		if err == nil {
			err = how.unchanged(at, ref)
		}
		if at < len(how.Cuts) {
			ref.cut = &how.Cuts[at]
		}
		if err != nil {
			return row, &engine.StepError{Step: "read files", Cause: err}
		}
		if how.Opened {
			return row, nil
		}
		head := row.Bytes[:len(row.Bytes)-len(f.Content)]
		if row.Bytes, err = ref.appendTo(r.ctx, head); err != nil {
			if !errors.Is(err, storage.ErrLapsed) {
				err = &UnreadError{ref.URL, err}
			}
			return row, &engine.StepError{Step: "read files", Cause: err}
		}
		files, size = files+1, size+ref.Size
		return row, nil
	})
}

// unchanged fails if file number at is not the one that was listed.
func (f Fetch) unchanged(at int, is reference) error {
	if at >= len(f.Times) || f.Times[at] < 0 || f.Times[at] == is.Modified.UnixMilli() {
		return nil
	}
	return engine.Permanent(&storage.ChangedError{Path: is.URL, Change: fmt.Sprintf("it was written at %s when it was "+
		"listed, and again at %s", clock(time.UnixMilli(f.Times[at])), clock(is.Modified))})
}

// appendTo reads the file to the end of a copy of head.
func (r reference) appendTo(ctx context.Context, head []byte) ([]byte, error) {
	if !strings.HasPrefix(r.URL, "file:") {
		return r.borrow(ctx, head)
	}
	f, err := r.openLocal(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := r.readFrom(f, head)
	if err != nil {
		return nil, err
	}
	return b, r.is(f)
}

// openLocal opens a file of this machine, if it is the referenced one.
func (r reference) openLocal(ctx context.Context) (storage.File, error) {
	name := "/" + strings.TrimLeft(strings.TrimPrefix(r.URL, "file:"), "/")
	// Hadoop keeps checksums beside the local files that it wrote, and checks them when it reads the files.
	if sums, err := storage.Exists(ctx, path.Join(path.Dir(name), "."+path.Base(name)+".crc")); sums || err != nil {
		return nil, errors.Join(err, errors.New("it has checksums of Hadoop's beside it"))
	}
	f, err := storage.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := r.is(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// errNotHere says that a worker has no way to read a file.
var errNotHere = errors.New("it is on no disk of the machine")

// open opens the file for reading parts of it.
func (r reference) open(ctx context.Context) (storage.File, error) {
	switch {
	case strings.HasPrefix(r.URL, "file:"):
		return r.openLocal(ctx)
	case !r.lent:
		return nil, errNotHere
	}
	return storage.BorrowFile(ctx, r.Loan)
}

// borrow is appendTo for a file of a storage that lends it.
func (r reference) borrow(ctx context.Context, head []byte) ([]byte, error) {
	if !r.lent {
		return nil, errNotHere
	}
	f, err := storage.Borrow(ctx, r.Loan)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return r.readFrom(f, head)
}

func (r reference) readFrom(f io.Reader, head []byte) ([]byte, error) {
	n := r.Size
	if r.cut != nil {
		var from int64
		from, n = r.cut.Of(r.Size)
		if err := skip(f, from); err != nil {
			return nil, err
		}
	}
	b := make([]byte, len(head)+int(n))
	copy(b, head)
	_, err := io.ReadFull(f, b[len(head):])
	return b, err
}

// skip passes over the first n bytes.
func skip(f io.Reader, n int64) error {
	if s, ok := f.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, f, n)
	return err
}

// is fails if the open file is not the referenced one.
func (r reference) is(f storage.File) error {
	stat, ok := f.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return errors.New("when it was changed is not known here")
	}
	st, err := stat.Stat()
	if err != nil {
		return err
	}
	have, want := st.ModTime().UnixMilli(), r.Modified.UnixMilli()
	switch {
	case st.Size() != r.Size:
		return fmt.Errorf("it has %d bytes here, and %d where it was listed", st.Size(), r.Size)
	case have != want && (want%1000 != 0 || have/1000 != want/1000):
		return fmt.Errorf("it was changed at %s here, and at %s where it was listed", clock(st.ModTime()), clock(r.Modified))
	}
	return nil
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
