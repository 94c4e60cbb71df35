package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/pipeline"
)

// Rows reads the rows of a table once, one by one, as they are in the file: before a pipeline makes numbers of them. It
// is for one goroutine.
type Rows interface {
	// Schema has the columns' names, and their types as far as the format knows them: those of a CSV file are String
	// columns. The schema says whether the items are rows or sequences.
	Schema() *pipeline.Schema
	// Next gives the next row or sequence, which belongs to the caller. At the end it fails with io.EOF. An error that is
	// a [RowError] is that of a single row: Next may be called again, for the next one.
	Next() (pipeline.Item, error)
	// Place says where the item that Next gave last begins, for messages: "train.csv:14".
	Place() string
	// Close ends reading.
	Close() error
}

// BatchRows are Rows that can be read many at a time, without memory for each of them. A reader uses Next or NextBatch,
// not both.
type BatchRows interface {
	Rows
	// NextBatch fills a batch with the next rows: one at least, and no more than are there if others are a while in
	// coming. They are valid until the next call, but for their texts, which stay. Its errors are those of Next.
	NextBatch(to *pipeline.Batch) error
	// PlaceOf is the Place of a row of the last batch.
	PlaceOf(row int) string
}

// Batched gives rows, which are no sequences, as BatchRows: one by one, if they come like that.
func Batched(rows Rows) BatchRows {
	if b, ok := rows.(BatchRows); ok {
		return b
	}
	return &batched{Rows: rows}
}

type batched struct {
	Rows
	values []pipeline.Value
}

func (b *batched) NextBatch(to *pipeline.Batch) error {
	item, err := b.Next()
	if err != nil {
		return err
	}
	b.values = append(b.values[:0], item.Row...)
	to.Reset(len(b.values), 1)
	for i := range b.values {
		to.SetValues(i, b.values[i:i+1])
	}
	return nil
}

func (b *batched) PlaceOf(int) string { return b.Place() }

// Tabular is a Kind whose data is a table of raw columns: a pipeline may stand between it and the examples.
type Tabular interface {
	Kind
	// Rows opens the raw rows, in the order of the examples of Open. Settings about the use of the columns, such as the
	// label, do not matter. The context governs the reads too, until Close.
	Rows(ctx context.Context, n Name, o RowOptions) (Rows, error)
}

// RowOptions select the rows and columns to read of a table.
type RowOptions struct {
	// Columns are those that are wanted, by name; nil wants all. A Kind may give others, too.
	Columns []string
	// As is the schema in which the rows are wanted: files without names of columns, such as JSON lines of arrays and CSV
	// files without a header, take the names and the order from it. Nil means that it is not known.
	As *pipeline.Schema
	// Sequencing replaces the settings on sequences; nil leaves them.
	Sequencing *Sequencing
	// Table has the columns of the whole table, for one file of several; every row has them all. Nil finds them in the
	// file.
	Table *pipeline.Schema
	// Paths are for such a file, too: see PathColumns.
	Paths []pipeline.Column
	// Removes, unless nil, says whether a stretch of rows need not be read, by the extents of the columns of As: see
	// [pipeline.Plan.RemovesAll]. A kind of data whose files have statistics asks it. [Passed] counts such rows.
	Removes func(columns []pipeline.Extent) bool
	// Unopened has files left out by the names of their directories alone. Their rows are not counted.
	Unopened bool
}

// Passed is how many rows were passed over before the row or the batch that was given last, or before the end: see
// [RowOptions.Removes]. The next call gives 0 until rows are read again.
func Passed(rows Rows) int {
	if p, ok := rows.(interface{ Passed() int }); ok {
		return p.Passed()
	}
	return 0
}

// OpenRows opens the raw rows of data by its name. A kind that has none is a SpecError.
func OpenRows(ctx context.Context, n Name, o RowOptions) (Rows, error) {
	if err := n.Check(Options{Unlabelled: true}); err != nil {
		return nil, fmt.Errorf("data source %s: %w", n, err)
	}
	rows, err := RawRows(ctx, n, o)
	if spec := (*SpecError)(nil); errors.As(err, &spec) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("data source %s: %w", n, err)
	}
	return rows, nil
}

// tabular are the kinds that are Tabular.
func tabular() (names []string) {
	for _, name := range Kinds() {
		k, _ := KindOf(name)
		if _, ok := k.(Tabular); ok {
			names = append(names, name+":")
		}
	}
	return names
}

type noRows struct{ schema *pipeline.Schema }

func (r noRows) Schema() *pipeline.Schema     { return r.schema }
func (r noRows) Next() (pipeline.Item, error) { return pipeline.Item{}, io.EOF }
func (r noRows) Place() string                { return "" }
func (r noRows) Close() error                 { return nil }
