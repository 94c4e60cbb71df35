package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/parts"
	"github.com/dl4go/dl4go/pipeline"
)

// gatheredTable is a table after a pipeline with gathering steps.
type gatheredTable struct {
	*RawTable
	of   *pipeline.Pipeline
	read int // rows of the table
	bad  source.Found
	run  parts.Run
}

// Gathered runs a pipeline with gathering steps: reducers, sequences and ranks. It returns a table of the resulting
// rows or sequences, which have no keys any more. They stay on the workers until the table is closed. A second call
// with the same pipeline returns the same table.
func (t *RawTable) Gathered(ctx context.Context, p *pipeline.Pipeline) (*RawTable, error) {
	return t.gather(ctx, p, source.Options{})
}

// gather is Gathered for rows whose labels may be absent.
func (t *RawTable) gather(ctx context.Context, p *pipeline.Pipeline, o source.Options) (*RawTable, error) {
	if g := t.gathered; g != nil && g.of == p {
		return g.RawTable, nil
	}
	switch {
	case t.conf.Only != nil:
		return nil, errors.New("the pipeline makes examples of several rows, and some of the rows were chosen; choose them " +
			"in the data")
	case len(t.keys) > 0 || t.rowKeys() != nil:
		return nil, errors.New("the pipeline makes examples of several rows: these have no keys of their own; leave " +
			"the keys out")
	}
	plan, err := p.Bind()
	if err != nil {
		return nil, err
	}
	g := &gatheredTable{of: p}
	conf := gatherConf{Of: t.name.OnlyBadRows()}
	if conf.Steps, err = parts.Of(p); err != nil {
		return nil, err
	}
	if o.Unlabelled {
		conf.Absent = o.Preparation
	}
	g.run = parts.Run{Steps: conf.Steps, Count: func(row []byte) error {
		var n rawCount
		err := json.Unmarshal(row[1:], &n)
		g.read += n.Read
		g.bad.Join(n.Found)
		return err
	}}
	from := *t
	if from.conf.Filter, err = filterBy(p, o.Absent()); err != nil {
		return nil, err
	}
	rows, err := gatherFirst.On(&from, conf)
	if err == nil {
		rows, err = g.run.Rest(ctx, plan, rows)
	}
	if err != nil {
		g.run.Close()
		return nil, err
	}
	if g.read == 0 {
		g.run.Close()
		return nil, &NoRowsError{}
	}
	g.run.Keep(rows)
	g.RawTable = &RawTable{name: t.name, rows: rows, schema: plan.Out()}
	g.conf = rawConf{Table: schemaText{plan.Out()}, Made: true}
	t.gathered = g
	return g.RawTable, nil
}

// skippedBefore returns the rows that were skipped before the others were gathered.
func (t *RawTable) skippedBefore() source.Found {
	if t.gathered != nil {
		return t.gathered.bad
	}
	return t.lost
}

// Close removes the gathered rows, and the rows that were kept to make sequences or to join them.
func (t *RawTable) Close() error {
	if t.gathered != nil {
		t.gathered.run.Close()
	}
	for _, rows := range t.kept {
		rows.Unpersist()
	}
	for _, b := range t.sent {
		b.Release()
	}
	t.kept, t.sent = nil, nil
	return nil
}

// gatherConf is a gathering pipeline, and the preparation whose labels are absent; nil if the labels are present.
type gatherConf struct {
	parts.Steps
	Of     source.Name // its settings say which rows are skipped
	Absent *source.Preparation
}

// gatherFirst runs the first part of a pipeline on raw rows. It writes items, and the number of rows read.
var gatherFirst = RegisterRaw("distributed.gather",
	func(t *engine.Task, conf gatherConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		part, _, err := conf.Load()
		if err != nil {
			return err
		}
		sink, err := conf.Sink(out)
		if err != nil {
			return err
		}
		var writing error
		run := part.Start(0, func(i pipeline.Item) error {
			if err := sink.Check(i); err != nil {
				return err
			}
			writing = sink.Write(i)
			return writing
		})
		read, bad := 0, conf.Of.BadRows()
		err = each(func(rows source.Rows) error {
			if conf.Absent != nil {
				rows = conf.Absent.WithoutLabels(rows)
			}
			rows, _, err := source.Match(rows, part.In())
			if err != nil {
				return engine.Permanent(err)
			}
			defer func() { read += source.Passed(rows) }()
			return eachItem(t, rows, bad, func(item pipeline.Item) error {
				read++
				err := run.Push(item)
				if err == nil || writing != nil {
					return writing
				}
				return engine.Permanent(bad.Refuse(fmt.Errorf("%s: %w", rows.Place(), err)))
			})
		})
		if err == nil {
			err = engine.Permanent(run.Close())
		}
		if err != nil {
			return err
		}
		b, err := json.Marshal(rawCount{Read: read, Found: bad.Found()})
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(append([]byte{parts.CountRow}, b...)))
	})

// madeRows are a partition's items that a pipeline has made.
type madeRows struct {
	schema    *pipeline.Schema
	in        engine.Rows
	partition int
	n         int
}

// Schema returns the columns.
func (r *madeRows) Schema() *pipeline.Schema { return r.schema }

// Place numbers the item: it has no place in the data.
func (r *madeRows) Place() string {
	what := "row"
	if r.schema.Sequence {
		what = "sequence"
	}
	return fmt.Sprintf("%s %d of partition %d that comes out of the pipeline", what, r.n, r.partition)
}

// Close does nothing: the rows belong to the task.
func (r *madeRows) Close() error { return nil }

// Next returns the next item.
func (r *madeRows) Next() (item pipeline.Item, err error) {
	row, err := r.in.Next()
	if err != nil {
		return item, err
	}
	r.n++
	return parts.ReadItem(row.Bytes)
}
