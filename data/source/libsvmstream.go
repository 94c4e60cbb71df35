package source

import (
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/tensor"
)

// libSVMStream reads the lines of a file in LIBSVM's format as examples.
type libSVMStream struct {
	path   string
	o      LibSVM
	labels bool
	lines  *points
	any    bool
}

func newLibSVMStream(path string, o LibSVM, labels bool) (*libSVMStream, error) {
	if !labels { // a label must still be a number
		o = LibSVM{Features: o.Features, Regression: true}
	}
	if err := checkup.Fits(4 * int64(o.Features)); err != nil {
		return nil, specf("features=%d: rows are dense, and one of so many features: %v", o.Features, err)
	}
	return &libSVMStream{path: streamName(path), o: o, labels: labels}, o.Complete()
}

func (s *libSVMStream) open(in ...io.Reader) error {
	s.lines = newPoints(s.path, in[0], s.o)
	return nil
}

func (s *libSVMStream) streamInfo() Info {
	info := Info{Features: []tensor.Shape{{s.o.Features}}}
	switch {
	case !s.labels:
	case s.o.Regression:
		info.Labels = []tensor.Shape{{1}}
	default:
		info.Classes, info.LabelNames = s.o.classes(), s.o.names()
		info.Labels = []tensor.Shape{{info.Classes}}
		info.Schema = &data.Schema{Classes: classNames(info.LabelNames, info.Classes)}
	}
	return info
}

func (s *libSVMStream) example() (*data.MultiDataSet, error) {
	p, err := s.lines.next()
	if err == io.EOF && !s.any {
		err = &LibSVMError{s.path, 0, "there are no examples in it"}
	}
	if err != nil {
		return nil, err
	}
	s.any = true
	m, err := s.o.example(s.path, p)
	if err == nil && !s.labels {
		m.Labels = nil
	}
	return m, err
}
