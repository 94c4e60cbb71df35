package source

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// Rows opens the raw rows, with the types in the files. It reads the wanted columns only.
func (k typedKind) Rows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	if _, err := k.options(n, Options{}); err != nil {
		return nil, err
	}
	files, err := deepFiles(ctx, n.Place)
	if err != nil {
		return nil, err
	}
	wanted := o.wanted(n)
	r := &typedTable{ctx: ctx, format: k.format, files: files, types: partitionTypes(files), dropped: o.Dropped}
	if o.As != nil {
		r.as, r.removes = o.As, o.Removes
	}
	if err := r.open(wanted, wanted != nil); err != nil {
		r.Close()
		return nil, err
	}
	if o.Unopened {
		r.leaveOut()
	}
	return r, nil
}

// typedTable reads the raw rows of files.
type typedTable struct {
	ctx    context.Context
	format typedFormat
	files  []placedFile // the current file, and those after it
	types  map[string]pipeline.ColumnType
	schema *pipeline.Schema
	first  string // the file that determined the schema
	opened io.Closer

	dropped  []string // columns that are nulls if they can't be read
	reader   typedReader
	columns  []int // index in the reader for each column of the schema; -1 for partitions and nulls
	row, got int
	last     int64 // number of the last row of Next, or of the first one of a batch
	values   []pipeline.Value

	as      *pipeline.Schema
	removes func([]pipeline.Extent) bool // takes extents of as's columns; nil: all rows are read
	passed  int                          // rows passed over since the last call of Passed
}

// open opens the next file. The first one determines the schema: its wanted columns if some is true, otherwise all.
func (t *typedTable) open(wanted []string, some bool) error {
	path := t.files[0].path
	f, err := storage.OpenWatched(t.ctx, path)
	if err != nil {
		return err
	}
	t.opened = f
	return t.begin(path, f, f.Size(), wanted, some)
}

// begin starts to read an open file.
func (t *typedTable) begin(path string, in io.ReaderAt, size int64, wanted []string, some bool) error {
	file, err := t.format.open(path, in, size)
	if err != nil {
		return err
	}
	if t.schema == nil {
		t.first = path
		if err := t.find(file.columns(), func(name string) bool {
			return !some || slices.Contains(wanted, name)
		}); err != nil {
			return err
		}
	}
	places, err := t.match(file.columns())
	if err != nil {
		return err
	}
	t.reader, err = file.reader(places)
	t.row, t.got = 0, 0
	if s, ok := t.reader.(skipper); ok && err == nil && t.removes != nil {
		s.PassOver(t.passing())
	}
	return err
}

// find makes the schema from the columns of the first file.
func (t *typedTable) find(columns []typedColumn, wanted func(string) bool) error {
	t.schema = &pipeline.Schema{}
	for _, c := range columns {
		if !wanted(c.name) {
			continue
		}
		if c.problem != "" && !slices.Contains(t.dropped, c.name) {
			return &TableError{t.first, 0,
				fmt.Sprintf("column %q %s, which can't be read: leave it out, or write its parts as columns",
					c.name, c.problem)}
		}
		t.schema.Columns = append(t.schema.Columns, c.column())
	}
	for _, p := range t.files[0].parts {
		if wanted(p.name) && t.schema.Index(p.name) < 0 {
			t.schema.Columns = append(t.schema.Columns, typedColumn{name: p.name, kind: t.types[p.name]}.column())
		}
	}
	if name, twice := data.Repeated(t.schema.Names()); twice {
		return &TableError{t.first, 0, fmt.Sprintf("two columns have the name %q", name)}
	}
	return nil
}

// column returns the column for a schema.
func (c typedColumn) column() pipeline.Column {
	if c.kind == pipeline.ArrayType {
		return pipeline.ArrayColumn{Name: c.name, Shape: slices.Repeat([]int64{-1}, max(c.rank, 1))}
	}
	column, err := pipeline.NewColumn(c.name, c.kind)
	if err != nil {
		return pipeline.StringColumn{Name: c.name}
	}
	return column
}

// match finds the schema's columns in a file.
func (t *typedTable) match(columns []typedColumn) (places []int, err error) {
	t.columns = t.columns[:0]
	path := t.files[0].path
	for _, c := range t.schema.Columns {
		at := slices.IndexFunc(columns, func(f typedColumn) bool { return f.name == c.Title() })
		part := slices.ContainsFunc(t.files[0].parts, func(p partition) bool { return p.name == c.Title() })
		unlike := at >= 0 && (columns[at].problem != "" || columns[at].kind != c.Type())
		switch {
		case at < 0 && part, unlike && slices.Contains(t.dropped, c.Title()):
			t.columns = append(t.columns, -1)
			continue
		case at < 0:
			return nil, &TableError{path, 0, fmt.Sprintf("there is no column %q, which %s has", c.Title(), t.first)}
		case unlike:
			return nil, &TableError{path, 0,
				fmt.Sprintf("column %q has values of type %s, and in %s of type %s: all files need the same",
					c.Title(), columns[at].kind, t.first, c.Type())}
		}
		t.columns = append(t.columns, len(places))
		places = append(places, at)
	}
	return places, nil
}

// Schema returns the columns that are read.
func (t *typedTable) Schema() *pipeline.Schema { return t.schema }

// advance reads up to n more rows, unless some rows are left from the last read.
func (t *typedTable) advance(n int) error {
	for t.row == t.got {
		got, err := t.reader.Next(n)
		if s, ok := t.reader.(skipper); ok {
			t.passed += int(s.Passed())
		}
		if err != nil {
			return err
		}
		if t.row, t.got = 0, got; got > 0 {
			break
		}
		if len(t.files) == 1 {
			return io.EOF
		}
		if err := t.Close(); err != nil {
			return err
		}
		t.files = t.files[1:]
		if err := t.open(nil, false); err != nil {
			return err
		}
	}
	return nil
}

// typedColumns is a typedReader that returns whole columns, as [parquet.Reader.Column] does.
type typedColumns interface {
	Column(column int, to *pipeline.Batch, at int) error
}

// maxTypedRows limits the rows of typed columns that are read at a time.
const maxTypedRows = 2048

// rowsAtOnce returns the number of rows that are read at a time. A cell needs less memory than in lines of text.
func (t *typedTable) rowsAtOnce() int {
	return max(batchRows, min(maxTypedRows, batchCells/max(1, len(t.columns))))
}

// NextBatch reads the next rows. If one of them has a value that can't be read, the rows come one by one.
func (t *typedTable) NextBatch(to *pipeline.Batch) error {
	if _, ok := t.reader.(typedColumns); ok && t.row == t.got {
		if err := t.advance(t.rowsAtOnce()); err != nil {
			return err
		}
		whole, _ := t.reader.(typedColumns) // of the next file, perhaps
		if t.together(whole, to) {
			t.row, t.last = t.got, t.reader.First()
			return nil
		}
	}
	item, err := t.Next()
	if err != nil {
		return err
	}
	t.values = append(t.values[:0], item.Row...)
	to.Reset(len(t.values), 1)
	for i := range t.values {
		to.SetValues(i, t.values[i:i+1])
	}
	return nil
}

// together fills a batch with the rows that were read. It returns false if one of them can't be read.
func (t *typedTable) together(from typedColumns, to *pipeline.Batch) bool {
	to.Reset(len(t.columns), t.got)
	for k, at := range t.columns {
		if at >= 0 {
			if from.Column(at, to, k) != nil {
				return false
			}
			continue
		}
		v, err := partitionValue(t.schema.Columns[k], t.files[0].part(t.schema.Columns[k].Title()))
		if err != nil {
			return false
		}
		to.SetConstant(k, v)
	}
	return true
}

// PlaceOf returns the place of a row of the last batch.
func (t *typedTable) PlaceOf(row int) string {
	return t.places()(row)
}

func (t *typedTable) places() func(row int) string {
	path, last := t.files[0].path, t.last
	return func(row int) string { return path + ": row " + strconv.FormatInt(last+int64(row)+1, 10) }
}

// Next returns the next row.
func (t *typedTable) Next() (pipeline.Item, error) {
	if err := t.advance(typedBatch); err != nil {
		return pipeline.Item{}, err
	}
	row := make(pipeline.Row, len(t.columns))
	i := t.row
	t.row++
	t.last = t.reader.First() + int64(i)
	for k, at := range t.columns {
		var err error
		if at < 0 {
			row[k], err = partitionValue(t.schema.Columns[k], t.files[0].part(t.schema.Columns[k].Title()))
		} else {
			row[k], err = t.reader.Value(at, i)
		}
		if err != nil {
			return pipeline.Item{}, &RowError{Err: err}
		}
	}
	return pipeline.Item{Row: row}, nil
}

// Place returns the place of the last row of Next.
func (t *typedTable) Place() string {
	return t.files[0].path + ": row " + strconv.FormatInt(t.last+1, 10)
}

// Close closes the open file.
func (t *typedTable) Close() error {
	if t.opened == nil {
		return nil
	}
	err := t.opened.Close()
	t.opened = nil
	return err
}

// partitionTypes returns the types of partitions: Long if all values in all files are integers, Double if all are
// numbers, and otherwise String.
func partitionTypes(files []placedFile) map[string]pipeline.ColumnType {
	types := map[string]pipeline.ColumnType{}
	for _, f := range files {
		for _, p := range f.parts {
			kind := pipeline.StringType
			if _, err := strconv.ParseInt(p.value, 10, 64); err == nil || p.value == "" {
				kind = pipeline.LongType
			} else if _, err := strconv.ParseFloat(p.value, 64); err == nil {
				kind = pipeline.DoubleType
			}
			switch known, ok := types[p.name]; {
			case !ok, known == pipeline.LongType, known == pipeline.DoubleType && kind == pipeline.StringType:
				types[p.name] = kind
			}
		}
	}
	return types
}

// partitionValue converts the value of a partition for its column.
func partitionValue(c pipeline.Column, text string) (pipeline.Value, error) {
	if text == "" {
		return pipeline.Null(), nil
	}
	return c.Convert(pipeline.Text(text))
}
