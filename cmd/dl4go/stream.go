package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// streamed is about how many examples lie in a partition, or in a piece of a stream, where results come to this process:
// so many, and a few times more, are in its memory.
const streamed = 16 << 10

// streamedBytes is how much of examples is in a piece of a stream at most.
const streamedBytes = 8 << 20

// stream is a file that is read as it is needed, once.
type stream struct{ *source.Stream }

// streams says whether a source is read as a stream: standard input is, and files where that gives the same.
func streams(w *workplace, spec string, labels bool) bool {
	kind, rest, _ := strings.Cut(spec, ":")
	return fromStdin(spec) || source.Streams(spec, labels) && !(kind == "libsvm" && clusterLibSVM(w, rest))
}

// fromStdin says whether a source is standard input.
func fromStdin(spec string) bool {
	kind, rest, _ := strings.Cut(spec, ":")
	path, _, _ := strings.Cut(rest, "?")
	return path == "-" && kind != "sql"
}

func openStream(ctx context.Context, spec string, labels bool, as *data.Schema) (source.Source, error) {
	s, err := unlessOver(ctx, func() (source.Source, error) {
		s, err := source.OpenStream(ctx, spec, labels, as)
		return &stream{s}, err
	})
	if err != nil {
		return nil, explainData("data", err)
	}
	return s, nil
}

// Objects says that none can be asked for.
func (s *stream) Objects() int { return 0 }

// Object fails: a stream is read in its order.
func (s *stream) Object(int) (*data.MultiDataSet, error) {
	return nil, fmt.Errorf("%s is a stream", s.Info().Name)
}

// examine checks that the first example fits the network.
func (s *stream) examine(flag string, net *network, norm normalizer.Normalizer, labels bool) error {
	if err := examineObject(s.First(), net, norm, labels); err != nil {
		hint := ""
		if strings.HasPrefix(s.Info().Name, "csv:") && !labels && !strings.Contains(s.Info().Name, "label=") {
			hint = "; the last column is taken for a label, unless the source ends in ?label=none"
		}
		return fmt.Errorf("--%s: %s: %w%s", flag, s.Info().Name, err, hint)
	}
	return nil
}

// eachPiece gives f the data, or of a stream the examples in pieces, in order. They are of one size, so that no sum depends on the
// time; but from standard input and pipes all that came while f was at work, up to that size: those are not waited for.
func (a *applied) eachPiece(ctx context.Context, f func(*distributed.Data) error) error {
	if s, ok := a.source.(*stream); ok {
		release, err := a.on.Hold(ctx) // it goes to the workers once, not with each piece
		if err != nil {
			return err
		}
		defer release()
		return s.pieces(ctx, a.engine, a.net.normalizer, f)
	}
	return f(a.data)
}

func (s *stream) pieces(ctx context.Context, e engine.Engine, norm normalizer.Normalizer, f func(*distributed.Data) error) error {
	rows := make(chan *data.MultiDataSet, 256)
	over := make(chan struct{})
	defer close(over)
	var failed error
	go func() {
		defer close(rows)
		for {
			m, err := s.Next()
			if err != nil {
				failed = err
				return
			}
			select {
			case rows <- m:
			case <-over:
				return
			}
		}
	}()
	// The next piece is put together while f is at work.
	type piece struct{ sets []*data.MultiDataSet }
	ready := make(chan piece)
	go func() {
		defer close(ready)
		var p piece
		bytes := int64(0)
		for rows := rows; rows != nil || len(p.sets) > 0; {
			in, out := rows, ready
			if len(p.sets) == streamed || bytes >= streamedBytes {
				in = nil
			}
			if len(p.sets) == 0 || in != nil && !s.Live() {
				out = nil
			}
			select {
			case m, ok := <-in:
				if !ok {
					rows = nil
					break
				}
				p.sets = append(p.sets, m)
				bytes += m.Bytes()
			case out <- p:
				p, bytes = piece{}, 0
			case <-over:
				return
			}
		}
	}()
	for {
		select {
		case p, ok := <-ready:
			if !ok {
				if !errors.Is(failed, io.EOF) {
					return fmt.Errorf("--data: %w", failed)
				}
				return nil
			}
			rows, err := distributed.FromDataSets(e, p.sets, 0)
			if err != nil {
				return err
			}
			d := rows
			if norm != nil {
				d, err = d.Normalize(norm)
			}
			if err == nil {
				err = f(d)
			}
			rows.Unpersist() // a cluster keeps what was sent to it
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// keyed says whether a csv: names a column of keys.
func keyed(spec string) bool {
	_, options, _ := strings.Cut(spec, "?")
	values, _ := url.ParseQuery(options)
	return values.Get("key") != ""
}
