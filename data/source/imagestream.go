package source

import (
	"context"
	"io"
	"runtime"

	"github.com/dl4go/dl4go/data"
)

// imageStream reads pictures in order. It decodes a few of them ahead, in parallel.
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

// decode starts decoding one picture after the other. As many are decoded at a time as ahead holds.
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
		if s.files.conf.height == 0 {
			load() // it sets the size
		} else {
			go load()
		}
	}
}

// Info describes the pictures. Their number does not count those that were skipped so far.
func (s *imageStream) Info() Info {
	info, bad := s.files.info(), s.files.conf.bad
	if info.Examples -= bad.Skipped; bad.Skipped > 0 {
		info.Notes = append(info.Notes, bad.Notice())
	}
	return info
}

// Notes tells which pictures were skipped so far.
func (s *imageStream) Notes() []string {
	if skipped := s.files.conf.bad.Notice(); skipped != "" {
		return []string{skipped}
	}
	return nil
}

func (s *imageStream) Live() bool { return false }

func (s *imageStream) Next() (*data.MultiDataSet, error) {
	pixels, err := s.next()
	if err != nil {
		return nil, err
	}
	return s.files.example(s.at-1, pixels, s.scaled), nil
}

// next returns the next picture.
func (s *imageStream) next() ([]uint8, error) {
	bad := s.files.conf.bad
	for s.err == nil {
		c, ok := <-s.ahead
		if !ok {
			if s.err = io.EOF; bad.Skipped == len(s.files.files) {
				s.err = s.files.noneLeft()
			}
			break
		}
		l := <-c
		s.at++
		if l.err == nil {
			return l.pixels, nil
		}
		s.err = bad.Allow(l.err)
	}
	return nil, s.err
}

// rowsOf returns a function that appends the row of the next example.
func (s *imageStream) rowsOf() func(b []byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		pixels, err := s.next()
		if err != nil {
			return b, err
		}
		c := s.files.compact(s.at-1, pixels)
		c.Meta, c.LabelNames = []string{s.files.files[s.at-1].key}, s.files.classes
		return c.AppendTo(b), nil
	}
}

// Close stops the decoding.
func (s *imageStream) Close() error {
	s.cancel()
	for c := range s.ahead {
		<-c
	}
	return nil
}
