package distributed

import (
	"context"
	"errors"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// PieceRows is the maximum number of examples of a stream that are distributed at a time. It is also a good size for
// partitions whose results come to the driver, which holds the results of a few partitions in memory.
const PieceRows = 16 << 10

// pieceBytes bounds the bytes of the examples in a piece.
const pieceBytes = 8 << 20

// Pieces calls f with the examples of a stream in pieces, in order. They go through the normalizer, unless it is nil.
// Pieces have a fixed size, so that no sum depends on timing. A piece of a live stream is smaller: it has the examples
// that arrived while f was running, and Pieces does not wait for more.
func Pieces(ctx context.Context, e engine.Engine, s *source.Stream, norm data.Normalizer,
	f func(*Data) error) error {
	over := make(chan struct{})
	defer close(over)
	p := pieces{stream: s, over: over, rows: make(chan *data.MultiDataSet, 256), ready: make(chan []*data.MultiDataSet)}
	go p.read()
	go p.collect() // assembles the next piece while f is at work
	for {
		select {
		case sets, ok := <-p.ready:
			if !ok && errors.Is(p.failed, io.EOF) {
				return nil
			}
			if !ok {
				return p.failed
			}
			if err := apply(e, sets, norm, f); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// StreamError means that a stream failed before its end.
type StreamError struct{ Err error }

// Error returns the cause.
func (e *StreamError) Error() string { return e.Err.Error() }
func (e *StreamError) Unwrap() error { return e.Err }

// EachPiece is [Pieces] for a function that applies the network: the workers keep the network until the end. An error
// of the stream is a *[StreamError].
func (m *applications) EachPiece(
	ctx context.Context, s *source.Stream, norm data.Normalizer, f func(*Data) error,
) error {
	release, err := m.Hold(ctx) // the network goes to the workers once, not with each piece
	if err != nil {
		return err
	}
	defer release()
	var failed error
	err = Pieces(ctx, m.engine, s, norm, func(d *Data) error {
		failed = f(d)
		return failed
	})
	if err != nil && failed == nil && ctx.Err() == nil {
		err = &StreamError{err}
	}
	return err
}

// apply calls f with a piece.
func apply(e engine.Engine, sets []*data.MultiDataSet, norm data.Normalizer, f func(*Data) error) error {
	rows, err := fromExamples(e, sets)
	if err != nil {
		return err
	}
	defer rows.Unpersist() // a cluster keeps what was sent to it
	d := rows
	if norm != nil {
		if d, err = d.Normalize(norm); err != nil {
			return err
		}
	}
	return f(d)
}

// fromExamples spreads examples evenly over a partition for each slot, regardless of the borders between data sets.
func fromExamples(e engine.Engine, sets []*data.MultiDataSet) (*Data, error) {
	n := 0
	for _, m := range sets {
		if err := m.Validate(); err != nil {
			return nil, err
		}
		n += m.Examples()
	}
	all := make([]engine.Row, 0, n)
	for _, m := range sets {
		for _, row := range data.ExampleRows(m) {
			all = append(all, engine.Unindexed(row))
		}
	}
	parts := make([][]engine.Row, e.Slots())
	counts := make([]int64, len(parts))
	at := 0
	for p, end := range engine.EvenEnds(n, len(parts)) {
		parts[p], counts[p] = all[at:end:end], int64(end-at)
		at = end
	}
	return &Data{rows: engine.Parallelize(e, parts), counts: counts}, nil
}

// pieces assembles the pieces of a stream.
type pieces struct {
	stream *source.Stream
	over   <-chan struct{} // closed when no more pieces are wanted
	rows   chan *data.MultiDataSet
	failed error // why rows ended
	ready  chan []*data.MultiDataSet
}

// read reads the examples.
func (p *pieces) read() {
	defer close(p.rows)
	for {
		m, err := p.stream.Next()
		if err != nil {
			p.failed = err
			return
		}
		select {
		case p.rows <- m:
		case <-p.over:
			return
		}
	}
}

// collect assembles the pieces.
func (p *pieces) collect() {
	defer close(p.ready)
	var next piece
	var rest *data.MultiDataSet // examples for the next piece; nil if there are none
	for rows := p.rows; rows != nil || rest != nil || next.examples > 0; {
		if rest != nil && !next.full() {
			rest = next.add(rest)
			continue
		}
		in, out := rows, p.ready
		if next.full() {
			in = nil
		}
		if next.examples == 0 || in != nil && !p.stream.Live() {
			out = nil
		}
		select {
		case m, ok := <-in:
			if rest = m; !ok {
				rows = nil
			}
		case out <- next.sets:
			next = piece{}
		case <-p.over:
			return
		}
	}
}

// piece is examples that are distributed together.
type piece struct {
	sets     []*data.MultiDataSet
	examples int
	bytes    int64
}

func (p *piece) full() bool { return p.examples == PieceRows || p.bytes >= pieceBytes }

// add takes examples until the piece is full, and returns the rest; nil if none are left.
func (p *piece) add(m *data.MultiDataSet) (rest *data.MultiDataSet) {
	n := m.Examples()
	each := max(m.Bytes()/int64(max(n, 1)), 1)
	take := int(min(int64(n), int64(PieceRows-p.examples), (pieceBytes-p.bytes+each-1)/each))
	if take < n {
		m, rest = m.Slice(0, take), m.Slice(take, n)
	}
	p.sets = append(p.sets, m)
	p.examples += take
	p.bytes += int64(take) * each
	return rest
}
