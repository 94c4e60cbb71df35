package distributed

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Results have a result of the network for each example of a data set, with the example's key. They are distributed
// like the data set, with the same partitions and order. They are lazy: workers compute them each time they are read,
// with the network as it was when the results were requested.
//
// With keys, the order does not matter, because a result keeps its key. Keys need not be unique, except for
// [Results.ByKey].
type Results[T any] struct {
	engine engine.Engine
	rows   *engine.Dataset
	source *Data
	read   func(row []byte) (meta string, value T, err error)
	data   *Data // the same, as examples
	// table returns the columns besides the keys, and the step that makes rows of cells.
	table    func(TableOptions) ([]engine.Column, engine.Step, error)
	release  func()
	released atomic.Bool
}

// errReleased is the error of results that were released.
var errReleased = errors.New("the results were released, and with them the network that computes them")

// Release removes the network from the workers, unless other results need it too. After that, the results can't be
// computed. A second Release does nothing.
func (r *Results[T]) Release() {
	if !r.released.Swap(true) {
		r.release()
	}
}

// Data returns the results as examples. Features are the outputs, one array for each, or the score, a float32 of shape
// [1]. Keys are those of the examples, and so are labels, if PredictOptions.Labels is set. The data can be computed
// until [Results.Release], or later if it is persisted.
func (r *Results[T]) Data() *Data { return r.data }

// Each brings all results to the driver, in the order of the examples, as partitions are computed. An example without a
// key has the key "". The key of a query's row is a text. Several key columns become a line of CSV, in which NULL is
// empty. ErrStop, returned by f, ends the visit without an error; any other error ends it with this error. The driver
// holds the results of a few partitions in memory.
func (r *Results[T]) Each(ctx context.Context, f func(key string, value T) error) error {
	err := r.each(ctx, func(_ int, key string, value T) error { return f(key, value) })
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

func (r *Results[T]) each(ctx context.Context, f func(partition int, key string, value T) error) error {
	if r.released.Load() {
		return errReleased
	}
	err := r.rows.Collect(ctx, func(p int, row engine.Row) error {
		meta, value, err := r.read(row.Bytes)
		if err != nil {
			return err
		}
		return f(p, keyText(meta, r.source.keys), value)
	})
	return r.data.explain(ctx, err)
}

// ByKey brings all results to the driver. Each example must have a unique key.
func (r *Results[T]) ByKey(ctx context.Context) (map[string]T, error) {
	type place struct{ partition, example int }
	say := func(at place) string { return fmt.Sprintf("example %d of partition %d", at.example, at.partition) }
	all, places := make(map[string]T), make(map[string]place)
	at := place{partition: -1}
	err := r.each(ctx, func(p int, key string, value T) error {
		if at.example++; at.partition != p {
			at = place{partition: p}
		}
		if key == "" {
			return fmt.Errorf("%s has no key: results of examples without keys can be had by Each, not by key", say(at))
		}
		if first, twice := places[key]; twice {
			return fmt.Errorf("the key %q is there twice, for %s and for %s: results by key need keys that differ; Each "+
				"gives all", key, say(first), say(at))
		}
		all[key], places[key] = value, at
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Save writes the results to the engine's storage, below dir, in files of batch results: see [Data.Export]. They stay
// there. The files are Deeplearning4j's DataSets, or MultiDataSets for several outputs. Their features are the outputs,
// and their metadata the keys. Keys that are not text cannot be saved.
func (r *Results[T]) Save(ctx context.Context, dir string, batch int) (*Exported, error) {
	if r.released.Load() {
		return nil, errReleased
	}
	counts, err := r.source.Counts(ctx) // needs no network
	if err != nil {
		return nil, err
	}
	d := r.data.derive(r.data.rows.Map(saveKeys.With(names(r.source.keys))))
	d.keys, d.counts = nil, counts
	saved, err := d.Export(ctx, dir, batch)
	if err != nil {
		return nil, err
	}
	if err := saved.Keep(ctx); err != nil {
		return nil, errors.Join(err, saved.Remove(context.WithoutCancel(ctx)))
	}
	return saved, nil
}

// saveKeys converts the keys to text, which a file can hold.
var saveKeys = engine.Register("distributed.saveKeys",
	func(t *engine.Task, columns []string, in engine.Rows, out engine.Writer) error {
		return eachRow(in, out, func(n int, row []byte) ([]byte, error) {
			m, err := data.DecodeRow(row)
			if err != nil {
				return nil, err
			}
			for i, key := range m.Meta {
				if m.Meta[i] = keyText(key, columns); !utf8.ValidString(m.Meta[i]) {
					return nil, fmt.Errorf("example %d of partition %d has the key %q, which is not a text: files hold keys that are",
						n, t.Partition, m.Meta[i])
				}
			}
			return data.AppendRow(nil, m), nil
		})
	})
