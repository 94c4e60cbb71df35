package source

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/dl4go/dl4go/data"
)

// preparedStream returns the examples as their rows are read. They don't share memory.
type preparedStream struct {
	*PreparedRows
	name string
}

func (p *Preparation) stream(ctx context.Context, n Name, o Options) (Examples, error) {
	r, err := p.open(ctx, n, o)
	if err != nil {
		return nil, err
	}
	r.batches.share(runtime.GOMAXPROCS(0))
	return &preparedStream{&PreparedRows{rowReader: r, lasting: true}, n.String()}, nil
}

func (s *preparedStream) Live() bool { return isLive(s.rows) }

func (s *preparedStream) Next() (*data.MultiDataSet, error) {
	m, err := s.PreparedRows.Next()
	if err == io.EOF && s.made == 0 {
		return nil, fmt.Errorf("%s: %w", s.name, s.close())
	}
	return m, err
}

func (s *preparedStream) Close() error {
	s.batches.halt()
	return s.rows.Close()
}
