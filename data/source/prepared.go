package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// Prepared holds the examples of a table in memory, and where they came from.
type Prepared struct {
	Table
	// Rows holds the index, from 0, of the raw row of each example. It is nil if the pipeline makes examples from
	// several rows.
	Rows []int
	// Read is the number of raw rows, or sequences, that were read.
	Read int
}

// prepare opens raw rows and makes examples of all of them: a *Prepared, or with [Options.Room] a *Stored.
func (p *Preparation) prepare(ctx context.Context, n Name, o Options) (Source, error) {
	r, err := p.open(ctx, n, o)
	if err != nil {
		return nil, err
	}
	defer r.rows.Close()
	if o.Room != nil {
		s, err := o.Room.storeRows(r, n.String())
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	for err == nil {
		r.batches.share(runtime.GOMAXPROCS(0))
		err = r.advance()
	}
	r.batches.halt()
	if err != io.EOF {
		return nil, err
	}
	if err := r.close(); err != nil {
		return nil, err
	}
	info := r.info()
	info.Name = n.String()
	info.Notes = notesOn(r, unlabelledSteps(r.gaps))
	all := &Prepared{Read: r.read}
	if r.b.plan.Out().Sequence {
		all.Table = r.sequences(info)
	} else if all.Table, err = InMemory(info, r.examples()); err != nil {
		return nil, err
	}
	if r.b.plan.Streams() {
		all.Rows = r.from
	}
	return all, nil
}

// notesOn returns notes on the rows, for people. gaps is the number of steps without a label.
func notesOn(r *rowReader, gaps int) (notes []string) {
	if noted, ok := r.rows.(interface{ Notes() []string }); ok {
		notes = noted.Notes()
	}
	notes = append(notes, gapNotes(gaps)...)
	notes = append(notes, unseenNotes(r.unseen())...)
	if skipped := r.bad.Notice(); skipped != "" {
		notes = append(notes, skipped)
	}
	return notes
}

// rowReader makes examples from raw rows.
type rowReader struct {
	inColumns
	rows     Rows
	run      *pipeline.Run
	unused   []string
	bad      *BadRows     // nil: the first bad row is an error
	batches  *batchReader // nil if rows are read one by one
	lookouts lookouts
	texts    *textGaps // nil: texts among numbers are errors

	read int          // number of rows or sequences read
	row  pipeline.Row // in the pipeline; nil: a sequence, whose key and weight are known
	key  string
	// results of the rows
	made int
	x, y []float32
	meta []string
	from []int
	// of sequences
	ends    []int  // index after the last step of each
	missing []bool // steps of the current sequence without a label; nil if all have one
	gaps    []bool // steps so far without a label; shorter if the last ones have labels

	rowWeight float32 // of the row in the pipeline
	weights   []float32
}

// inColumns are the columns of the data that go into examples.
type inColumns struct {
	b        *prepared
	labelled bool
	found    *pipeline.Schema // the data's
	columns  []int            // of the data, for each of the pipeline's; -1: absent has the value
	absent   []pipeline.Value // likewise
	keys     []int            // columns of the data
	weight   int              // likewise; -1: there are no weights
	buffer   pipeline.Row     // given to the pipeline; nil if the pipeline keeps rows
}

func (p *Preparation) open(ctx context.Context, n Name, o Options) (*rowReader, error) {
	b, err := p.bind()
	if err != nil {
		return nil, err
	}
	if err := p.sameLabel(n, o); err != nil {
		return nil, err
	}
	k, _ := KindOf(n.Kind)
	if _, ok := k.(Tabular); !ok {
		return nil, &MismatchError{fmt.Errorf("%s: data has no raw columns for a pipeline: %s have", n.Kind,
			strings.Join(tabular(), ", "))}
	}
	if err := p.sameSequences(n); err != nil {
		return nil, err
	}
	if o.Unlabelled {
		n = n.without("weights")
	}
	of := RowOptions{As: b.wanted(!o.Unlabelled), Sequencing: p.Sequence}
	of.Removes = Removes(b.plan, of.As, o.Absent())
	rows, err := RawRows(ctx, n, of)
	if other := (*MismatchError)(nil); errors.As(err, &other) && o.Unlabelled {
		// a file without a header may have the label columns, too
		of.As = b.plan.In()
		of.Removes = Removes(b.plan, of.As, o.Absent())
		var all Rows
		if all, err = RawRows(ctx, n, of); errors.As(err, new(*MismatchError)) {
			err = other // which does not ask for labels
		}
		rows = all
	}
	if err != nil {
		return nil, err
	}
	r, err := b.read(n, rows, !o.Unlabelled, n.BadRows())
	if err != nil {
		rows.Close()
		return nil, err
	}
	r.lookouts.noted, r.texts = o.Noted, o.TextGaps.find(b.plan.In())
	return r, nil
}

// wanted returns the pipeline's schema, with or without labels.
func (b *prepared) wanted(labels bool) *pipeline.Schema {
	in := b.plan.In()
	if labels {
		return in
	}
	return in.With(slices.DeleteFunc(slices.Clone(in.Columns), func(c pipeline.Column) bool {
		return slices.Contains(b.Labels, c.Title())
	}))
}

// read returns a reader of the rows. It finds the pipeline's columns among those of the data.
func (b *prepared) read(n Name, rows Rows, labels bool, bad *BadRows) (*rowReader, error) {
	found := rows.Schema()
	r := &rowReader{inColumns: inColumns{b: b, labelled: labels, found: found, weight: -1}, rows: rows, bad: bad}
	if err := b.takes(found); err != nil {
		return nil, err
	}
	if err := r.find(); err != nil {
		return nil, err
	}
	keys := b.Keys(n)
	_, empty := rows.(noRows)
	if _, named := rows.(interface{ Key() string }); named || empty && n.keysFromFiles(found) {
		keys = nil
	}
	for _, name := range keys {
		at, err := found.Find(name)
		if err != nil {
			return nil, fmt.Errorf("the key: %w", err)
		}
		r.keys = append(r.keys, at)
	}
	if err := r.findWeight(n); err != nil {
		return nil, err
	}
	for i, c := range found.Columns {
		if i != r.weight && !slices.Contains(r.columns, i) && !slices.Contains(r.keys, i) &&
			!slices.Contains(b.known(), c.Title()) {
			r.unused = append(r.unused, c.Title())
		}
	}
	if !b.plan.Streams() && r.keys != nil {
		return nil, errors.New("the pipeline makes examples of several rows: these have no keys of their own")
	}
	if b.plan.Streams() && !found.Sequence {
		r.buffer = make(pipeline.Row, len(r.columns), len(r.columns)+b.width+8)
	}
	r.lookouts.all = b.lookouts()
	r.run = b.plan.Start(r.emit)
	r.batches = newBatchReader(r)
	return r, nil
}

// find finds each column of the pipeline in the data. Labels that are not wanted need not be there.
func (r *inColumns) find() error {
	at := make(map[string]int, len(r.found.Columns))
	for i, c := range r.found.Columns {
		if _, twice := at[c.Title()]; twice && r.b.plan.In().Index(c.Title()) >= 0 {
			return &MismatchError{fmt.Errorf("two columns have the name %q, which the pipeline takes", c.Title())}
		}
		at[c.Title()] = i
	}
	var missing []string
	for _, c := range r.b.plan.In().Columns {
		label := slices.Index(r.b.Labels, c.Title())
		i, ok := at[c.Title()]
		switch {
		case label >= 0 && !r.labelled:
			v := pipeline.Null()
			if label < len(r.b.Absent) {
				v = pipeline.Text(r.b.Absent[label])
			}
			r.columns, r.absent = append(r.columns, -1), append(r.absent, v)
			continue
		case !ok:
			missing = append(missing, c.Title())
		}
		r.columns, r.absent = append(r.columns, i), append(r.absent, pipeline.Text("1"))
	}
	if missing != nil {
		lacks := "there is no column"
		if len(missing) > 1 {
			lacks = "there are no columns"
		}
		return &MismatchError{&ColumnsError{fmt.Errorf("%s %s, which the pipeline takes: there are %s",
			lacks, data.ShortList(missing), data.ShortList(r.found.Names()))}}
	}
	return nil
}

// next reads a row. Not every row makes an example.
func (r *rowReader) next() error {
	item, err := r.rows.Next()
	r.read += Passed(r.rows)
	if err != nil {
		return r.bad.Allow(err)
	}
	r.read++
	x, y := len(r.x), len(r.y)
	if err = r.push(item); err == nil {
		return nil
	}
	r.x, r.y = r.x[:x], r.y[:y] // remove the row's results
	return r.bad.Refuse(err)
}

// push passes a row or a sequence to the pipeline.
func (r *rowReader) push(item pipeline.Item) error {
	if item.Sequence != nil {
		return r.sequence(item.Sequence)
	}
	if err := r.through(item.Row, r.read-1, r.rows.Place); err != nil {
		return fmt.Errorf("%s: %w", r.rows.Place(), err)
	}
	return nil
}

// columnsOf are the pipeline's columns of a row.
func (r *inColumns) columnsOf(row pipeline.Row) pipeline.Row {
	in := r.buffer
	if in == nil {
		in = make(pipeline.Row, len(r.columns))
	}
	in = in[:len(r.columns)]
	for i, c := range r.columns {
		if in[i] = r.absent[i]; c >= 0 {
			in[i] = row[c]
		}
	}
	return in
}

// take reads the key and the weight of a row.
func (r *rowReader) take(row pipeline.Row) error {
	if len(r.keys) > 0 {
		var err error
		if r.key, err = r.keyOf(func(column int) pipeline.Value { return row[column] }); err != nil {
			return err
		}
	}
	return r.takeWeight(row)
}

// keyOf is the key of a row with these values.
func (r *inColumns) keyOf(value func(column int) pipeline.Value) (string, error) {
	keys := make([]string, len(r.keys))
	for i, c := range r.keys {
		v := value(c)
		if keys[i] = strings.TrimSpace(v.String()); v.IsNull() || keys[i] == "" {
			return "", fmt.Errorf("column %q: the key is missing", r.found.Columns[c].Title())
		}
	}
	if len(keys) > 1 {
		return JoinValues(keys), nil
	}
	return strings.Clone(keys[0]), nil
}

// close ends the rows. A pipeline that has gathered rows returns them now.
func (r *rowReader) close() error {
	if err := r.run.Close(); err != nil {
		return err
	}
	switch {
	case r.read == 0:
		return errors.New("there are no rows in it")
	case r.made == 0:
		return fmt.Errorf("the pipeline leaves none of its %d rows; see its filters", r.read)
	}
	return nil
}

func (r *rowReader) info() Info {
	info := Info{Features: []tensor.Shape{{r.b.width}}, Schema: r.b.schema(r.labelled), Unused: r.unused,
		Task: r.b.Task, Categories: r.b.embedded, Weighted: r.weight >= 0}
	if r.b.plan.Streams() {
		info.Filtered = filteredBy(r)
	}
	if r.labelled {
		info.Labels = []tensor.Shape{{r.b.labelWidth()}}
		info.Classes, info.LabelNames = len(r.b.Classes), r.b.Classes
	}
	if r.b.plan.Out().Sequence {
		r.b.sequenceInfo(&info)
	}
	return info
}

// filteredBy returns the number of rows that the pipeline left out.
func filteredBy(r *rowReader) int { return max(0, r.read-r.bad.Found().Refused-r.made) }
