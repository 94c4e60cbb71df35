package records

import (
	"context"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// Field is a value in a JSON object, for [JSONLines].
type Field struct {
	Path    []string // the names of members, from the outermost one
	Missing string   // the text if there is no such member
}

// JSONLines reads a row of texts from each line, which is a JSON object: the values of the fields. Numbers are written
// as Java prints them.
func JSONLines(ctx context.Context, path string, fields ...Field) (source.Rows, error) {
	s := &pipeline.Schema{}
	for _, f := range fields {
		s.Columns = append(s.Columns, pipeline.StringColumn{Name: strings.Join(f.Path, ".")})
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	rows, err := source.OpenRows(ctx, source.Name{Kind: "jsonl", Place: path}, source.RowOptions{As: s})
	if err != nil {
		return nil, err
	}
	j := &jsonLines{Rows: rows, schema: s, fields: fields}
	for _, name := range s.Names() {
		j.at = append(j.at, rows.Schema().Index(name)) // -1: it is always missing
	}
	return j, nil
}

type jsonLines struct {
	source.Rows
	schema *pipeline.Schema
	fields []Field
	at     []int
}

func (j *jsonLines) Schema() *pipeline.Schema { return j.schema }

// Next reads the next line.
func (j *jsonLines) Next() (item pipeline.Item, err error) {
	all, err := j.Rows.Next()
	if err != nil {
		return item, err
	}
	item.Row = make(pipeline.Row, len(j.at))
	for i, at := range j.at {
		v := pipeline.Null()
		if at >= 0 {
			v = all.Row[at]
		}
		switch {
		case v.IsNull():
			v = pipeline.Text(j.fields[i].Missing)
		case v.Kind() == pipeline.ArrayKind:
			return item, &source.RowError{Err: fmt.Errorf("%s: column %q: an array, where a text or a number is needed",
				j.Place(),
				j.schema.Columns[i].Title())}
		}
		item.Row[i] = v
	}
	return item, nil
}
