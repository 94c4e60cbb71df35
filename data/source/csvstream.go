package source

import (
	"github.com/dl4go/dl4go/data"
)

// csvStream reads the rows of CSV files as minibatches.
type csvStream struct{ csvReader }

func newCSVStream(path string, o CSV, labels bool) (*csvStream, error) {
	o = o.asKnown()
	if err := o.checkStream(labels); err != nil {
		return nil, err
	}
	return &csvStream{csvReader: newCSVReader(streamName(path), o, !labels)}, nil
}

// Live reports whether the next row may be long in coming.
func (s *csvStream) Live() bool { return s.isLive() }

// Close closes the files.
func (s *csvStream) Close() error { return s.close() }

// Info describes the rows.
func (s *csvStream) Info() Info { return s.streamInfo() }

// Next reads the next rows.
func (s *csvStream) Next() (*data.MultiDataSet, error) {
	s.empty()
	if err := s.some(); err != nil {
		return nil, err
	}
	return s.minibatch()
}
