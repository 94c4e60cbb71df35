package source

import (
	"cmp"
	"context"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// Examples are the examples of data that is read once, in order. They are used by one goroutine at a time.
type Examples interface {
	// Info describes the examples, after the first one was read. An unknown number of examples is 0. Without
	// a name, the data has the name that the user gave.
	Info() Info
	// Live reports whether examples may arrive slowly: from standard input, or a pipe.
	Live() bool
	// Next returns the next example, or several, or io.EOF after the last one. If there is none at all, it returns
	// another error.
	Next() (*data.MultiDataSet, error)
	// Close closes the files.
	Close() error
}

// Stream reads the examples of data one after the other. It is used by one goroutine at a time.
type Stream struct {
	ctx      context.Context // that watches the files
	examples Examples
	info     Info
	next     *data.MultiDataSet // read ahead and not yet returned; nil if there is none
	err      error
}

// OpenStream opens data of a [Streamer] and reads the first example. The examples are the same as Open's. With labels,
// the settings must say everything that a single line does not: features=N of libsvm:, and classes=N, names=…, labels=…
// or regression=true. If labels are not wanted, they are not returned. If a file changes while it is read, Next returns
// a [storage.ChangedError].
func OpenStream(ctx context.Context, n Name, o Options) (*Stream, error) {
	k, ok := KindOf(n.Kind)
	if !ok {
		return nil, unknownKind(n.String(), n.Kind)
	}
	if err := n.Check(o); err != nil {
		return nil, err
	}
	if err := CheckPipeline(n, o); err != nil {
		return nil, err
	}
	ctx = storage.Watched(ctx)
	examples, err := examplesOf(ctx, k, n, o)
	if err != nil {
		return nil, err
	}
	s := &Stream{ctx: ctx, examples: examples}
	if s.next, err = s.read(); err != nil {
		examples.Close()
		return nil, err
	}
	s.info = examples.Info()
	s.info.Name = cmp.Or(s.info.Name, n.String())
	return s, nil
}

func examplesOf(ctx context.Context, k Kind, n Name, o Options) (Examples, error) {
	if o.Preparation != nil {
		return o.Preparation.stream(ctx, n, o)
	}
	streamer, ok := k.(Streamer)
	if !ok {
		return nil, specf("%s: data can't be read as a stream: %s can", n.Kind, strings.Join(streamers(), ", "))
	}
	return streamer.Stream(ctx, n, o)
}

// streamers returns the kinds that can be read as streams.
func streamers() (names []string) {
	for _, name := range Kinds() {
		k, _ := KindOf(name)
		if _, ok := k.(Streamer); ok {
			names = append(names, name+":")
		}
	}
	return names
}

// Streams reports whether OpenStream returns the same examples as Open, for any data with this name.
func Streams(n Name, o Options) bool {
	k, _ := KindOf(n.Kind)
	if o.Preparation != nil {
		_, tabular := k.(Tabular)
		return tabular && o.Preparation.Streams()
	}
	s, ok := k.(Streamer)
	return ok && s.Streams(n, o)
}

// Info describes the examples, after the first one was read. Their number is 0 if it is unknown.
func (s *Stream) Info() Info { return s.info }

// Live reports whether examples may arrive slowly: from standard input, or a pipe.
func (s *Stream) Live() bool { return s.examples.Live() }

// Filtered returns the number of rows so far that a pipeline left out.
func (s *Stream) Filtered() int {
	if p, ok := s.examples.(*preparedStream); ok {
		return filteredBy(p.rowReader)
	}
	return 0
}

// Notes returns notes on the rows so far, for people.
func (s *Stream) Notes() []string {
	if p, ok := s.examples.(*preparedStream); ok {
		return notesOn(p.rowReader, unlabelledSteps(p.gaps))
	}
	if noted, ok := s.examples.(interface{ Notes() []string }); ok {
		return noted.Notes()
	}
	return nil
}

// First returns the first example. Call it before Next only. Next returns that example, too.
func (s *Stream) First() *data.MultiDataSet { return s.next.Slice(0, 1) }

// Next returns the next example, or the next ones in a minibatch; io.EOF after the last one, and another error if there
// is none at all.
func (s *Stream) Next() (*data.MultiDataSet, error) {
	if m := s.next; m != nil {
		s.next = nil
		return m, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	m, err := s.read()
	s.err = err
	return m, err
}

// read reads the next examples. If a file has changed, it returns that as the error.
func (s *Stream) read() (*data.MultiDataSet, error) {
	m, err := s.examples.Next()
	if err == nil {
		return m, nil
	}
	if changed := storage.Unchanged(s.ctx); changed != nil {
		err = changed
	}
	return nil, err
}

// Close closes the files.
func (s *Stream) Close() error { return s.examples.Close() }
