package source

import (
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// idxStream reads the images of an IDX file one by one. It holds all labels in memory, a byte each, as all of them are
// needed to know the number of classes.
type idxStream struct {
	images, labels string
	labelled       bool
	info           Info
	x              *idxReader
	y              idxArray
	scaled         *scaling
	pixels         []byte // of an image
	at             int
}

func newIDXStream(images, labels string, classes int, labelled bool) *idxStream {
	return &idxStream{images: images, labels: labels, labelled: labelled, info: Info{Classes: classes}, scaled: scale(255)}
}

func (s *idxStream) open(in ...io.Reader) (err error) {
	if s.x, err = newIDXReader(in[0], sizeOf(in[0])); err != nil {
		return dl4j.In(err, s.images, "")
	}
	y, err := newIDXReader(in[1], sizeOf(in[1]))
	if err != nil {
		return dl4j.In(err, s.labels, "")
	}
	if err := checkIDX(s.images, s.labels, s.x.shape, y.shape); err != nil {
		return err
	}
	if s.y, err = y.all(); err != nil {
		return dl4j.In(err, s.labels, "")
	}
	classes, err := s.y.classes(s.labels, s.info.Classes)
	if err != nil {
		return err
	}
	s.info = imageInfo("idx:"+s.images+","+s.labels, s.x.shape, classes)
	s.pixels = make([]byte, s.info.Features[0].Size())
	return nil
}

// sizeOf returns the size of a file, or -1.
func sizeOf(in io.Reader) int64 {
	if f, ok := in.(interface{ Size() int64 }); ok {
		return f.Size()
	}
	return -1
}

func (s *idxStream) streamInfo() Info { return s.info }

// image reads the next image.
func (s *idxStream) image() error {
	if s.at == s.info.Examples {
		return io.EOF
	}
	err := s.x.read(s.pixels)
	if err == nil && s.at+1 == s.info.Examples { // so that a damaged file gives an error before its last example
		err = s.x.end()
	}
	if err != nil {
		return dl4j.In(err, s.images, "")
	}
	s.at++
	return nil
}

// appendRow appends the row of the next example.
func (s *idxStream) appendRow(b []byte) ([]byte, error) {
	if err := s.image(); err != nil {
		return b, err
	}
	c := data.Compact{Shape: s.info.Features[0], Pixels: s.pixels, Divisor: 255}
	if s.labelled {
		c.Class, c.Classes = int(s.y.bytes[s.at-1]), s.info.Classes
	}
	return c.AppendTo(b), nil
}

func (s *idxStream) example() (*data.MultiDataSet, error) {
	if err := s.image(); err != nil {
		return nil, err
	}
	x := tensor.New(1, len(s.pixels))
	s.scaled.pixels(x.Data, s.pixels)
	m := &data.MultiDataSet{Features: []*tensor.Dense{x}}
	if s.labelled {
		y := tensor.New(1, s.info.Classes)
		y.Data[s.y.bytes[s.at-1]] = 1
		m.Labels = []*tensor.Dense{y}
	}
	return m, nil
}
