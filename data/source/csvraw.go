package source

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// Rows opens the raw rows: texts in String columns. If no setting says whether the first line is a header, it is one if
// none of its fields is a number. If a schema is given, it is one if it has the schema's names. Columns without names
// are called 0, 1, 2, …, or as in the schema.
func (csvKind) Rows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	c, err := csvOf(n)
	if err != nil {
		return nil, err
	}
	return OpenCSVRows(ctx, n.Place, c, o)
}

// OpenCSVRows opens the raw rows of CSV files, as texts. Columns are named by the header, by the schema in o.As, or by
// their indices.
func OpenCSVRows(ctx context.Context, place string, c CSV, o RowOptions) (Rows, error) {
	r := &csvRows{as: o.As}
	header := func(record []string) (bool, error) {
		is := c.isRawHeader(record, o.As)
		if !is && c.isHeader(record) {
			r.other = cloned(record)
		}
		return is, nil
	}
	if err := r.openPlace(ctx, place, c.format(), header); err != nil {
		return nil, errors.Join(err, r.close())
	}
	if err := r.begin(place); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// isRawHeader reports whether a table's first record is its header.
func (o CSV) isRawHeader(record []string, as *pipeline.Schema) bool {
	// numbers in the first row may equal the columns' names by chance
	if o.Header != nil || as == nil || byIndex(as, math.MaxInt) {
		return o.isHeader(record)
	}
	found := 0
	for _, c := range as.Columns {
		if slices.Contains(record, c.Title()) {
			found++
		}
	}
	if found == len(as.Columns) {
		return true
	}
	return found > 0 && o.isHeader(record) // if a column is missing, the reader of the rows reports it
}

// byIndex reports whether all columns are named by their indices in a table of this width, as columns without a header
// are.
func byIndex(s *pipeline.Schema, width int) bool {
	for _, name := range s.Names() {
		if i, err := strconv.Atoi(name); err != nil || i < 0 || i >= width || strconv.Itoa(i) != name {
			return false
		}
	}
	return len(s.Columns) > 0
}

// csvRows reads raw rows.
type csvRows struct {
	csvTable
	as     *pipeline.Schema
	schema *pipeline.Schema
	other  []string // a header that has none of the names in as; nil if there is none
	ahead  bool     // a record was read that is not in a batch yet
	err    error    // of reading the record ahead, or the one after the batch
	batch  csvBatch
	one    pipeline.Batch // for Next
	given  int            // rows of the batch that Next has returned
}

// begin reads the first record, and sets the columns.
func (r *csvRows) begin(path string) error {
	_, r.err = r.read()
	r.ahead = r.err == nil
	var row *RowError
	if r.err != nil && r.err != io.EOF && (r.first == "" || !errors.As(rowError(r.err), &row)) {
		return r.err
	}
	top := place{line: 1, column: 1}
	names := r.head
	switch {
	case r.err == io.EOF && r.first == "" && r.as == nil:
		return &CSVError{Path: path, Problem: "it is empty: there is no header and no row"}
	case names != nil:
	case r.as != nil && (r.width == len(r.as.Columns) || r.first == ""):
		names = r.as.Names()
	case r.as != nil && r.first != "" && !byIndex(r.as, r.width):
		err := r.csv.errorf(top, "the first line has %d fields and is not a header; the columns that are wanted are %s",
			r.width, data.ShortList(r.as.Names()))
		if r.other != nil {
			err = r.csv.errorf(top, "the table has the columns %s, and none of those that are wanted: %s; use another table",
				data.ShortList(r.other), data.ShortList(r.as.Names()))
		}
		return &MismatchError{&ColumnsError{err}}
	default:
		for i := range r.width {
			names = append(names, strconv.Itoa(i))
		}
	}
	r.schema = &pipeline.Schema{}
	for _, name := range names {
		r.schema.Columns = append(r.schema.Columns, pipeline.StringColumn{Name: name})
	}
	if name, twice := data.Repeated(names); twice {
		return r.csv.errorf(top, "two columns have the name %q", name)
	}
	return nil
}

// Schema returns the schema with the header's names.
func (r *csvRows) Schema() *pipeline.Schema { return r.schema }

// Next returns the next row.
func (r *csvRows) Next() (pipeline.Item, error) {
	if r.given >= r.batch.n {
		if err := r.NextBatch(&r.one); err != nil {
			return pipeline.Item{}, err
		}
		r.given = 0
	}
	r.given++
	return pipeline.Item{Row: r.batch.row(r.given - 1)}, nil
}

// rowError wraps an error with a line number in a [RowError].
func rowError(err error) error {
	var file *headerError
	var text *CSVError
	if !errors.As(err, &file) && errors.As(err, &text) && text.Line > 0 {
		return &RowError{Err: err, Ragged: isRagged(err)}
	}
	return err
}

// Place returns the line in which the last row begins.
func (r *csvRows) Place() string { return r.PlaceOf(r.given - 1) }

// PlaceOf returns the line in which a row of the last batch begins.
func (r *csvRows) PlaceOf(row int) string {
	if row < 0 || row >= r.batch.n {
		return r.batch.file + ":0"
	}
	return r.batch.file + ":" + strconv.Itoa(r.batch.lines[row])
}

func (r *csvRows) places() func(row int) string {
	file, lines := r.batch.file, slices.Clone(r.batch.lines[:r.batch.n])
	return func(row int) string { return file + ":" + strconv.Itoa(lines[row]) }
}

// Live reports whether the next row may be long in coming.
func (r *csvRows) Live() bool { return r.isLive() }

// Close closes the files.
func (r *csvRows) Close() error { return r.close() }
