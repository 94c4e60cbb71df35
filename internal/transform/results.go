package transform

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/parts"
	"github.com/dl4go/dl4go/internal/rowfile"
	"github.com/dl4go/dl4go/pipeline"
)

// linesBytes is about the length of the lines in one row of an engine.
const linesBytes = 256 << 10

// to writes the results in a format. Workers make lines; other formats are put together here, by w.
func (w *onWorkers) to(ctx context.Context, f rowfile.Format, o rowfile.Options, out rowfile.Writer,
	lines func([]byte) error) error {
	made := linesOf{}
	if f.Lines {
		made = linesOf{f.Name, o.Arrays}
	}
	rows, err := w.items(ctx, made)
	if err != nil {
		return err
	}
	if f.Lines && w.several() {
		rows = rows.Map(runLines.With(linesConf{w.last(), made}))
	}
	return rows.Collect(ctx, func(_ int, row engine.Row) error {
		switch row.Bytes[0] {
		case parts.CountRow:
			return w.count(row.Bytes)
		case textRow:
			w.sum.Out += int(binary.LittleEndian.Uint64(row.Bytes[1:]))
			return lines(row.Bytes[9:])
		}
		item, err := parts.ReadItem(row.Bytes)
		if err != nil {
			return err
		}
		w.sum.Out++
		return out.Write(item)
	})
}

// last names the last part.
func (w *onWorkers) last() parts.Steps { return w.run.Steps.At(len(w.plan.Parts()) - 1) }

// several reports whether the pipeline has several parts.
func (w *onWorkers) several() bool { return w.last().Part > 0 }

// linesOf says in which format items become lines; without a format they stay items.
type linesOf struct {
	Format string
	Arrays bool
}

type linesConf struct {
	parts.Steps
	linesOf
}

// lineWriter turns items into lines, many in one row of the engine.
type lineWriter struct {
	to  rowfile.Writer
	b   bytes.Buffer
	n   uint64
	out engine.Writer
}

// writer makes a lineWriter for items of a schema.
func (l linesOf) writer(s *pipeline.Schema, out engine.Writer) (*lineWriter, error) {
	f, err := rowfile.Named(l.Format)
	if err != nil {
		return nil, engine.Permanent(err)
	}
	w := &lineWriter{out: out}
	w.to, err = f.New(&w.b, rowfile.Options{Schema: s, Arrays: l.Arrays, NoHeader: true})
	return w, engine.Permanent(err)
}

func (w *lineWriter) write(i pipeline.Item) error {
	if err := w.to.Write(i); err != nil {
		return engine.Permanent(err)
	}
	if w.n++; w.b.Len() < linesBytes {
		return nil
	}
	return w.flush()
}

func (w *lineWriter) flush() error {
	if w.n == 0 {
		return nil
	}
	row := append(binary.LittleEndian.AppendUint64([]byte{textRow}, w.n), w.b.Bytes()...)
	w.b.Reset()
	w.n = 0
	return w.out.Write(engine.Unindexed(row))
}

// runLines turns items into lines of a file.
var runLines = engine.Register("transform.lines",
	func(_ *engine.Task, conf linesConf, in engine.Rows, out engine.Writer) error {
		part, _, err := conf.Load()
		if err != nil {
			return err
		}
		w, err := conf.writer(part.Out(), out)
		if err != nil {
			return err
		}
		if err := parts.EachItem(in, out, w.write); err != nil {
			return err
		}
		return w.flush()
	})

// toTable writes the results to a table of the engine's cluster.
func (w *onWorkers) toTable(ctx context.Context, t engine.TableWrite) error {
	tables, err := engine.TablesOf(w.engine)
	if err != nil {
		return err
	}
	if t.Columns, err = tableColumns(w.plan.Out()); err != nil {
		return err
	}
	if err := tables.CheckTable(ctx, t); err != nil {
		return err
	}
	rows, err := w.items(ctx, linesOf{})
	if err != nil {
		return err
	}
	w.run.Keep(rows)
	counts := rows.Map(onlyCounts.With(struct{}{}))
	err = counts.Collect(ctx, func(_ int, row engine.Row) error { return w.count(row.Bytes) })
	if err != nil {
		return err
	}
	n, err := tables.WriteTable(ctx, rows.Map(runCells.With(w.last())), t)
	w.sum.Out = int(n)
	return err
}

// onlyCounts keeps the rows of counts, and drops the items.
var onlyCounts = engine.Register("transform.counts",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] != parts.CountRow {
				continue
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		return nil
	})

// tableTypes are the SQL types of a table's columns.
var tableTypes = map[pipeline.ColumnType]string{
	pipeline.StringType: "string", pipeline.CategoricalType: "string", pipeline.IntegerType: "int",
	pipeline.LongType: "bigint", pipeline.DoubleType: "double", pipeline.FloatType: "float",
	pipeline.BooleanType: "boolean", pipeline.TimeType: "timestamp", pipeline.BytesType: "binary",
	pipeline.ArrayType: "array<float>",
}

// tableColumns are the columns of a table for rows of a schema.
func tableColumns(s *pipeline.Schema) (columns []engine.Column, err error) {
	if s.Sequence {
		return nil, errors.New("the pipeline gives sequences, and a table has rows: end with convertFromSequence, or write " +
			"a .jsonl file")
	}
	for _, c := range s.Columns {
		t, ok := tableTypes[c.Type()]
		if !ok {
			return nil, fmt.Errorf("column %q has the type %s, which a table has no place for", c.Title(), c.Type())
		}
		columns = append(columns, engine.Column{Name: c.Title(), Type: t})
	}
	return columns, nil
}

// runCells turns items into rows of table cells.
var runCells = engine.Register("transform.cells",
	func(_ *engine.Task, conf parts.Steps, in engine.Rows, out engine.Writer) error {
		part, _, err := conf.Load()
		if err != nil {
			return err
		}
		columns := part.Out().Columns
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] == parts.CountRow {
				continue
			}
			item, err := parts.ReadItem(row.Bytes)
			if err != nil {
				return err
			}
			var cells []byte
			for k, v := range item.Row {
				if cells, err = appendCell(cells, columns[k], v); err != nil {
					return engine.Permanent(fmt.Errorf("column %q: %w", columns[k].Title(), err))
				}
			}
			if err := out.Write(engine.Unindexed(cells)); err != nil {
				return err
			}
		}
		return nil
	})

// appendCell appends a value in the form of its column's type. Times are microseconds.
func appendCell(to []byte, c pipeline.Column, v pipeline.Value) ([]byte, error) {
	if v.IsNull() {
		return engine.AppendText(to, nil), nil
	}
	switch c.Type() {
	case pipeline.StringType, pipeline.CategoricalType, pipeline.BytesType:
		return engine.AppendText(to, []byte(v.String())), nil
	case pipeline.ArrayType:
		a := v.Array()
		if a == nil {
			return nil, fmt.Errorf("%q is not an array", v)
		}
		numbers := make([]float32, len(a.Data))
		for i, x := range a.Data {
			numbers[i] = float32(x)
		}
		return engine.AppendNumbers(to, []int{len(numbers)}, numbers), nil
	}
	v, err := c.Convert(v)
	if err != nil {
		return nil, err
	}
	if c.Type() != pipeline.TimeType {
		return engine.AppendText(to, []byte(v.String())), nil
	}
	ms, err := v.Long()
	if err == nil && (ms > math.MaxInt64/1000 || ms < math.MinInt64/1000) {
		err = fmt.Errorf("the time %d ms after 1970 is too far away for a table", ms)
	}
	return engine.AppendText(to, fmt.Append(nil, ms*1000)), err
}
