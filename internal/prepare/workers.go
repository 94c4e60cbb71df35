package prepare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/storage"
)

// OpenOn makes examples of a table that the workers of an engine read: see [distributed.WorkersReadRaw]. They examine
// the rows and run the pipeline. The driver receives their findings, the values of a split's column, and the keys of
// sequences and of steps that gather rows.
func OpenOn(ctx context.Context, e engine.Engine, n source.Name, s Settings, o distributed.OpenOptions) (*Result,
	error) {
	ctx = storage.Watched(ctx)
	w := &workers{options: o}
	return open(n, s, func(of source.RowOptions) (*table, reader, error) {
		raw := distributed.RawOptions{Sequencing: of.Sequencing, Partitions: o.Partitions,
			PartitionRows: o.PartitionRows, More: others(n, s), Dropped: of.Dropped}
		if of.As != nil {
			raw.As = []*pipeline.Schema{of.As}
		}
		var err error
		if w.all, err = distributed.OpenRaw(ctx, e, n, raw); err != nil {
			return nil, nil, err
		}
		w.table = &table{ctx: ctx, name: n, of: of, schema: w.all.Schema()}
		return w.table, w, nil
	})
}

// ByWorkers says whether the workers of an engine are to read the raw rows of data: queries, files in a cluster's
// storage, and those of this machine where each of several processes gets some.
func ByWorkers(ctx context.Context, e engine.Engine, n source.Name) bool {
	if _, err := engine.TablesOf(e); err == nil || distributed.NeedsEngine(n) {
		return distributed.RawByWorkers(n)
	}
	k, _ := source.KindOf(n.Kind)
	files, _ := k.(source.RawFiles)
	if !strings.HasPrefix(e.Master(), "processes") || files == nil || !source.OneByOne(n) {
		return false
	}
	paths, err := source.RawPaths(ctx, files, n.Place)
	return err == nil && len(paths) >= e.Slots() // else one worker would read what this process reads as fast
}

// Raw says whether data has raw columns for a pipeline that is proposed: a table, or a query of numbers, texts and
// times whose features no setting names. The function opens the engine of a query.
func Raw(ctx context.Context, n source.Name, open func(context.Context) (engine.Engine, error)) (bool, error) {
	if !distributed.NeedsEngine(n) {
		k, _ := source.KindOf(n.Kind)
		_, tabular := k.(source.Tabular)
		_, image := n.Settings["image"]
		return tabular && !image, nil
	}
	_, features := n.Settings["features"]
	_, shape := n.Settings["shape"]
	if (&source.Preparation{}).For(n) == nil || features || shape {
		return false, nil
	}
	e, err := open(ctx)
	if err != nil {
		return false, err
	}
	return distributed.RawQuery(ctx, e, n)
}

// others are columns that are read beside those that a pipeline takes.
func others(n source.Name, s Settings) (names []string) {
	if s.Known != nil {
		names = append(names, s.Known.Labels...)
	} else if label, ok := n.Settings["label"]; ok {
		names = source.Values(label)
	}
	if s.Split.Column != "" {
		names = append(names, s.Split.Column)
	}
	return slices.DeleteFunc(names, func(name string) bool { // the number of a column, or none
		_, err := strconv.Atoi(name)
		return err == nil || name == "none"
	})
}

// named gives what is asked of a query the names of columns as the query has them, in whatever case they are written.
// Without a label it is the column label, labels or y, if there is one.
func (o *opening) named() {
	n, schema := o.name, o.schema
	if !distributed.NeedsEngine(n) {
		return
	}
	settings := map[string]string{}
	for key, value := range n.Settings {
		settings[key] = value
	}
	find := func(name string) (string, bool) {
		at := slices.IndexFunc(schema.Columns, func(c pipeline.Column) bool { return strings.EqualFold(c.Title(), name) })
		if at < 0 || schema.Index(name) >= 0 {
			return name, schema.Index(name) >= 0
		}
		return schema.Columns[at].Title(), true
	}
	for _, key := range []string{"label", "keys", "weights"} {
		if list, ok := settings[key]; ok {
			names := source.Values(list)
			for i := range names {
				names[i], _ = find(names[i])
			}
			settings[key] = source.JoinValues(names)
		}
	}
	if _, given := settings["label"]; !given {
		if name, ok := distributed.DefaultLabel(schema.Names()); ok {
			settings["label"] = source.JoinValues([]string{name})
		}
	}
	o.Split.Column, _ = find(o.Split.Column)
	o.name.Settings = settings
}

// workers read a table.
type workers struct {
	*table
	options    distributed.OpenOptions
	all        *distributed.RawTable
	counts     []int64 // rows of each partition; nil until they are counted
	found      *sight  // in all rows or, ofTraining, in those to train on
	ofTraining bool
}

// look has the workers look through all rows: at the labels and, where rows are not parted, at all else.
func (w *workers) look(o *opening) (*survey, error) {
	conf := lookConf{Labels: o.raw, Split: o.Split.Column, SplitTitle: o.Split.title(), Of: o.name.OnlyBadRows()}
	for _, name := range o.raw {
		if _, err := w.schema.Find(name); err != nil {
			return nil, fmt.Errorf("the label: %w", err)
		}
	}
	if _, err := w.schema.Find(conf.Split); err != nil && conf.Split != "" {
		return nil, fmt.Errorf("%s: %w", o.Split.title(), err)
	}
	s := newSurvey(len(o.raw), o.Split, o.Memory)
	switch {
	case o.parted():
		conf.ByLabel = s.byLabel
	case o.Known != nil:
		return s, nil // nobody asks for anything
	case o.Pipeline == nil:
		conf.Profile = &analysis.InferOptions{Label: o.labels, Memory: o.Memory}
	}
	found, err := w.sight(w.all, conf, s.splitText)
	if err != nil {
		return s, err
	}
	if w.found = found; found.Rows == 0 {
		if distributed.NeedsEngine(w.name) {
			return s, &distributed.NoRowsError{}
		}
		return s, fmt.Errorf("%s: there are no rows in it", w.name)
	}
	s.rows, s.labels, s.gaps, s.changes = found.Rows, found.Found, found.Gaps, found.Changes
	return s, nil
}

// sight looks through a table. It calls split with the text of each row by which rows are split.
func (w *workers) sight(t *distributed.RawTable, conf lookConf, split func(text string) error) (found *sight,
	err error) {
	defer w.busy("looking through the data")()
	if conf.Profile != nil {
		if conf.Schema, err = w.schema.JSON(); err != nil {
			return nil, err
		}
	}
	rows, err := lookThrough.On(t, conf)
	if err != nil {
		return nil, err
	}
	if conf.Profile != nil {
		return w.together(rows, conf)
	}
	found = conf.empty()
	counts := make([]int64, rows.Partitions())
	err = rows.Collect(w.ctx, func(p int, row engine.Row) error {
		before := found.Rows
		err := conf.merge(found, row.Bytes)
		counts[p] += int64(found.Rows - before)
		for _, text := range found.Splits {
			err = errors.Join(err, split(text))
		}
		return err
	})
	if t == w.all {
		w.counts = counts
	}
	return found, err
}

// together has the workers put together what they found.
func (w *workers) together(rows *engine.Dataset, conf lookConf) (*sight, error) {
	found := conf.empty()
	merged, err := rows.Reduce(w.ctx, mergeSights.With(conf), 2)
	if errors.Is(err, engine.ErrEmpty) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return found, conf.merge(found, merged)
}

func (w *workers) busy(what string) (done func()) {
	if w.options.Busy == nil {
		return func() {}
	}
	return w.options.Busy(what)
}

// only is the table with some of its rows.
func (w *workers) only(o *opening, rows *rowSet) (*distributed.RawTable, error) {
	if !o.parted() || rows == nil {
		return w.all, nil
	}
	return w.all.Only(w.ctx, w.counts, rows.all)
}

// training has the workers look through the rows to train on, once.
func (w *workers) training(o *opening) (err error) {
	if !o.parted() || w.ofTraining {
		return nil
	}
	conf := lookConf{Labels: o.raw, Of: o.name.OnlyBadRows()}
	if o.Pipeline == nil {
		conf.Profile = &analysis.InferOptions{Label: o.labels, Memory: o.Memory}
	}
	t, err := w.only(o, o.train)
	if err != nil {
		return err
	}
	w.found, err = w.sight(t, conf, nil)
	w.ofTraining = err == nil
	return err
}

// analyse profiles the rows to train on.
func (w *workers) analyse(o *opening) (*analysis.Table, error) {
	if err := w.training(o); err != nil {
		return nil, err
	}
	return w.found.profiler.Table(), nil
}

// example is a label of the first training row that has one.
func (w *workers) example(o *opening, label int) (string, error) {
	if err := w.training(o); err != nil {
		return "", err
	}
	for _, text := range w.found.Found[label] {
		if text != "" {
			return text, nil
		}
	}
	return "", nil
}

// made are the different texts of columns of the pipeline's result.
func (w *workers) made(o *opening, _ *pipeline.Plan, columns []string) ([][]string, error) {
	found, err := w.result(o, columns)
	if err != nil {
		return nil, err
	}
	for k, gap := range found.Gaps {
		if gap != "" && !skips(o.name) {
			return nil, fmt.Errorf("%s: column %q: the label is missing; drop the row", gap, columns[k])
		}
		found.Found[k] = slices.DeleteFunc(found.Found[k], func(text string) bool { return text == "" })
	}
	return found.Found, nil
}

// perStep says whether a label changes within a sequence of the pipeline's result.
func (w *workers) perStep(o *opening, _ *pipeline.Plan, columns []string) (bool, error) {
	found, err := w.result(o, columns)
	return err == nil && slices.ContainsFunc(found.Changes, func(all map[string]bool) bool { return len(all) > 0 }), err
}

// result has the workers look at columns of the pipeline's result.
func (w *workers) result(o *opening, columns []string) (*sight, error) {
	defer w.busy("running the pipeline")()
	t, p := w.all, o.result.Preparation
	if !p.Streams() {
		var err error
		if t, err = t.Gathered(w.ctx, p.Pipeline); err != nil {
			return nil, err
		}
		p = p.After()
	}
	text, err := p.Pipeline.JSON()
	if err != nil {
		return nil, err
	}
	conf := lookConf{Pipeline: text, Raw: o.raw, Labels: columns, Of: o.name.OnlyBadRows()}
	rows, err := lookAtMade.On(t, conf)
	if err != nil {
		return nil, err
	}
	found, err := w.together(rows, conf)
	if err == nil && found.Rows == 0 {
		err = fmt.Errorf("%s: the pipeline leaves none of its %d rows; see its filters", w.name, o.seen.rows)
	}
	return found, err
}

// tokens counts those of the rows to train on.
func (w *workers) tokens(o *opening, column string) (map[string]int, error) {
	t, err := w.only(o, o.train)
	if err != nil {
		return nil, err
	}
	defer w.busy("counting tokens")()
	counts := map[string]int{}
	rows, err := countTokens.On(t, tokensConf{o.name.OnlyBadRows(), column})
	if err != nil {
		return nil, err
	}
	err = rows.Collect(w.ctx, func(_ int, row engine.Row) error {
		var part map[string]int
		err := json.Unmarshal(row.Bytes, &part)
		for token, n := range part {
			counts[token] += n
		}
		if err == nil {
			err = tooManyTokens(counts, column)
		}
		return err
	})
	return counts, err
}

// open has the workers make the examples.
func (w *workers) open(o *opening) (err error) {
	if o.parted() && !o.result.Preparation.Streams() {
		return errPartedGathering
	}
	texts := o.textGaps()
	part := func(rows *rowSet, texts *source.TextGaps) (source.Source, error) {
		t, err := w.only(o, rows)
		if err != nil {
			return nil, err
		}
		options := w.options
		options.Options, options.Count = source.Options{Preparation: o.result.Preparation, TextGaps: texts}, true
		return t.Source(w.ctx, options)
	}
	if o.result.Train, err = part(o.train, nil); err == nil && o.held != nil {
		o.result.HeldOut, err = part(o.held, texts)
	}
	if err != nil {
		return err
	}
	var unseen []source.Unseen
	cut, gaps, bad := 0, 0, o.name.BadRows()
	for i, s := range []source.Source{o.result.Train, o.result.HeldOut} {
		if m, ok := s.(interface {
			Missed() (cut, gaps int, bad source.Found)
		}); ok {
			c, g, found := m.Missed()
			cut, gaps, unseen = cut+c, gaps+g, source.JoinUnseen(unseen, found.Unseen)
			if i > 0 { // rows that can't be read are in no part, and were counted with the first
				found.Skipped = found.Refused
			}
			if err := bad.Add(found); err != nil {
				return err
			}
		}
	}
	if err := texts.Check(unseen); err != nil {
		return err
	}
	info := o.result.Train.Info()
	info.Notes = append(w.all.Notes(), source.RowNotes(cut, gaps, o.result.Preparation, unseen, bad)...)
	o.noteRows(info)
	return nil
}
