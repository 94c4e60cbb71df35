package source

import (
	"io"
	"os"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// Stream is the examples of a file as they are read, one by one. It is used by one goroutine at a time.
type Stream struct {
	rows streamed
	info Info
	file io.Closer

	next *data.MultiDataSet // that was read and not yet given; nil if there is none
	err  error
}

// streamed reads a kind of file example by example.
type streamed interface {
	open(in io.Reader)
	// example reads the next one; io.EOF after the last one, and another error where there is none at all.
	example() (*data.MultiDataSet, error)
	// streamInfo tells what examples are like, when there was one.
	streamInfo() Info
	keyed() bool
}

// OpenStream opens what csv:FILE?… or libsvm:FILE?… names (see Open), or csv:-?… and libsvm:-?…, standard input, and reads
// the first example. The examples are those of Open. As nothing is known of those that come, options must say what one
// example does not: features=N of libsvm:, and, with labels, classes=N, names=…, labels=… or regression=true. Without
// labels, the file's are not looked at.
func OpenStream(spec string, labels bool) (*Stream, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	var path string
	var err error
	s := &Stream{}
	switch kind {
	case "csv":
		var o CSV
		if path, o, err = parseCSVSpec(rest); err == nil {
			s.rows, err = newCSVStream(path, o, labels)
		}
	case "libsvm":
		var o LibSVM
		if path, o, err = ParseLibSVM(rest); err == nil {
			s.rows, err = newLibSVMStream(path, o, labels)
		}
	default:
		err = specf("data source %q: csv: and libsvm: can be read as a stream", spec)
	}
	if err != nil {
		return nil, err
	}
	var in io.ReadCloser = io.NopCloser(os.Stdin)
	if path != "-" {
		if in, err = storage.Open(path); err != nil {
			return nil, err
		}
	}
	s.file = in
	s.rows.open(in)
	if s.next, err = s.rows.example(); err != nil {
		s.file.Close()
		return nil, err
	}
	s.info = s.rows.streamInfo()
	s.info.Name, s.info.Examples = spec, 0
	return s, nil
}

// streamName is a file in messages.
func streamName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// Info tells what the examples are like. How many there are is not known: 0.
func (s *Stream) Info() Info { return s.info }

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

// Close closes the file.
func (s *Stream) Close() error { return s.file.Close() }
