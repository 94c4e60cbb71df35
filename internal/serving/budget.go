package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// errHeld is the error of a request for which other requests leave too little memory.
var errHeld = errors.New("requests and answers take as much memory as --max-held allows; ask again later")

// perNumber is the maximum number of bytes of a number in an answer: as an output, and as text in JSON.
const perNumber = 4 + 16

// budget limits the bytes of requests and answers in memory.
type budget struct {
	most int64 // 0: no limit
	held atomic.Int64
}

// share is the part of a budget that a request has reserved.
type share struct {
	of    *budget
	taken int64
}

// take reserves bytes, or fails.
func (s *share) take(n int64) error {
	b := s.of
	switch {
	case b.most == 0:
		return nil
	case n > b.most-s.taken:
		return badf("the request and its answer take more than the %d bytes of --max-held; send fewer examples at a time",
			b.most)
	case b.held.Add(n) > b.most:
		b.held.Add(-n)
		return errHeld
	}
	s.taken += n
	return nil
}

// give gives bytes back that were taken.
func (s *share) give(n int64) {
	if s.of.most > 0 {
		s.of.held.Add(-n)
		s.taken -= n
	}
}

// free gives all bytes back.
func (s *share) free() { s.give(s.taken) }

type shareKey struct{}

// takeAnswer reserves the memory of an answer with this many numbers, for the request of the context.
func takeAnswer(ctx context.Context, numbers int64) error {
	if s, ok := ctx.Value(shareKey{}).(*share); ok {
		return s.take(numbers * perNumber)
	}
	return nil
}

// numbers returns how many numbers a model outputs for inputs of this many examples and steps; unknown extents count
// as the steps.
func (m *Model) numbers(examples, steps int) (n int64) {
	for _, out := range m.Outputs {
		size := int64(max(examples, 1))
		for _, extent := range out.Shape[1:] {
			if extent < 0 {
				extent = int64(max(steps, 1))
			}
			size *= extent
		}
		n += size
	}
	return n
}

// metered reserves the bytes of a body while it is read.
type metered struct {
	io.ReadCloser
	share *share
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if e := m.share.take(int64(n)); e != nil {
		return 0, fmt.Errorf("reading the request: %w", e)
	}
	return n, err
}
