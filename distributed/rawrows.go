package distributed

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// rawConf says how workers read the rows of a RawTable.
type rawConf struct {
	Name  source.Name
	As    schemaText // schema in which the rows are wanted
	Table schemaText // columns of the rows, in this order
	Paths schemaText // columns in the files' paths
	// Labels, unless nil, are in a file of their own.
	Labels *rawLabels `json:",omitempty"`
	First  source.FirstFile
	Query  *rawQuery `json:",omitempty"` // set if the rows come from a query
	Sent   bool      `json:",omitempty"` // rows are items that the driver read; otherwise they are files
	Made   bool      `json:",omitempty"` // rows are items that came out of a pipeline
	// Regroup, unless nil, makes sequences from the rows with equal values.
	Regroup *regroup   `json:",omitempty"`
	Only    *rawOnly   `json:",omitempty"` // selects some of the rows
	Filter  *rawFilter `json:",omitempty"` // says which rows need not be read
	More    []string   `json:",omitempty"` // wanted columns besides As
	Dropped []string   `json:",omitempty"` // columns whose values don't matter
	// Sequencing, unless nil, makes sequences of tokens from the rows. Table has the columns of the rows.
	Sequencing *source.Sequencing `json:",omitempty"`

	ahead int // as source.RowOptions.Lines
}

// schemaText is a schema that is encoded as JSON, or null if it is nil.
type schemaText struct{ *pipeline.Schema }

// MarshalJSON writes DataVec's form.
func (s schemaText) MarshalJSON() ([]byte, error) {
	if s.Schema == nil {
		return []byte("null"), nil
	}
	tree, err := s.MarshalTree()
	if err != nil {
		return nil, err
	}
	return dl4j.Format(tree)
}

// UnmarshalJSON reads DataVec's form.
func (s *schemaText) UnmarshalJSON(b []byte) (err error) {
	if s.Schema = nil; string(b) != "null" {
		s.Schema, err = pipeline.ParseSchema(b)
	}
	return err
}

// file opens the rows of a file. labels, unless nil, are at the label of its first row.
func (c rawConf) file(path string, content source.Content, labels *source.Labels) (source.Rows, error) {
	k, _ := source.KindOf(c.Name.Kind)
	reader, ok := k.(source.RawFiles)
	if !ok {
		return nil, fmt.Errorf("%s: workers of this program can't read %s: data; register the kind in an init function of "+
			"the program", path, c.Name.Kind)
	}
	o := source.RowOptions{As: c.Sequencing.RowsOf(c.As.Schema, c.Name.Keys()), Table: c.Table.Schema, First: c.First,
		Labels: labels, Dropped: c.Dropped, Lines: c.ahead}
	if c.Paths.Schema != nil {
		o.Paths = c.Paths.Columns
	}
	if as := cmp.Or(o.As, c.Table.Schema); c.Sequencing == nil && c.Regroup == nil {
		var err error
		if o.Removes, err = c.Filter.removes(as); err != nil {
			return nil, err
		}
	}
	switch {
	case c.Table.Schema != nil:
		o.Columns = c.Table.Names()
	case o.As != nil && len(c.More) > 0:
		o.Columns = append(o.As.Names(), c.More...)
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	rows, err := reader.RawFile(c.Name, path, content, o)
	if err != nil && !strings.Contains(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return rows, err
}

// each calls take with the rows of a partition: those of its files one after the other, in the table's columns.
func (c rawConf) each(t *engine.Task, in engine.Rows, take func(source.Rows) error) error {
	do := func(rows source.Rows) error {
		rows, err := source.Tokenized(rows, c.Sequencing)
		if err != nil {
			return engine.Permanent(err)
		}
		return take(rows)
	}
	if c.Only != nil {
		var err error
		if do, err = c.Only.filter(t, do); err != nil {
			return err
		}
	}
	if c.Query != nil {
		return do(newQueryRows(c, in))
	}
	if c.Sent {
		rows, err := c.Regroup.rows(&sentRows{schema: c.Table.Schema, in: in})
		if err != nil {
			return engine.Permanent(err)
		}
		return do(rows)
	}
	if c.Made {
		return do(&madeRows{schema: c.Table.Schema, in: in, partition: t.Partition})
	}
	from := c.labelReader(t.Partition)
	defer from.close()
	return eachFile(in, func(file engine.File) error {
		if taken, err := from.take(file); taken {
			return engine.Permanent(err)
		}
		labels, err := from.next()
		if err != nil {
			return engine.Permanent(err)
		}
		return opened(t, file, func(path string, content source.Content) error {
			rows, err := c.file(path, content, labels)
			if err != nil {
				return engine.Permanent(err)
			}
			defer rows.Close()
			if rows, err = arranged(rows, c.Table.Schema, path); err != nil {
				return engine.Permanent(err)
			}
			return do(rows)
		})
	})
}

// arranged returns rows with the columns of a table, by name.
func arranged(rows source.Rows, table *pipeline.Schema, path string) (source.Rows, error) {
	found := rows.Schema()
	if found.Sequence != table.Sequence {
		return nil, fmt.Errorf("%s: rows and sequences: all files need the same", path)
	}
	for _, c := range table.Columns {
		at := found.Index(c.Title())
		if at < 0 {
			return nil, fmt.Errorf("%s: there is no column %q, which the first file has", path, c.Title())
		}
		if found.Columns[at].Type() != c.Type() {
			return nil, fmt.Errorf("%s: column %q has values of type %s, and in the first file of type %s: all files need "+
				"the same", path, c.Title(), found.Columns[at].Type(), c.Type())
		}
	}
	rows, _, err := source.Match(rows, table)
	return rows, err
}

// eachItem calls take with the rows or sequences that are not skipped.
func eachItem(t *engine.Task, rows source.Rows, bad *source.BadRows, take func(pipeline.Item) error) error {
	for {
		if err := t.Context().Err(); err != nil {
			return err
		}
		item, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if err = bad.Allow(err); err != nil {
				return engine.Permanent(source.Advise(err))
			}
			continue
		}
		if err := take(item); err != nil {
			return err
		}
	}
}
