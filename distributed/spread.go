package distributed

import (
	"context"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// Spreader is a source that distributes its examples to the workers itself, such as data on a cluster. [Spread] uses
// it.
type Spreader interface {
	// Spread returns the examples through a normalizer, unless that is nil, in partitions: one for each slot of the
	// engine if 0. A source that already has partitions keeps them.
	Spread(ctx context.Context, e engine.Engine, by data.Normalizer, partitions int) (*Data, error)
}

// Spread spreads a source over the workers of an engine, in partitions: one for each slot of the engine if 0. The
// workers normalize the features, unless the normalizer is nil. The workers read files themselves; other sources are
// read here, until the context ends.
func Spread(ctx context.Context, e engine.Engine, s source.Source, by data.Normalizer,
	partitions int) (*Data, error) {
	if own, ok := s.(Spreader); ok {
		return own.Spread(ctx, e, by, partitions)
	}
	_, files := s.(source.Files)
	if _, stored := s.(*source.Stored); !files && !stored && !missing(s) {
		s = interruptible{s, ctx}
	}
	d, err := FromSource(e, s, partitions)
	if err != nil || by == nil {
		return d, err
	}
	return d.Normalize(by)
}

// interruptible fails to read objects after the context has ended.
type interruptible struct {
	source.Source
	ctx context.Context
}

// ObjectRows returns the rows of an object.
func (s interruptible) ObjectRows(i int) ([][]byte, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	return source.ObjectRows(s.Source, i)
}

func (s interruptible) Object(i int) (*data.MultiDataSet, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	return s.Source.Object(i)
}
