// Package prepare makes examples of a table's raw columns for training: it finds the labels, splits the rows, takes or
// proposes a pipeline, and runs it.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/storage"
)

// Settings say how the rows of a table become examples.
type Settings struct {
	// Pipeline is the pipeline to run; if it is nil, one is proposed.
	Pipeline *pipeline.Pipeline
	// Known is the preparation of a model or a checkpoint, to be used unchanged; nil for a new one.
	Known *source.Preparation
	// Proposal has the options for a proposed pipeline.
	Proposal analysis.Options
	// Split says which rows are held out.
	Split Split
	// Sample is the number of rows to use, drawn randomly; 0 means all.
	Sample int
	// Seed is for Split and Sample.
	Seed int64
	// Room limits the memory of the examples that this process makes; nil keeps them in a source.Table.
	Room *source.Room
	// Memory limits the bytes for the counts of a proposed pipeline's columns: see [analysis.InferOptions].
	Memory int64
}

// Result is the examples of a table.
type Result struct {
	// Preparation says how they were made.
	Preparation *source.Preparation
	// Train are the examples to train on, and HeldOut the others; nil where none are held out. Those of [Open] are a
	// source.Table, or source.Stored with Settings.Room.
	Train, HeldOut source.Source
	// Columns say how a proposed pipeline treats the columns, and Notices what a person should know about them.
	Columns []analysis.Decision
	Notices []analysis.Notice
	// Last is the label, if none was given: the last column. It is empty otherwise.
	Last string
	// Why has the task chosen for the labels, and the reason; empty if it was given.
	Why string
}

// Open makes examples of a table.
func Open(ctx context.Context, n source.Name, s Settings) (*Result, error) {
	ctx = storage.Watched(ctx)
	return open(n, s, func(of source.RowOptions) (*table, reader, error) {
		t, err := tableOf(ctx, n, of)
		return t, t, err
	})
}

// open makes examples of a table. by opens the table, and returns it with its reader.
func open(n source.Name, s Settings, by func(source.RowOptions) (*table, reader, error)) (*Result, error) {
	w, err := wantedOf(n)
	if err != nil {
		return nil, err
	}
	o := &opening{Settings: s, wanted: w}
	of, err := o.rowOptions(n)
	if err != nil {
		return nil, err
	}
	if o.table, o.reader, err = by(of); err != nil {
		return nil, err
	}
	o.named()
	err = o.survey()
	if o.seen != nil {
		defer o.seen.forget()
	}
	if err != nil {
		return nil, err
	}
	if err := o.part(); err != nil {
		return nil, err
	}
	if err := o.prepare(); err != nil {
		return nil, err
	}
	if err := o.reader.open(o); err != nil {
		return nil, err
	}
	return &o.result, nil
}

// reader reads the rows of a table: this process, or workers.
type reader interface {
	// look reads the labels of all rows.
	look(o *opening) (*survey, error)
	// analyse profiles the training rows.
	analyse(o *opening) (*analysis.Table, error)
	// example returns a label of the first training row that has one; empty if none has.
	example(o *opening, label int) (string, error)
	// made returns the different texts of columns of the pipeline's result, or maxClasses of them: see note.
	made(o *opening, plan *pipeline.Plan, columns []string) ([][]string, error)
	// perStep reports whether a label changes within a sequence of the pipeline's result.
	perStep(o *opening, plan *pipeline.Plan, columns []string) (bool, error)
	// tokens counts the tokens of the training rows.
	tokens(o *opening, column string) (map[string]int, error)
	// open makes the examples.
	open(o *opening) error
}

// opening is a table that is being opened.
type opening struct {
	Settings
	wanted
	result Result
	*table
	reader reader
	labels []string // as the user or the data names them
	raw    []string // their columns in the data; empty where the data has none of that name
	seen   *survey
	train  *rowSet // nil if all are trained on
	held   *rowSet

	numbers  []analysis.Numbers // of a proposed pipeline
	profiled int64              // rows for which it was proposed, including steps of sequences
}

// survey finds the labels, and examines them.
func (o *opening) survey() (err error) {
	keys := o.name.Keys()
	if w := o.name.Weights(); w != "" {
		if o.schema.Index(w) < 0 {
			return fmt.Errorf("the weights: there is no column %q: there are %s", w, data.ShortList(o.schema.Names()))
		}
		keys = append(slices.Clone(keys), w)
	}
	if o.Known != nil {
		o.labels = o.Known.Labels
	} else if o.labels, err = labelNames(o.name, o.schema, slices.Concat(keys, o.sequenceColumns())); err != nil {
		return err
	}
	if o.Known == nil && byDefault(o.name) {
		o.result.Last = o.labels[0]
	}
	if slices.Contains(o.labels, o.name.Weights()) {
		return fmt.Errorf("the weights: the column %q is the label; choose another", o.name.Weights())
	}
	if slices.Equal(o.labels, []string{"none"}) && o.schema.Index("none") < 0 {
		return errors.New("label=none: there are no labels to train by")
	}
	for _, name := range o.labels {
		if o.Pipeline != nil && o.schema.Index(name) < 0 {
			name = raw(o.Pipeline, name)
		}
		if o.Pipeline == nil || o.schema.Index(name) >= 0 {
			o.raw = append(o.raw, name)
		}
	}
	if o.seen, err = o.reader.look(o); err != nil {
		return err
	}
	proposed := o.Pipeline == nil && o.Known == nil
	if label, where := o.gap(); label >= 0 && proposed && o.Proposal.Missing != analysis.MissingDrop &&
		!skips(o.name) {
		return fmt.Errorf("%s: column %q: the label is missing; fill it in, or leave such rows out with %s",
			where, o.raw[label], o.Proposal.Word("Missing", "drop"))
	}
	return nil
}

// skips reports whether some rows that the pipeline refuses may be skipped, such as those without a label.
func skips(n source.Name) bool {
	bad := n.BadRows()
	return bad != nil && bad.Limit > 0
}

// parted reports whether only some of the rows are training rows.
func (o *opening) parted() bool { return !o.Split.none() || o.Sample > 0 }

// trained returns how many rows are trained on.
func (o *opening) trained() int {
	if o.train == nil {
		return o.seen.rows
	}
	return o.train.size()
}

// trainsOn reports whether a row is trained on.
func (o *opening) trainsOn(row int) bool {
	return row < o.seen.rows && (o.train == nil || o.train.has(row))
}

// part draws the rows to train on, and those to hold out.
func (o *opening) part() error {
	if !o.parted() {
		return nil
	}
	n := o.seen.rows
	if n > math.MaxUint32 {
		return fmt.Errorf("%s: there are more than %d rows to draw from; divide the data before, and give the other part "+
			"as held-out data", o.name, uint32(math.MaxUint32))
	}
	var sample *rowSet // nil: all rows
	if o.Sample > 0 && o.Sample < n {
		var err error
		if sample, err = drawn(o.ctx, random.Mix(uint64(o.Seed), sampling), n, o.Sample); err != nil {
			return fmt.Errorf("%s: the sample: %w", o.name, err)
		}
		o.train, n = sample, o.Sample
	}
	if o.Split.none() {
		return nil
	}
	picked, err := o.splitBy(sample)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Split.title(), err)
	}
	train, held, err := o.Split.rowsOf(o.ctx, n, picked, o.seen.when, o.Seed)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", o.Split.title(), o.name, err)
	}
	o.train, o.held = train.of(sample), held.of(sample)
	o.seen.forget()
	return nil
}

// splitBy returns the values by which the rows of a sample are split: the labels, or the split's column. It returns nil
// if the split is only random. A nil sample has all rows.
func (o *opening) splitBy(sample *rowSet) (*texts, error) {
	s, of := o.Split, o.seen.split
	single := len(o.raw) == 1 && len(o.seen.changes[0]) == 0
	if o.seen.when != nil {
		o.seen.when.sample = sample
	}
	switch {
	case s.By == Stratified && len(o.raw) != 1:
		return nil, errors.New("a stratified split is by one label column of the data")
	case s.By == Stratified && !single:
		s.By = ByChance
		return nil,
			fmt.Errorf("a stratified split needs one label of each sequence, and column %q changes within them; use %s",
				o.raw[0], s.title())
	case of == nil, s.Folds > 0 && s.By == ByChance && !single:
		return nil, nil
	case of.over && s.Folds > 0 && s.By == ByChance && sample == nil && len(of.all)*s.Folds > o.seen.rows:
		return nil, nil // as fewValues decides
	case of.over:
		return nil, fmt.Errorf("%s: the different values that rows are split by take more than %d MB of memory: allow "+
			"more (%s), or divide the data before, and give the other part as held-out data", o.name, of.limit/1e6,
			o.Proposal.Word("Memory", ""))
	}
	picked := of
	if sample != nil {
		picked = of.pick(sample.all)
	}
	if s.Folds > 0 && s.By == ByChance && !s.fewValues(picked) {
		return nil, nil
	}
	if s.Folds > 0 && s.By == Stratified {
		return picked, s.checkStratified(picked)
	}
	return picked, nil
}

// sampling keys the draw of a sample.
const sampling = 0x5a3b1e

// prepare determines the pipeline and the description of its labels.
func (o *opening) prepare() (err error) {
	if o.Known != nil {
		o.result.Preparation = o.Known
		return nil
	}
	p := &source.Preparation{Pipeline: o.Pipeline, Labels: o.raw, Sequence: o.of.Sequencing}
	if len(o.raw) < len(o.labels) {
		p.Labels = o.labels
	}
	o.result.Preparation = p
	for k := range o.raw {
		text, err := o.reader.example(o, k)
		if err != nil {
			return err
		}
		p.Absent = append(p.Absent, text)
	}
	if len(p.Absent) != len(p.Labels) {
		p.Absent = nil
	}
	if p.Pipeline == nil {
		err = o.propose(p)
	} else {
		p.Pipeline, err = decoded(p.Pipeline, o.labels, o.regression)
	}
	if err != nil {
		return err
	}
	plan, err := p.Pipeline.Bind()
	if err != nil {
		return err
	}
	columns, classes, err := outputs(p.Pipeline, plan.Out(), o.labels)
	if err != nil {
		return err
	}
	p.Outputs = columns
	if o.Pipeline != nil {
		if err := o.embed(p); err != nil {
			return err
		}
	}
	if plan.Out().Sequence {
		if p.PerStep, err = o.reader.perStep(o, plan, columns); err != nil {
			return err
		}
	}
	switch {
	case p.Task != "":
		if len(columns) > 1 && classes != nil {
			p.Classes = classes
		}
	case classes != nil && !o.regression:
		p.Task = source.Classification
		p.Classes, err = arranged(classes, o.classes, len(columns) == 1, o.Proposal.Word("Names", ""))
	default:
		var texts [][]string
		if texts, err = o.reader.made(o, plan, columns); err != nil {
			return err
		}
		p.Task, p.Classes, o.result.Why, err = o.task(o.labels, texts)
	}
	return err
}

// embed determines which columns of a given pipeline's result are embedded.
func (o *opening) embed(p *source.Preparation) error {
	e := o.Proposal.Embed
	found := source.CategoryNumbers(p.Pipeline, p.Outputs)
	for _, name := range e.Columns {
		if !slices.Contains(found, name) {
			return fmt.Errorf("%s: the pipeline makes no numbers of categories in a column %q: it does in %s",
				o.Proposal.Word("Embed", ""), name, data.ShortList(found))
		}
	}
	if p.Embed = e.Columns; e.All {
		p.Embed = found
	}
	if e.All && len(found) == 0 {
		return fmt.Errorf("%s: the pipeline makes no numbers of categories; the step CategoricalToInteger does",
			o.Proposal.Word("Embed", ""))
	}
	return nil
}

// example looks among the labels that were read, or reads the training rows up to the first label.
func (t *table) example(o *opening, label int) (string, error) {
	if o.train == nil {
		for _, text := range o.seen.labels[label] {
			if text != "" {
				return text, nil
			}
		}
		return "", nil
	}
	at, found, stop := t.labelAt[label], "", errors.New("found")
	err := t.each(func(i int, item pipeline.Item, _ func() string) error {
		if !o.train.has(i) {
			return nil
		}
		row := item.Row
		if item.Sequence != nil {
			row = item.Sequence[0]
		}
		if found = labelOf(at, row, item.Sequence, func(string) {}); found != "" {
			return stop
		}
		return nil
	})
	if err == stop {
		err = nil
	}
	return found, err
}

// made runs the pipeline.
func (t *table) made(o *opening, plan *pipeline.Plan, columns []string) ([][]string, error) {
	texts := make([][]string, len(columns))
	var known []map[string]bool
	var at []int
	for _, name := range columns {
		at, known = append(at, plan.Out().Index(name)), append(known, map[string]bool{})
	}
	return texts, o.through(plan, func(row pipeline.Row, _ bool) error {
		for k, i := range at {
			text := textOf(row[i])
			if text == "" {
				return fmt.Errorf("column %q: the label is missing; drop the row", columns[k])
			}
			if note(known[k], text) {
				texts[k] = append(texts[k], strings.Clone(text))
			}
		}
		return nil
	})
}

// through calls each with the rows that a pipeline returns, and with the steps of sequences. next reports that a step
// follows one of its own sequence.
func (o *opening) through(plan *pipeline.Plan, each func(row pipeline.Row, next bool) error) error {
	made := 0
	run := plan.Start(func(item pipeline.Item) error {
		made++
		if item.Sequence == nil {
			return each(item.Row, false)
		}
		for k, row := range item.Sequence {
			if err := each(row, k > 0); err != nil {
				return err
			}
		}
		return nil
	})
	from := make([]int, len(plan.In().Columns))
	for i, c := range plan.In().Columns {
		var err error
		if from[i], err = o.schema.Find(c.Title()); err != nil {
			return err
		}
	}
	pick := func(row pipeline.Row) pipeline.Row {
		in := make(pipeline.Row, len(from))
		for i, c := range from {
			in[i] = row[c]
		}
		return in
	}
	bad := o.name.BadRows()
	err := o.each(func(_ int, item pipeline.Item, place func() string) error {
		if item.Sequence == nil {
			item.Row = pick(item.Row)
		}
		for k, row := range item.Sequence {
			item.Sequence[k] = pick(row)
		}
		if err := run.Push(item); err != nil {
			return bad.Refuse(fmt.Errorf("%s: %w", place(), err))
		}
		return nil
	})
	if err == nil {
		err = run.Close()
	}
	if err == nil && made == 0 {
		err = fmt.Errorf("%s: the pipeline leaves none of its %d rows; see its filters", o.name, o.seen.rows)
	}
	return err
}
