package source

import (
	"context"
	"io"
	"runtime"

	"github.com/dl4go/dl4go/data"
)

// imageStream gives pictures in order. A few are decoded ahead, side by side.
type imageStream struct {
	files  *imageFiles
	ahead  chan chan loaded
	cancel context.CancelFunc
	scaled *scaling
	at     int
	err    error
}

type loaded struct {
	pixels []uint8
	err    error
}

func (f *imageFiles) stream(ctx context.Context) *imageStream {
	ctx, cancel := context.WithCancel(ctx)
	s := &imageStream{files: f, ahead: make(chan chan loaded, 2*runtime.GOMAXPROCS(0)), cancel: cancel}
	s.scaled = f.scaling()
	go s.decode(ctx)
	return s
}

// decode begins with one picture after the other; there are as many at work as ahead holds.
func (s *imageStream) decode(ctx context.Context) {
	defer close(s.ahead)
	for i := range s.files.files {
		c := make(chan loaded, 1)
		select {
		case s.ahead <- c:
		case <-ctx.Done():
			return
		}
		load := func() {
			pixels, err := s.files.load(ctx, i)
			c <- loaded{pixels, err}
		}
		if i == 0 {
			load() // it sets the size
		} else {
			go load()
		}
	}
}

func (s *imageStream) Info() Info { return s.files.info() }
func (s *imageStream) Live() bool { return false }

func (s *imageStream) Next() (*data.MultiDataSet, error) {
	if s.err != nil {
		return nil, s.err
	}
	c, ok := <-s.ahead
	if !ok {
		s.err = io.EOF
		return nil, s.err
	}
	l := <-c
	if s.err = l.err; l.err != nil {
		return nil, s.err
	}
	m := s.files.example(s.at, l.pixels, s.scaled)
	s.at++
	return m, nil
}

// Close ends the decoding.
func (s *imageStream) Close() error {
	s.cancel()
	for c := range s.ahead {
		<-c
	}
	return nil
}
