package results

import (
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// parquetRows writes an output's predictions as rows of a Parquet file. The columns of the key come first, then those
// of the answer. A model without a pipeline answers with "class", if it classifies, and "prediction", the list of the
// output's numbers.
type parquetRows struct {
	to  *parquet.Writer
	row pipeline.Row
}

// parquetRow writes a row. It opens the file with the first row, because only that shows whether examples have keys.
func (w *Predictions) parquetRow(f *predictionFile, key string, y *tensor.Dense) (err error) {
	if f.rows == nil {
		schema, err := w.parquetSchema(y)
		if err != nil {
			return err
		}
		f.rows = &parquetRows{}
		if f.rows.to, err = parquet.NewWriter(f.file, schema); err != nil {
			return err
		}
	}
	if w.answer == nil {
		return w.parquetCells(f, key, 0, y)
	}
	return w.eachAnswer(y, func(number int, y *tensor.Dense) error { return w.parquetCells(f, key, number, y) })
}

// parquetCells writes a row: an example, or the step with this number.
func (w *Predictions) parquetCells(f *predictionFile, key string, number int, y *tensor.Dense) (err error) {
	row := f.rows.row[:0]
	if w.keyed {
		if row, err = w.appendKeyCells(row, key); err != nil {
			return err
		}
	}
	if number > 0 {
		row = append(row, pipeline.Integer(int32(number)))
	}
	f.rows.row = w.appendAnswerCells(row, y)
	return f.rows.to.Write(f.rows.row)
}

// parquetSchema returns the columns for outputs like y.
func (w *Predictions) parquetSchema(y *tensor.Dense) (*pipeline.Schema, error) {
	s := &pipeline.Schema{}
	if w.keyed {
		for _, name := range w.keyNames() {
			s.Columns = append(s.Columns, pipeline.StringColumn{Name: name})
		}
	}
	switch {
	case w.answer != nil:
		names := w.answer.Columns()
		if w.answer.PerStep {
			s.Columns = append(s.Columns, pipeline.IntegerColumn{Name: "step"})
		}
		if w.answer.Task == source.Classification {
			s.Columns, names = append(s.Columns, pipeline.StringColumn{Name: names[0]}), names[1:]
		}
		for _, name := range names {
			s.Columns = append(s.Columns, pipeline.FloatColumn{Name: name})
		}
	case w.class:
		s.Columns = append(s.Columns, pipeline.IntegerColumn{Name: "class"})
		fallthrough
	default:
		s.Columns = append(s.Columns, pipeline.ArrayColumn{Name: "prediction", Shape: []int64{int64(len(y.Data))}})
	}
	seen := make(map[string]bool)
	for _, c := range s.Columns {
		if seen[c.Title()] {
			return nil, fmt.Errorf("two columns would be named %q; name another key, or write a .csv file", c.Title())
		}
		seen[c.Title()] = true
	}
	return s, nil
}

// keyNames returns the names of a key's columns.
func (w *Predictions) keyNames() []string {
	if len(w.keys) == 0 {
		return []string{"key"}
	}
	return w.keys
}

// appendKeyCells appends the cells of a key; a key of several columns is a line of CSV.
func (w *Predictions) appendKeyCells(row pipeline.Row, key string) (pipeline.Row, error) {
	if !utf8.ValidString(key) {
		return nil, fmt.Errorf("the key %q is not UTF-8, and Parquet's texts are; write a .csv file", key)
	}
	if len(w.keys) < 2 {
		return append(row, pipeline.Text(key)), nil
	}
	fields, err := csv.NewReader(strings.NewReader(key)).Read()
	if err != nil {
		return nil, err
	}
	if len(fields) != len(w.keys) {
		return nil, fmt.Errorf("the key %q has %d values; %d columns make a key", key, len(fields), len(w.keys))
	}
	for _, field := range fields {
		row = append(row, pipeline.Text(field))
	}
	return row, nil
}

// appendAnswerCells appends the values of the other columns.
func (w *Predictions) appendAnswerCells(row pipeline.Row, y *tensor.Dense) pipeline.Row {
	if w.answer == nil {
		if w.class {
			row = append(row, pipeline.Integer(int32(tensor.Largest(y.Data))))
		}
		a := &pipeline.Array{Shape: []int{len(y.Data)}, Data: make([]float64, len(y.Data))}
		for i, v := range y.Data {
			a.Data[i] = float64(v)
		}
		return append(row, pipeline.ArrayOf(a))
	}
	if class, ok := w.answer.Class(y.Data); ok {
		row = append(row, pipeline.Text(class))
	}
	w.numbers = w.answer.AppendNumbers(w.numbers[:0], y.Data)
	for _, v := range w.numbers {
		row = append(row, pipeline.Float(v))
	}
	return row
}
