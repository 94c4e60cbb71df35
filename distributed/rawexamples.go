package distributed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// rawExamples says how workers make examples from raw rows.
type rawExamples struct {
	rawConf
	For source.Options
}

// each calls do with the examples of a partition, some at a time. They are valid until the next call.
func (c rawExamples) each(t *engine.Task, in engine.Rows, do func(*data.MultiDataSet) error) (n rawCount, err error) {
	name, bad := c.Name, c.Name.BadRows()
	if c.Filter, err = filterBy(c.For.Preparation.Pipeline, c.For.Absent()); err != nil {
		return n, engine.Permanent(err)
	}
	err = c.rawConf.each(t, in, func(rows source.Rows) error {
		from := ofQuery(rows)
		if from != nil {
			name = onlyWeights(name) // a query's keys are cells
		}
		examples, err := c.For.Preparation.Prepare(name, c.For, rows, bad)
		if err != nil {
			return engine.Permanent(err)
		}
		defer examples.Ahead(t.Threads)()
		defer func() {
			n.Read, n.Cut = n.Read+examples.Read(), n.Cut+examples.Cut()
			n.Unseen = source.JoinUnseen(n.Unseen, examples.Unseen())
		}()
		for {
			m, err := examples.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return engine.Permanent(source.Advise(err))
			}
			if from != nil && c.Query.Keys != nil {
				m.Meta = slices.Repeat([]string{from.key()}, m.Examples())
			}
			if err := do(m); err != nil {
				return err
			}
		}
	})
	skipped := bad.Found() // without new values, which n already has
	n.Skipped, n.Refused, n.First = skipped.Skipped, skipped.Refused, skipped.First
	return n, err
}

var prepareRaw = engine.Register("distributed.prepareRaw",
	func(t *engine.Task, conf rawExamples, in engine.Rows, out engine.Writer) error {
		_, err := conf.each(t, in, func(m *data.MultiDataSet) error { return writeExamples(out, m) })
		return err
	})

// rawCount counts the rows read, the examples made, the texts that were cut, and the steps of sequences without a
// label. It also has the skipped rows.
type rawCount struct {
	Read, Made, Cut, Gaps int
	source.Found
}

// of returns the number of rows read. For a table that gathers, that is the number before the pipeline.
func (n rawCount) of(t *RawTable) int {
	if t.gathered != nil {
		return t.gathered.read
	}
	return n.Read
}

var countRaw = engine.Register("distributed.countRaw",
	func(t *engine.Task, conf rawExamples, in engine.Rows, out engine.Writer) error {
		made, gaps := 0, 0
		n, err := conf.each(t, in, func(m *data.MultiDataSet) error {
			made += m.Examples()
			for _, mask := range m.LabelMasks {
				for k := 0; mask != nil && k < len(mask.Data); k++ { // sequences come one by one, without padding
					gaps += int(1 - mask.Data[k])
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		n.Made, n.Gaps = made, gaps
		b, err := json.Marshal(n)
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(b))
	})

// Source returns the examples that the workers make from the table's rows, by the Preparation of the options. If the
// Preparation gathers rows, its pipeline runs now: see [RawTable.Gathered].
func (t *RawTable) Source(ctx context.Context, o OpenOptions) (source.Source, error) {
	of, err := o.Preparation.Prepare(t.nameOfKeys(), o.Options, source.NoRows(t.schema), nil)
	if err != nil {
		return nil, err
	}
	table, step := t, source.Options{Preparation: o.Preparation, Unlabelled: o.Unlabelled, TextGaps: o.TextGaps}
	if !o.Preparation.Streams() {
		if table, err = t.gather(ctx, o.Preparation.Pipeline, o.Options); err != nil {
			return nil, err
		}
		step.Preparation = o.Preparation.After()
	}
	conf := rawExamples{table.conf, step}
	d := &Data{rows: table.rows.Map(prepareRaw.With(conf)), keys: t.keys, checked: t.conf.Query != nil}
	s := &querySource{Query: &Query{Data: d, Keys: t.keys, Sample: of.Blank()}, ctx: ctx, info: of.Info(), table: t}
	s.info.Name = t.some + sourceName(t.name)
	if o.Count || t.name.BadRows() != nil || o.Preparation.Seen != nil { // all figures for notices are counted together
		return s, s.countRaw(ctx, o, table.rows.Map(countRaw.With(conf)))
	}
	return s, nil
}

// nameOfKeys returns the name without a query's keys: they are not columns of the table.
func (t *RawTable) nameOfKeys() source.Name {
	if t.conf.Query != nil {
		return onlyWeights(t.conf.Name)
	}
	return t.name
}

// onlyWeights returns a name without its place, and only with the setting of weights.
func onlyWeights(n source.Name) source.Name {
	only := source.Name{Kind: n.Kind}
	if w := n.Weights(); w != "" {
		only.Settings = map[string]string{"weights": w}
	}
	return only
}

// countRaw counts the examples, and the rows from which they are made.
func (s *querySource) countRaw(ctx context.Context, o OpenOptions, counting *engine.Dataset) error {
	defer o.busy("running the pipeline")()
	if o.Level != engine.None && o.Level != "" {
		s.level = o.Level
		s.Persist(o.Level)
	}
	var n rawCount
	err := counting.Collect(ctx, func(_ int, row engine.Row) error {
		var part rawCount
		err := json.Unmarshal(row.Bytes, &part)
		n.Read, n.Made, n.Cut, n.Gaps = n.Read+part.Read, n.Made+part.Made, n.Cut+part.Cut, n.Gaps+part.Gaps
		n.Join(part.Found)
		return err
	})
	bad := s.table.name.BadRows()
	if err == nil {
		found := s.table.skippedBefore()
		found.Join(n.Found)
		n.Found = found
		err = bad.Add(n.Found)
	}
	switch read := n.of(s.table); {
	case err != nil:
		return err
	case read == 0:
		return &NoRowsError{Keys: s.keys}
	case n.Made == 0:
		return fmt.Errorf("the pipeline leaves none of its %d rows; see its filters", read)
	}
	if s.info.Examples = n.Made; s.table.gathered == nil {
		s.info.Filtered = n.Read - n.Refused - n.Made
	}
	s.cut, s.gaps, s.bad = n.Cut, n.Gaps, n.Found
	s.info.Notes = append(s.table.Notes(), source.RowNotes(n.Cut, n.Gaps, o.Preparation, n.Unseen, bad)...)
	return nil
}

// openPlain opens data whose numbers stay as they are, and whose examples are made from raw rows.
func openPlain(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error) {
	t, err := OpenRaw(ctx, e, n, RawOptions{})
	if err != nil {
		return nil, err
	}
	if o.Preparation, n, err = source.Plain(n, o.Options, t.Schema()); err != nil {
		return nil, err
	}
	o.Count = true
	return openPrepared(ctx, e, n, o)
}

// openPrepared opens data through a model's pipeline, which the workers run.
func openPrepared(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error) {
	as, err := o.Preparation.Wanted(!o.Unlabelled)
	if err != nil {
		return nil, err
	}
	t, err := OpenRaw(ctx, e, n, RawOptions{As: as, Sequencing: o.Preparation.Sequence, Partitions: o.Partitions,
		PartitionRows: o.PartitionRows})
	if err != nil {
		return nil, err
	}
	return t.Source(ctx, o)
}
