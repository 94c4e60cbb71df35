package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/pipeline"
)

// Rows reads the raw rows of a table once, one by one, before a pipeline makes numbers from them. Only one goroutine
// may use it. Rows may also be [BatchRows] and [Told].
type Rows interface {
	// Schema returns the columns' names, and their types if the format knows them: those of a CSV file are String
	// columns. The schema says whether the items are rows or sequences.
	Schema() *pipeline.Schema
	// Next returns the next row or sequence, which belongs to the caller, or io.EOF at the end. A [RowError] concerns a
	// single row: Next may be called again for the next one.
	Next() (pipeline.Item, error)
	// Place returns the place where the last item of Next begins, for messages: "train.csv:14".
	Place() string
	// Close closes the files.
	Close() error
}

// BatchRows are Rows that can be read in batches, without separate memory for each row. A reader uses either Next or
// NextBatch.
type BatchRows interface {
	Rows
	// NextBatch fills a batch with the next rows. It returns at least one row. If later rows may arrive slowly, it returns
	// only those that are available. The batch is valid until the next call; its texts stay valid. Errors are the same as
	// for Next.
	NextBatch(to *pipeline.Batch) error
	// PlaceOf returns the place of a row of the last batch.
	PlaceOf(row int) string
}

// Batched returns rows, which must not be sequences, as BatchRows. Rows that can't be read in batches come one by one.
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

// Tabular is a Kind whose data is a table of raw columns, from which a pipeline may make the examples.
type Tabular interface {
	Kind
	// Rows opens the raw rows, in the order of the examples of Open. It ignores settings about the use of the columns,
	// such as the label. The context governs the reads, too, until Close.
	Rows(ctx context.Context, n Name, o RowOptions) (Rows, error)
}

// RowOptions select the rows and columns of a table to read.
type RowOptions struct {
	// Lines limits the lines that are looked at to find the columns of JSON lines; 0: the usual number.
	Lines int
	// Columns lists the wanted columns by name; nil wants all. A Kind may return others, too.
	Columns []string
	// Dropped lists columns whose values don't matter. Those that can't be read are columns of nulls.
	Dropped []string
	// As is the schema in which the rows are wanted. Files without column names, such as JSON lines of arrays and CSV
	// files without a header, take the names and the order from it. It is nil if the schema is unknown.
	As *pipeline.Schema
	// Sequencing, unless nil, replaces the settings on sequences.
	Sequencing *Sequencing
	// Table has the columns of the whole table, for one of several files; every row then has all of them. If it is nil,
	// the columns are found in the file.
	Table *pipeline.Schema
	// First describes the first of several files, for messages about others.
	First FirstFile
	// Labels has the labels of such a file, if they are in a file of their own. The reader does not close it.
	Labels *Labels
	// Paths has the columns whose values are in the path of such a file: see [PathColumns].
	Paths []pipeline.Column
	// Removes, unless nil, reports whether a block of rows need not be read, given the extents of the columns of As, or
	// of Table without it: see [pipeline.Plan.RemovesAll]. Kinds of data whose files have statistics call it. [Passed]
	// counts such rows.
	Removes func(columns []pipeline.Extent) bool
	// Unopened also leaves out whole files, by the names of their directories alone. Their rows are not counted.
	Unopened bool
}

// FirstFile describes the first file of a table. It is empty if there is only one file.
type FirstFile struct {
	Path    string `json:",omitempty"`
	Columns int    `json:",omitempty"`
}

// Passed returns the number of rows that were left out unread just before the last row or batch, or before the end: see
// [RowOptions.Removes]. It returns them once: until rows are read again, the next call returns 0.
func Passed(rows Rows) int {
	if p, ok := rows.(interface{ Passed() int }); ok {
		return p.Passed()
	}
	return 0
}

// OpenRows opens the raw rows of data by its name. It returns a SpecError if the kind has none.
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

// tabular returns the kinds that are Tabular.
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
