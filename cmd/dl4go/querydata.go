package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// queryFlags say what the columns of a query are.
type queryFlags struct {
	distributed.QueryOptions
	flags *pflag.FlagSet
	// count: the examples are counted, and kept at this level.
	count bool
	level engine.StorageLevel
}

// queryOnly lists the flags that are about queries alone.
var queryOnly = []string{"features", "label", "classes", "shape", "ordered", "keys"}

func (f *queryFlags) add(fs *pflag.FlagSet) {
	f.flags = fs
	fs.StringSliceVar(&f.Features, "features", nil, "`COLUMNS` sql: feature columns (default: the others)")
	fs.StringSliceVar(&f.Labels, "label", nil, "`COLUMNS` sql: label columns (default label, labels or y)")
	fs.IntVar(&f.Classes, "classes", 0, "`N` sql: the label is a class from 0 to N-1")
	fs.IntSliceVar(&f.Shape, "shape", nil, "`SHAPE` sql: shape of the features, such as 1,28,28")
	fs.BoolVar(&f.Ordered, "ordered", false, "sql: keep the query's order, with one worker")
}

// addKeys is for commands whose results have keys.
func (f *queryFlags) addKeys(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.Keys, "keys", nil, "`COLUMNS` sql: columns that identify each result")
}

// check refuses flags that have no effect, as no data is a query.
func (f *queryFlags) check(specs ...string) error {
	for _, spec := range specs {
		if isQuery(spec) {
			return nil
		}
	}
	for _, name := range queryOnly {
		if f.flags.Lookup(name) != nil && f.flags.Changed(name) {
			return usagef("--%s is about the columns of a query, and no data is one: sql:SELECT …", name)
		}
	}
	return nil
}

func isQuery(spec string) bool { return strings.HasPrefix(spec, "sql:") }

// queryData is the rows of a query, which the cluster reads.
type queryData struct {
	*distributed.Query
	ctx   context.Context
	info  source.Info
	level engine.StorageLevel // that it is kept at

	next int // example that comes
	pull func() (*data.MultiDataSet, error, bool)
	stop func()
}

// openQuery asks for a query's columns and reads a few rows; where examples are to be counted, all of them.
func openQuery(ctx context.Context, w *workplace, query string, as *data.Schema) (*queryData, error) {
	e, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	f := w.query
	w.out.start("looking at the query", 0)
	defer w.out.stop()
	o := f.QueryOptions
	if o.Features, err = queryFeatures(ctx, e, query, o.Features, as); err != nil {
		return nil, err
	}
	q, err := distributed.FromQuery(ctx, e, query, o)
	if err != nil {
		return nil, err
	}
	name := "sql:" + strings.Join(strings.Fields(query), " ")
	if short := []rune(name); len(short) > 60 {
		name = string(short[:60]) + "…"
	}
	d := &queryData{Query: q, ctx: ctx, info: source.InfoOf(name, q.Sample)}
	d.info.Examples, d.info.LabelNames, d.info.Schema = 0, nil, querySchema(q, f.Classes)
	if f.Classes > 0 {
		d.info.Classes = f.Classes
	}
	w.last = append(w.last, d.rest)
	if !f.count {
		return d, nil
	}
	if f.level != engine.None && f.level != "" {
		d.level = f.level
		q.Persist(f.level)
	}
	d.info.Examples, err = q.Count(ctx)
	return d, err
}

// Info tells what the data is like.
func (d *queryData) Info() source.Info { return d.info }

// Objects is the number of examples, each of which is one.
func (d *queryData) Objects() int { return d.info.Examples }

// Object fetches example i. One that follows the last one costs no job of its own.
func (d *queryData) Object(i int) (*data.MultiDataSet, error) {
	if d.pull == nil || d.next > i {
		d.rest()
		d.next = 0
		d.pull, d.stop = iter.Pull2(func(yield func(*data.MultiDataSet, error) bool) {
			err := d.Examples(d.ctx, func(m *data.MultiDataSet) error {
				if !yield(m, nil) {
					return distributed.ErrStop
				}
				return nil
			})
			if err != nil {
				yield(nil, err)
			}
		})
	}
	for {
		m, err, ok := d.pull()
		if !ok {
			err = fmt.Errorf("%s has fewer rows than it had", d.info.Name)
		}
		if err != nil {
			return nil, err
		}
		if d.next++; d.next > i {
			return m, nil
		}
	}
}

// rest is for when no example is asked for any more.
func (d *queryData) rest() {
	if d.pull != nil {
		d.stop()
		d.pull = nil
	}
}

// examine checks that the sample fits the network.
func (d *queryData) examine(flag string, net *network, norm normalizer.Normalizer, labels bool) error {
	m := d.Sample.Clone()
	m.Meta = nil
	if labels && len(d.Labels) == 0 {
		return fmt.Errorf("--%s: %s has no column named label, labels or y: --label names another", flag, d.info.Name)
	}
	if err := examineObject(m, net, norm, labels); err != nil {
		return fmt.Errorf("--%s: %s: %w", flag, d.info.Name, err)
	}
	return nil
}

// Spread gives the data through a normalizer. What is kept is kept normalized then.
func (d *queryData) Spread(_ context.Context, _ engine.Engine, norm normalizer.Normalizer, _ int) (*distributed.Data, error) {
	d.rest()
	if norm == nil {
		return d.Data, nil
	}
	normalized, err := d.Normalize(norm)
	if err != nil || !d.Persisted() {
		return normalized, err
	}
	normalized.Persist(d.level)
	if _, err := normalized.Rows().Commits(d.ctx); err != nil {
		return nil, err
	}
	d.Unpersist()
	return normalized, nil
}

// Size is what the examples would take in memory. Nothing of them is in this process.
func (d *queryData) Size() (bytes int64, inFiles bool) {
	return d.info.Bytes(), true
}
