package distributed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// TableOptions are settings of [Results.WriteTable]. The zero value has the defaults.
type TableOptions struct {
	// Mode chooses what happens to an existing table. By default it is an error.
	Mode engine.WriteMode
	// Format is the table's, such as parquet or delta. If it is empty, a table that exists keeps its own, and a new one
	// gets the server's default.
	Format string
	// Keys names the key columns of data without a query's keys, strings: key by default. If there are several, the
	// metadata of each example is a line of CSV with their values, as sources make it.
	Keys []string
	// Column names the column of the results: prediction, an array<float> with an output's numbers in row-major order,
	// or score, a double. A network with several outputs has a column for each, prediction_NAME.
	Column string
	// Class, if not empty, names an int column with the index of an output's largest number; with several outputs,
	// Class_NAME.
	Class string
	// Answer, if not nil, writes predictions under its names, instead of Column and Class: texts are strings, and
	// numbers floats. It is for networks with one output.
	Answer *source.Answer
	// Finite makes results that are NaN or infinite an error, which names the example. Otherwise they are written to the
	// table.
	Finite bool
}

// WriteTable writes the results to a table, and returns the number of rows. Columns are those of the keys, with the
// names and types of the query, and then those of TableOptions. Each example has exactly one row, and needs a key.
//
// All results are computed and verified before the first is written. A mistake in the data, or a failure, leaves the
// table unchanged. See engine.Tables for failures while the table is written.
func (r *Results[T]) WriteTable(ctx context.Context, table string, o TableOptions) (int64, error) {
	if r.released.Load() {
		return 0, errReleased
	}
	tables, err := engine.TablesOf(r.engine)
	if err != nil {
		return 0, err
	}
	keys := r.source.keys
	switch {
	case len(keys) > 0:
		o.Keys = nil
	case len(o.Keys) == 0:
		o.Keys = []string{"key"}
	}
	for _, name := range o.Keys {
		keys = append(keys, engine.Column{Name: name, Type: "string"})
	}
	values, cells, err := r.table(o)
	if err != nil {
		return 0, err
	}
	w := engine.TableWrite{Table: table, Mode: o.Mode, Format: o.Format, Columns: append(slices.Clone(keys), values...)}
	if err := tables.CheckTable(ctx, w); err != nil {
		return 0, err
	}
	n, err := tables.WriteTable(ctx, r.rows.Map(cells), w)
	return n, r.data.explain(ctx, err)
}

// WriteNoPredictions writes a table without rows, with the columns of predictions, for a query without rows. With
// engine.Append the table stays unchanged.
func (m *applications) WriteNoPredictions(ctx context.Context, none *NoRowsError, table string, o TableOptions) error {
	tables, err := engine.TablesOf(m.engine)
	if err != nil {
		return err
	}
	values, _, err := outputColumns(names(none.Keys), m.outputNames())(o)
	if err != nil {
		return err
	}
	_, err = tables.WriteTable(ctx, engine.Parallelize(m.engine, make([][]engine.Row, 1)),
		engine.TableWrite{Table: table, Mode: o.Mode, Format: o.Format, Columns: append(slices.Clone(none.Keys), values...)})
	return err
}

// outputColumns returns the columns of predictions.
func outputColumns(keys, names []string) func(TableOptions) ([]engine.Column, engine.Step, error) {
	return func(o TableOptions) (columns []engine.Column, cells engine.Step, err error) {
		if o.Answer != nil {
			return answerColumns(o, keys, names)
		}
		if o.Column == "" {
			o.Column = "prediction"
		}
		if names == nil {
			names = []string{""}
		}
		for _, name := range names {
			if name != "" {
				name = "_" + name
			}
			columns = append(columns, engine.Column{Name: o.Column + name, Type: "array<float>"})
			if o.Class != "" {
				columns = append(columns, engine.Column{Name: o.Class + name, Type: "int"})
			}
		}
		conf := cellsConfig{Keys: keys, Texts: len(o.Keys), Class: o.Class != "", Finite: o.Finite}
		return columns, predictionCells.With(conf), nil
	}
}

// answerColumns returns the columns of predictions under an answer's names.
func answerColumns(o TableOptions, keys, outputs []string) (columns []engine.Column, cells engine.Step, err error) {
	switch {
	case o.Column != "" || o.Class != "":
		return nil, cells, errors.New("an answer names the columns: Column and Class must be empty beside it")
	case o.Answer.PerStep:
		return nil, cells, errors.New("a table has a row for each example, and the model answers for each step; write a file")
	case len(outputs) > 1:
		return nil, cells, fmt.Errorf("an answer has the names of one output: the network has %s",
			strings.Join(outputs, ", "))
	}
	for i, name := range o.Answer.Columns() {
		c := engine.Column{Name: name, Type: "float"}
		if i == 0 && o.Answer.Task == source.Classification {
			c.Type = "string"
		}
		columns = append(columns, c)
	}
	conf := cellsConfig{Keys: keys, Texts: len(o.Keys), Answer: o.Answer, Finite: o.Finite}
	return columns, predictionCells.With(conf), nil
}

// scoreColumns returns the columns of scores.
func scoreColumns(keys []string) func(TableOptions) ([]engine.Column, engine.Step, error) {
	return func(o TableOptions) (columns []engine.Column, cells engine.Step, err error) {
		if o.Class != "" || o.Answer != nil {
			return nil, cells, errors.New("scores have no class: a column for it was asked for")
		}
		if o.Column == "" {
			o.Column = "score"
		}
		return []engine.Column{{Name: o.Column, Type: "double"}},
			scoreCells.With(cellsConfig{Keys: keys, Texts: len(o.Keys), Finite: o.Finite}), nil
	}
}

type cellsConfig struct {
	Keys   []string // of a query: metadata is cells
	Texts  int      // the number of keys in other metadata
	Class  bool
	Answer *source.Answer
	Finite bool
}

// key begins a row of cells with its key.
func (conf cellsConfig) key(t *engine.Task, n int, meta string) ([]byte, error) {
	switch {
	case meta == "":
		return nil,
			fmt.Errorf("example %d of partition %d has no key, so its row of the table would have no name: "+
				"name columns of a query as keys, or give the data keys", n, t.Partition)
	case len(conf.Keys) > 0:
		return []byte(meta), nil // meta already is cells
	case !utf8.ValidString(meta):
		return nil,
			fmt.Errorf("example %d of partition %d has the key %q, which is not a text: a table's column of keys holds text", n,
				t.Partition, meta)
	}
	texts := []string{meta}
	if conf.Texts > 1 {
		if texts = source.Values(meta); len(texts) != conf.Texts {
			return nil, fmt.Errorf("example %d of partition %d has the key %q: these are %d values, and %d columns have keys", n,
				t.Partition, meta, len(texts), conf.Texts)
		}
	}
	var cells []byte
	for _, text := range texts {
		cells = engine.AppendText(cells, []byte(text))
	}
	return cells, nil
}

// predictionCells makes rows of cells: the keys, then each output and its class.
var predictionCells = engine.Register("distributed.predictionCells",
	func(t *engine.Task, conf cellsConfig, in engine.Rows, out engine.Writer) error {
		return eachRow(in, out, func(n int, row []byte) ([]byte, error) {
			meta, outputs, err := readOutputs(row)
			if err != nil {
				return nil, err
			}
			cells, err := conf.key(t, n, meta)
			if err != nil {
				return nil, err
			}
			if i, v := notFinite(outputs, 1); conf.Finite && i >= 0 {
				return nil, fmt.Errorf("%v: the network's output is %v", example{t.Partition, n, []string{meta}, conf.Keys}, v)
			}
			if conf.Answer != nil {
				if err := conf.Answer.Check(len(outputs[0].Data)); err != nil {
					return nil, engine.Permanent(err)
				}
				return conf.appendAnswer(cells, outputs[0]), nil
			}
			for _, y := range outputs {
				cells = engine.AppendNumbers(cells, []int{len(y.Data)}, y.Data)
				if conf.Class {
					cells = engine.AppendNumbers(cells, nil, []float32{float32(tensor.Largest(y.Data))})
				}
			}
			return cells, nil
		})
	})

// appendAnswer appends the cells of an answer.
func (conf cellsConfig) appendAnswer(cells []byte, y *tensor.Dense) []byte {
	if class, ok := conf.Answer.Class(y.Data); ok {
		cells = engine.AppendText(cells, []byte(class))
	}
	for _, v := range conf.Answer.AppendNumbers(nil, y.Data) {
		cells = engine.AppendNumbers(cells, nil, []float32{v})
	}
	return cells
}

// scoreCells makes rows of cells: the keys, then the score.
var scoreCells = engine.Register("distributed.scoreCells",
	func(t *engine.Task, conf cellsConfig, in engine.Rows, out engine.Writer) error {
		return eachRow(in, out, func(n int, row []byte) ([]byte, error) {
			meta, s, err := readScore(row)
			if err != nil {
				return nil, err
			}
			cells, err := conf.key(t, n, meta)
			if err != nil {
				return nil, err
			}
			if conf.Finite && (math.IsNaN(s) || math.IsInf(s, 0)) {
				return nil, fmt.Errorf("%v: its score is %v", example{t.Partition, n, []string{meta}, conf.Keys}, s)
			}
			return engine.AppendText(cells, doubleText(s)), nil
		})
	})

// doubleText writes a number as SQL reads it.
func doubleText(x float64) []byte {
	switch {
	case math.IsInf(x, 1):
		return []byte("Infinity")
	case math.IsInf(x, -1):
		return []byte("-Infinity")
	}
	return strconv.AppendFloat(nil, x, 'g', -1, 64)
}
