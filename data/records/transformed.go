package records

import (
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// Transformed runs rows through a pipeline as they are read. Rows that the pipeline removes are skipped.
func Transformed(rows source.Rows, p *pipeline.Plan) source.Rows {
	t := &transformed{Rows: rows, out: p.Out()}
	t.run = p.Start(func(i pipeline.Item) error {
		t.ready = append(t.ready, i)
		return nil
	})
	return t
}

type transformed struct {
	source.Rows
	out   *pipeline.Schema
	run   *pipeline.Run
	ready []pipeline.Item
	ended bool
}

func (t *transformed) Schema() *pipeline.Schema { return t.out }

// Next reads rows until the pipeline returns a result.
func (t *transformed) Next() (pipeline.Item, error) {
	for len(t.ready) == 0 {
		if t.ended {
			return pipeline.Item{}, io.EOF
		}
		item, err := t.Rows.Next()
		switch {
		case err == io.EOF:
			t.ended = true
			err = t.run.Close()
		case err == nil:
			if err = t.run.Push(item); err != nil {
				err = &source.RowError{Err: fmt.Errorf("%s: %w", t.Place(), err)}
			}
		}
		if err != nil {
			return pipeline.Item{}, err
		}
	}
	item := t.ready[0]
	t.ready = t.ready[1:]
	return item, nil
}
