package records

import (
	"context"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// Lines reads the lines of a file, a directory, or the files that match a pattern. Each line, even an empty one, is a
// row with one text, in the column "line".
func Lines(ctx context.Context, path string) (source.Rows, error) {
	k, _ := source.KindOf("text")
	rows, err := k.(source.Tabular).Rows(ctx, source.Name{Kind: "text", Place: path,
		Settings: map[string]string{"lines": "true"}}, source.RowOptions{})
	if err != nil {
		return nil, err
	}
	if text := rows.Schema().Index("text"); text >= 0 {
		return &lines{Rows: rows, text: text}, nil
	}
	rows.Close()
	return nil, fmt.Errorf("%s: there are no lines", path)
}

type lines struct {
	source.Rows
	text int
}

func (l *lines) Schema() *pipeline.Schema {
	return &pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "line"}}}
}

// Next reads the next line.
func (l *lines) Next() (item pipeline.Item, err error) {
	if item, err = l.Rows.Next(); err == nil {
		item.Row = item.Row[l.text : l.text+1 : l.text+1]
	}
	return item, err
}

// next returns the text of the next line.
func (l *lines) next() (string, error) {
	item, err := l.Next()
	if err != nil {
		return "", err
	}
	return item.Row[0].String(), nil
}

// openLines opens a place, and passes over lines at its beginning.
func openLines(ctx context.Context, path string, skip int) (*lines, error) {
	rows, err := Lines(ctx, path)
	if err != nil {
		return nil, err
	}
	l := rows.(*lines)
	for range skip {
		if _, err := l.next(); err == io.EOF {
			break
		} else if err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}
