package source

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// Stream is the examples of a file as they are read, one by one. It is used by one goroutine at a time.
type Stream struct {
	rows  streamed
	info  Info
	files []io.Closer
	live  bool

	next *data.MultiDataSet // that was read and not yet given; nil if there is none
	err  error
}

// streamed reads a kind of file example by example.
type streamed interface {
	// open begins with the files that OpenStream opened.
	open(in ...io.Reader) error
	// example reads the next one; io.EOF after the last one, and another error where there is none at all.
	example() (*data.MultiDataSet, error)
	// streamInfo tells what examples are like, when there was one; a name only where it is another one than the user gave.
	streamInfo() Info
	keyed() bool
}

// OpenStream opens what csv:FILE?…, libsvm:FILE?… or idx:IMAGES,LABELS names (see Open), or csv:-?… and libsvm:-?…, standard
// input, and reads the first example. The examples are those of Open. As nothing is known of the lines that come, options must
// say what one does not: features=N of libsvm:, and, with labels, classes=N, names=…, labels=… or regression=true. Without
// labels, the file's are not given. Columns and classes are taken by the schema's names, as in OpenAs. The
// context governs the reads too, until Close.
func OpenStream(ctx context.Context, spec string, labels bool, as *data.Schema) (*Stream, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	paths := make([]string, 1)
	var err error
	s := &Stream{}
	switch kind {
	case "csv":
		var o CSV
		if paths[0], o, err = parseCSVSpec(rest); err == nil {
			o.Schema = as
			s.rows, err = newCSVStream(paths[0], o, labels)
		}
	case "libsvm":
		var o LibSVM
		if paths[0], o, err = ParseLibSVM(rest); err == nil && labels {
			o, err = o.As(as)
		}
		if err == nil {
			s.rows, err = newLibSVMStream(paths[0], o, labels)
		}
	case "idx":
		var x *idxStream
		if x, err = newIDXStream(rest, labels); err == nil {
			paths, s.rows = []string{x.images, x.labels}, x
		}
	default:
		err = specf("data source %q: csv: and libsvm: can be read as a stream, and of files idx: too", spec)
	}
	if err != nil {
		return nil, err
	}
	if err := s.begin(ctx, paths, kind != "idx"); err != nil {
		s.Close()
		return nil, err
	}
	s.info = s.rows.streamInfo()
	s.info.Name = cmp.Or(s.info.Name, spec)
	return s, nil
}

// begin opens the files and reads the first example.
func (s *Stream) begin(ctx context.Context, paths []string, stdin bool) (err error) {
	var in []io.Reader
	for _, path := range paths {
		if stdin && path == "-" {
			in, s.live = append(in, os.Stdin), true
			continue
		}
		f, err := storage.Open(ctx, path)
		if err != nil {
			return err
		}
		s.files = append(s.files, f)
		in = append(in, f)
		s.live = s.live || f.Size() == 0
	}
	if err := s.rows.open(in...); err != nil {
		return err
	}
	s.next, err = s.rows.example()
	return err
}

// Streams says whether OpenStream gives what Open gives, of any file: where a csv: has labels that are classes, without names=…,
// all rows tell what the classes are, and where a libsvm: is not complete, what there is.
func Streams(spec string, labels bool) bool {
	switch kind, rest, _ := strings.Cut(spec, ":"); kind {
	case "csv":
		_, o, err := parseCSVSpec(rest)
		return !labels || err == nil && (o.Label == "none" || o.Regression || o.Names != nil)
	case "libsvm":
		path, o, err := ParseLibSVM(rest)
		if err == nil {
			_, err = newLibSVMStream(path, o, labels)
		}
		return err == nil
	case "idx":
		return true
	}
	return false
}

// streamName is a file in messages.
func streamName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// Info tells what the examples are like. Where it is not known how many there are, they are 0.
func (s *Stream) Info() Info { return s.info }

// Live says whether examples may be a while in coming: from standard input, or a pipe.
func (s *Stream) Live() bool { return s.live }

// Keyed says whether the examples have keys.
func (s *Stream) Keyed() bool { return s.rows.keyed() }

// First is the first example, as long as Next was not called, which gives it too.
func (s *Stream) First() *data.MultiDataSet { return s.next.Slice(0, 1) }

// Next gives the next example; io.EOF after the last one.
func (s *Stream) Next() (*data.MultiDataSet, error) {
	if m := s.next; m != nil {
		s.next = nil
		return m, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	m, err := s.rows.example()
	s.err = err
	return m, err
}

// Close closes the files.
func (s *Stream) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
