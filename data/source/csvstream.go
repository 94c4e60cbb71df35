package source

import (
	"github.com/dl4go/dl4go/data"
)

// csvStream gives a CSV file's rows.
type csvStream struct{ csvReader }

func newCSVStream(path string, o CSV, labels bool) (*csvStream, error) {
	o = o.asKnown()
	if err := o.checkStream(labels); err != nil {
		return nil, err
	}
	return &csvStream{csvReader: newCSVReader(streamName(path), o, !labels)}, nil
}

// Live says whether rows may be a while in coming.
func (s *csvStream) Live() bool { return s.isLive() }

// Close ends the reading.
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
