package records

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// Collection reads rows or sequences that are in memory. A row with another number of values than the schema has
// columns is an error.
func Collection(schema *pipeline.Schema, items ...pipeline.Item) source.Rows {
	return &collection{schema: schema, items: items}
}

type collection struct {
	schema *pipeline.Schema
	items  []pipeline.Item
	next   int
}

func (c *collection) Schema() *pipeline.Schema { return c.schema }
func (c *collection) Place() string            { return fmt.Sprint("item ", c.next) }
func (c *collection) Close() error             { return nil }

// Next returns a copy of the next item.
func (c *collection) Next() (item pipeline.Item, err error) {
	if c.next == len(c.items) {
		return item, io.EOF
	}
	of := c.items[c.next]
	c.next++
	rows := of.Sequence
	if rows == nil {
		rows = []pipeline.Row{of.Row}
	}
	for i, row := range rows {
		if n := len(c.schema.Columns); len(row) != n {
			return item, fmt.Errorf("%s: row %d has %d values, and there are %d columns", c.Place(), i+1, len(row), n)
		}
	}
	item.Row = append(item.Row, of.Row...)
	if of.Sequence != nil {
		item.Sequence = []pipeline.Row{}
	}
	for _, row := range of.Sequence {
		item.Sequence = append(item.Sequence, append(pipeline.Row{}, row...))
	}
	return item, nil
}

// Concatenated reads one reader after another. All must have the same number of columns, which have the names of the
// first reader.
func Concatenated(readers ...source.Rows) (source.Rows, error) {
	if len(readers) == 0 {
		return nil, errors.New("there are no readers")
	}
	first := readers[0].Schema()
	for i, r := range readers {
		switch s := r.Schema(); {
		case s.Sequence != first.Sequence:
			return nil, fmt.Errorf("reader %d: either all readers have sequences, or none", i+1)
		case len(s.Columns) != len(first.Columns):
			return nil, fmt.Errorf("reader %d has %d columns, and the first one %d", i+1, len(s.Columns), len(first.Columns))
		}
	}
	return &concatenated{several{readers}, 0}, nil
}

// several are readers that are closed together.
type several struct{ readers []source.Rows }

func (s several) Close() error {
	var errs []error
	for _, r := range s.readers {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

type concatenated struct {
	several
	at int
}

func (c *concatenated) Schema() *pipeline.Schema { return c.readers[0].Schema() }
func (c *concatenated) Place() string            { return c.readers[c.at].Place() }

// Next returns the next row of the first reader that has one.
func (c *concatenated) Next() (item pipeline.Item, err error) {
	for {
		item, err = c.readers[c.at].Next()
		if err != io.EOF || c.at == len(c.readers)-1 {
			return item, err
		}
		c.at++
	}
}

// Composed reads several readers side by side: its rows have the columns of all. It ends when one of the readers ends.
// If readers have columns of the same name, all columns are named 0, 1, 2, ….
func Composed(readers ...source.Rows) (source.Rows, error) {
	c := &composed{several: several{readers}}
	for i, r := range readers {
		if r.Schema().Sequence {
			return nil, fmt.Errorf("reader %d has sequences; only rows can be put side by side", i+1)
		}
		c.schema.Columns = append(c.schema.Columns, r.Schema().Columns...)
	}
	if len(c.schema.Columns) == 0 {
		return nil, errors.New("there are no columns")
	}
	if _, twice := data.Repeated(c.schema.Names()); twice {
		for i := range c.schema.Columns {
			c.schema.Columns[i] = c.schema.Columns[i].Renamed(strconv.Itoa(i))
		}
	}
	return c, nil
}

type composed struct {
	several
	schema pipeline.Schema
}

func (c *composed) Schema() *pipeline.Schema { return &c.schema }
func (c *composed) Place() string            { return c.readers[0].Place() }

// Next returns the next row. If one reader's row is bad, the others pass over theirs: rows stay side by side.
func (c *composed) Next() (item pipeline.Item, err error) {
	var bad error
	for _, r := range c.readers {
		of, err := r.Next()
		switch {
		case err == nil:
			item.Row = append(item.Row, of.Row...)
		case !isBadRow(err):
			return pipeline.Item{}, err
		case bad == nil:
			bad = err
		}
	}
	if bad != nil {
		return pipeline.Item{}, bad
	}
	return item, nil
}

// isBadRow reports whether reading may go on with the next row.
func isBadRow(err error) bool {
	row := (*source.RowError)(nil)
	return errors.As(err, &row)
}
