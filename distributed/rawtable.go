package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// RawTable is a table of raw columns that the workers of an engine read: files, or the rows of a query. The driver sees
// its schema, and the workers' results about its rows. See [OpenRaw].
type RawTable struct {
	name   source.Name
	rows   *engine.Dataset // files, or rows of cells
	conf   rawConf
	schema *pipeline.Schema
	keys   []engine.Column // of a query
	unused []string
	some   string // its contents, if not all rows: "8 of the 10 rows"

	gathered *gatheredTable // nil until rows are gathered

	// of sequences that were made from rows, and of joins
	kept      []*engine.Dataset
	lost      source.Found       // rows that were skipped before
	sent      []engine.Broadcast // rows of the driver
	sequences source.SequenceCounts
}

// RawOptions are the settings of opening a table of raw columns.
type RawOptions struct {
	// As lists schemas for the rows, of which the first that fits is used. Empty: the columns stay as they are. Columns
	// outside the schema are not read.
	As []*pipeline.Schema
	// More names further columns that the rows have, if the data has them.
	More []string
	// Dropped are names of columns whose values don't matter: see [source.RowOptions].
	Dropped []string
	// Filter, unless nil, is the pipeline that all rows go through afterwards. Rows that its first filters remove need not
	// be read. Operations count them with [source.Passed], except for those in files that no worker opens.
	Filter *pipeline.Pipeline
	// Sequencing, unless nil, makes a sequence of tokens from each row. Nil means the settings of the name.
	Sequencing *source.Sequencing
	// Partitions and PartitionRows are as in QueryOptions, for a query.
	Partitions, PartitionRows int
}

// RawByWorkers reports whether a cluster's workers read the raw rows of the named data: a query, or files in the
// cluster's storage.
func RawByWorkers(n source.Name) bool {
	k, _ := source.KindOf(n.Kind)
	_, query := k.(sqlKind)
	return query || source.RawByWorkers(n)
}

// WorkersReadRaw reports whether the workers of this engine read the raw rows of the named data. On a cluster, see
// [RawByWorkers]. On this machine, they read all files that can be read one by one.
func WorkersReadRaw(e engine.Engine, n source.Name) bool {
	if _, err := engine.TablesOf(e); err == nil || NeedsEngine(n) {
		return RawByWorkers(n)
	}
	return source.OneByOne(n)
}

// OpenRaw opens a table of raw columns on an engine. A worker reads the columns from the first file. For a query, the
// driver asks the cluster for them. Rows are in the order of the files' names.
func OpenRaw(ctx context.Context, e engine.Engine, n source.Name, o RawOptions) (*RawTable, error) {
	s, err := o.Sequencing, error(nil)
	if s == nil {
		s, err = n.Sequencing()
	}
	if err != nil {
		return nil, err
	}
	if !s.Regroups() {
		return openRows(ctx, e, n, o, s)
	}
	if NeedsEngine(n) {
		return nil, errors.New("the model's sequences are rows with equal values of a table's columns, in the order of the " +
			"table, and a query has none; write the query's rows to a file")
	}
	o.More = slices.Concat(o.More, s.ID, []string{s.Time})
	as := o.As
	o.As = nil
	for _, schema := range as {
		o.As = append(o.As, s.RowsOf(schema, n.Keys()))
	}
	rows, err := openRows(ctx, e, n, o, nil)
	if err != nil {
		return nil, err
	}
	return rows.regrouped(ctx, s)
}

// openRows opens a table of single rows, or of rows that become sequences of tokens.
func openRows(ctx context.Context, e engine.Engine, n source.Name, o RawOptions, s *source.Sequencing) (t *RawTable,
	err error) {
	t = &RawTable{name: n, conf: rawConf{Name: n, Sequencing: s, Dropped: o.Dropped}}
	k, _ := source.KindOf(n.Kind)
	switch k := k.(type) {
	case sqlKind:
		err = t.openQuery(ctx, e, o)
	case source.RawFiles:
		err = t.openFiles(ctx, e, k, o)
	default:
		err = &source.SpecError{Problem: n.Kind + ": data has no raw columns that workers can read"}
	}
	if err != nil {
		return nil, err
	}
	rows, err := source.Tokenized(source.NoRows(t.schema), s)
	if err != nil {
		return nil, err
	}
	t.schema = rows.Schema()
	return t, nil
}

// Schema returns the columns.
func (t *RawTable) Schema() *pipeline.Schema { return t.schema }

// Unused returns the names of the data's columns that are not used.
func (t *RawTable) Unused() []string { return t.unused }

// openFiles finds the files, and the columns of the first one.
func (t *RawTable) openFiles(ctx context.Context, e engine.Engine, k source.RawFiles, o RawOptions) error {
	paths, err := rawPaths(ctx, e, k, t.name.Place)
	if err != nil {
		return err
	}
	t.conf.Paths = schemaText{&pipeline.Schema{Columns: source.PathColumns(t.name, paths)}}
	d := rawDescribing{rawConf: t.conf}
	d.More = slices.DeleteFunc(slices.Concat(o.More, t.rowKeys(), []string{t.name.Weights()}),
		func(name string) bool { return name == "" })
	for _, as := range o.As {
		d.Wanted = append(d.Wanted, schemaText{as})
	}
	example := [][]string{paths[:1]}
	var labels []string
	if place := t.name.LabelsPlace(); place != "" {
		if labels, err = rawPaths(ctx, e, k, place); err == nil {
			labels, err = source.PairLabels(paths, labels, place)
		}
		if err != nil {
			return err
		}
		t.conf.Labels = &rawLabels{Paired: true}
		d.Labels = t.conf.Labels
		example = t.paired(example, labels)
	}
	read := engine.ReadFiles
	if source.ReadsParts(t.name) {
		read = engine.OpenFiles
	}
	describe := func(files [][]string) (rawDescription, error) { return describedFile(ctx, read(e, files), d, paths[0]) }
	first, err := describe(example)
	for next := 1; err == nil && first.Lines > 0 && len(o.As) == 0 && labels == nil && next < len(paths); next++ {
		d.Lines = first.Lines
		var more rawDescription
		if more, err = describe([][]string{paths[next : next+1]}); err == nil {
			first.add(more)
		}
	}
	if err != nil {
		return err
	}
	t.conf.Name = t.name
	t.conf.Name.Settings = map[string]string{}
	for _, settings := range []map[string]string{first.Told, t.name.Settings} {
		for key, value := range settings {
			t.conf.Name.Settings[key] = value
		}
	}
	t.schema = first.Schema.Schema
	t.conf.First = source.FirstFile{Path: paths[0], Columns: len(t.schema.Columns)}
	if len(o.As) > 0 {
		t.conf.As = schemaText{o.As[first.As]}
		found := t.schema
		t.schema = narrowed(found, o.As[first.As], d.More)
		t.unused = slices.DeleteFunc(found.Names(), func(name string) bool { return t.schema.Index(name) >= 0 })
	}
	t.conf.Table = schemaText{t.schema}
	if o.Filter != nil {
		if t.conf.Filter, err = filterBy(o.Filter, nil); err != nil {
			return err
		}
		if paths, err = t.leaveOut(paths, first.FromPaths); err != nil {
			return err
		}
	}
	parts := spreadFiles(paths, max(1, min(len(paths), max(e.Slots(), o.Partitions))))
	if labels != nil {
		parts = t.paired(parts, labels)
	} else if t.name.LabelsFile() != "" {
		if parts, err = t.labelled(ctx, e, parts); err != nil {
			return err
		}
	}
	t.rows = read(e, parts)
	return nil
}

// rowKeys returns the columns that identify the rows of files.
func (t *RawTable) rowKeys() []string { return (*source.Preparation)(nil).Keys(t.name) }

// narrowed returns the wanted columns, and others with a use: keys and weights.
func narrowed(found, as *pipeline.Schema, others []string) *pipeline.Schema {
	var columns []pipeline.Column
	for _, c := range found.Columns {
		wanted := as.Index(c.Title()) >= 0
		if wanted || slices.Contains(others, c.Title()) {
			columns = append(columns, c)
		}
	}
	return found.With(columns)
}

// rawPaths lists the files of a place. Of a directory, it leaves out hidden files, and empty ones unless the kind takes
// them.
func rawPaths(ctx context.Context, e engine.Engine, k source.RawFiles, place string) (paths []string, err error) {
	if _, err := engine.TablesOf(e); err != nil || strings.ContainsAny(place, "*[") {
		paths, failed := source.RawPaths(ctx, k, place)
		if err != nil || failed == nil {
			return paths, failed
		}
		if paths, err = matching(ctx, e, k, place); err != nil || len(paths) == 0 {
			return nil, failed
		}
		return paths, nil
	}
	list := e.ListFiles
	if tree, ok := e.(engine.TreeLister); ok && k.Deep() {
		list = tree.ListTree
	}
	files, err := list(ctx, place)
	if errors.Is(err, syscall.ENOTDIR) {
		return []string{place}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !storage.Hidden(path.Base(f.Path)) && (f.Size > 0 || source.TakesEmpty(k)) {
			paths = append(paths, f.Path)
		}
	}
	if paths, err = source.PickPaths(k, place, paths); err == nil && len(paths) == 0 {
		err = fmt.Errorf("there are no files in %s", place)
	}
	return paths, err
}

// rawDescribing is a worker's input for describing a file's columns.
type rawDescribing struct {
	rawConf
	Wanted []schemaText
	Lines  int `json:",omitempty"` // as in source.RowOptions
}

// describedFile has a worker describe a file.
func describedFile(ctx context.Context, files *engine.Dataset, conf rawDescribing, path string) (d rawDescription,
	err error) {
	found, err := files.Map(describeRaw.With(conf)).CollectAll(ctx)
	if err != nil {
		return d, err
	}
	if len(found) != 1 {
		return d, fmt.Errorf("%s: a worker did not find the file", path)
	}
	if err := json.Unmarshal(found[0].Bytes, &d); err != nil {
		return d, err
	}
	if d.Mismatch != "" {
		return d, &source.MismatchError{Err: errors.New(d.Mismatch)}
	}
	return d, nil
}

// add adds the columns of the next file.
func (d *rawDescription) add(next rawDescription) {
	d.Lines = next.Lines
	for _, c := range next.Schema.Columns {
		if d.Schema.Index(c.Title()) < 0 {
			d.Schema.Columns = append(d.Schema.Columns, c)
		}
	}
}

// rawDescription is the result.
type rawDescription struct {
	Schema schemaText
	As     int // its number in Wanted
	// Lines is the number of lines of the next files that tell columns, too.
	Lines int `json:",omitempty"`
	Told  map[string]string
	// FromPaths are columns whose values are in the file's path.
	FromPaths []string `json:",omitempty"`
	Mismatch  string
}

var describeRaw = engine.Register("distributed.describeRaw",
	func(t *engine.Task, conf rawDescribing, in engine.Rows, out engine.Writer) error {
		from := conf.labelReader(t.Partition)
		return eachFile(in, func(file engine.File) error {
			if taken, err := from.take(file); taken {
				return err
			}
			labels, err := from.next()
			if err != nil {
				return err
			}
			var d rawDescription
			err = opened(t, file, func(path string, content source.Content) error {
				d, err = conf.describe(path, content, labels)
				return err
			})
			if other := (*source.MismatchError)(nil); errors.As(err, &other) {
				d.Mismatch, err = err.Error(), nil
			}
			if err != nil {
				return engine.Permanent(err)
			}
			b, err := json.Marshal(d)
			if err != nil {
				return err
			}
			return out.Write(engine.Unindexed(b))
		})
	})

func (c rawDescribing) describe(path string, content source.Content, labels *source.Labels) (d rawDescription,
	err error) {
	wanted := c.Wanted
	if len(wanted) == 0 {
		wanted = []schemaText{{}}
	}
	if c.Name.LabelsFile() != "" {
		labels = &source.Labels{}
	}
	for i, as := range wanted {
		c.As = as
		c.ahead = c.Lines
		var rows source.Rows
		if rows, err = c.file(path, content, labels); err != nil {
			continue
		}
		d.As, d.Schema = i, schemaText{rows.Schema()}
		if told, ok := rows.(source.Told); ok {
			d.Told = told.Told()
		}
		if more, ok := rows.(interface{ Looks() int }); ok {
			d.Lines = more.Looks()
		}
		if parts, ok := rows.(interface{ FromPaths() []string }); ok {
			d.FromPaths = parts.FromPaths()
		}
		return d, rows.Close()
	}
	return d, err
}
