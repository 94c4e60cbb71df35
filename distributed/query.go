package distributed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// QueryOptions describe the columns of a query. The zero value infers their meaning from names and types.
type QueryOptions struct {
	// Features are the columns of the features, in this order. By default, they are all columns that are neither labels
	// nor keys, in the query's order. All of them must be numbers, arrays of numbers, or Spark ML's vectors.
	Features []string
	// Labels are the columns of the labels. By default, it is the column named label, labels or y, in any case of
	// letters, if there is one; two such columns are an error.
	Labels []string
	// Unlabelled ignores the labels: their columns, including the default one, are not read.
	Unlabelled bool
	// Classes, if not 0, means that the label is one column of class indices 0 … Classes-1, or of booleans, where true
	// is 1. They become one-hot rows. Otherwise the labels are the numbers in the columns.
	Classes int
	// Keys are columns that identify an example, such as an ID, and that its results have, too: see [Results]. They are
	// numbers, strings, bytes, dates or times, and may be NULL.
	Keys []string
	// Shape is the shape of an example's features, whose numbers are then in row-major order: [1, 28, 28] for images
	// with one channel. By default, an array of arrays has its own shape, and all other features are a row of numbers.
	Shape []int
	// Partitions is the number of partitions; 0 means the engine's slots.
	Partitions int
	// PartitionRows, if not 0 and Partitions is 0, chooses the number of partitions, so that each has about PartitionRows
	// rows. The cluster counts the rows first. [PieceRows] is a good number for data whose results come to the driver.
	PartitionRows int
	// Ordered keeps the order of a query that ends with an ORDER BY, which must leave no two rows equal. The examples
	// are then in one partition, read by one worker.
	Ordered bool
}

// Query is Data from the rows of a query.
type Query struct {
	*Data
	Keys, Features, Labels []engine.Column // the columns of the query by their role
	// Sample has some of the examples, at most 64, in no particular order.
	Sample *data.MultiDataSet
}

// sampled is the number of examples in a sample.
const sampled = 64

// FromQuery makes data from the rows of a query, or of a table ("TABLE name"), on an engine that has tables: Spark. The
// workers read it whenever a job needs it, unless it is persisted. FromQuery itself reads a few rows as a sample, to
// learn the lengths of arrays. Numbers become float32.
//
// The rows of a query have no reliable order. Unless the query is Ordered, the order of the examples depends only on
// their content and the number of partitions. So the same rows always give the same data, on any cluster and however
// the table is stored.
//
// Mistakes in the query, missing tables, missing columns, columns of a wrong type, and a query without rows are errors
// here. NULL, NaN, infinite numbers, class indices out of range, and arrays of different lengths are permanent errors,
// here or of a job. They name the column, and the keys of the row.
func FromQuery(ctx context.Context, e engine.Engine, query string, o QueryOptions) (*Query, error) {
	tables, err := engine.TablesOf(e)
	if err != nil {
		return nil, err
	}
	columns, err := tables.QueryColumns(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := chooseRoles(columns, o)
	if err != nil {
		return nil, fmt.Errorf("the columns of the query: %w", err)
	}
	q := engine.Query{SQL: query, Partitions: o.Partitions, Ordered: o.Ordered}
	for _, c := range r.keys {
		q.Pick = append(q.Pick, engine.Pick{Columns: []engine.Column{c}, Text: true})
	}
	q.Pick = append(q.Pick, engine.Pick{Columns: r.features})
	if r.labels != nil {
		q.Pick = append(q.Pick, engine.Pick{Columns: r.labels, Text: o.Classes > 0})
	}
	conf := queryConfig{Keys: names(r.keys), Features: names(r.features), Labels: names(r.labels), Classes: o.Classes,
		Shape: o.Shape}
	sample, err := sampleQuery(ctx, tables, q, conf)
	if err == ErrNoRows {
		return nil, &NoRowsError{Keys: r.keys}
	}
	if err != nil {
		return nil, err
	}
	conf.First = &shapes{Features: sample.Features[0].Shape[1:]}
	if sample.Labels != nil {
		conf.First.Labels = sample.Labels[0].Shape[1:]
	}
	if o.PartitionRows > 0 && q.Partitions == 0 && !q.Ordered {
		n, err := countQuery(ctx, tables, query)
		if err != nil {
			return nil, err
		}
		q.Partitions = max(e.Slots(), (n+o.PartitionRows-1)/o.PartitionRows)
	}
	rows, err := tables.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	d := &Data{rows: rows.Map(readQuery.With(conf)), keys: r.keys, checked: true}
	return &Query{d, r.keys, r.features, r.labels, sample}, nil
}

// ErrNoRows is wrapped by the NoRowsError of FromQuery.
var ErrNoRows = errors.New("the query gives no rows")

// NoRowsError means that a query has no rows. For predictions that is not a failure: see [Network.WriteNoPredictions].
type NoRowsError struct {
	Keys []engine.Column // the query's
}

func (e *NoRowsError) Error() string { return ErrNoRows.Error() }
func (e *NoRowsError) Unwrap() error { return ErrNoRows }

// sampleQuery reads some of the rows.
func sampleQuery(ctx context.Context, tables engine.Tables, q engine.Query, conf queryConfig) (*data.MultiDataSet,
	error) {
	q.Limit, q.Partitions = sampled, 1
	rows, err := tables.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	examples, err := rows.Map(readQuery.With(conf)).CollectAll(ctx)
	if err != nil {
		return nil, err
	}
	if len(examples) == 0 {
		return nil, ErrNoRows
	}
	encoded := make([][]byte, len(examples))
	for i, row := range examples {
		encoded[i] = row.Bytes
	}
	return data.DecodeRows(encoded)
}

// countQuery returns the number of a query's rows.
func countQuery(ctx context.Context, tables engine.Tables, query string) (int, error) {
	rows, err := tables.Query(ctx, engine.Query{SQL: "SELECT count(*) AS n FROM (\n" + query + "\n)", Partitions: 1,
		Pick: []engine.Pick{{Columns: []engine.Column{{Name: "n", Type: "bigint"}}, Text: true}}})
	if err != nil {
		return 0, err
	}
	n := 0
	err = rows.Collect(ctx, func(_ int, row engine.Row) error {
		cells, err := engine.Cells(row.Bytes)
		if err == nil {
			n, err = strconv.Atoi(string(cells[0].Text))
		}
		return err
	})
	return n, err
}

type queryConfig struct {
	Keys, Features, Labels []string // columns' names
	Classes                int
	Shape                  []int
	First                  *shapes // of an example whose shapes all others must have; nil: the first one
}

type shapes struct{ Features, Labels []int }

var readQuery = engine.Register("distributed.readQuery",
	func(_ *engine.Task, conf queryConfig, in engine.Rows, out engine.Writer) error {
		r := queryReader{queryConfig: conf}
		if conf.First != nil {
			r.first = *conf.First
		}
		return eachRow(in, out, func(_ int, row []byte) ([]byte, error) {
			m, err := r.example(row)
			if err != nil {
				return nil, err
			}
			return data.AppendRow(nil, m), nil
		})
	})

// queryReader makes examples from rows of cells.
type queryReader struct {
	queryConfig
	first shapes
}

func (r *queryReader) example(row []byte) (*data.MultiDataSet, error) {
	cells, err := engine.Cells(row)
	if err != nil {
		return nil, err
	}
	want := len(r.Keys) + 1
	if r.Labels != nil {
		want++
	}
	if len(cells) != want {
		return nil, fmt.Errorf("a row of a query has %d cells, wanted %d", len(cells), want)
	}
	m := new(data.MultiDataSet)
	var meta []byte
	for _, key := range cells[:len(r.Keys)] {
		meta = engine.AppendText(meta, key.Text)
	}
	x, err := r.array(cells[len(r.Keys)], r.Features, r.Shape, &r.first.Features)
	if err == nil && r.Labels != nil {
		var y *tensor.Dense
		if label := cells[want-1]; r.Classes > 0 {
			y, err = oneHot(label.Text, r.Labels[0], r.Classes)
		} else {
			y, err = r.array(label, r.Labels, nil, &r.first.Labels)
		}
		m.Labels = []*tensor.Dense{y}
	}
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, r.which(cells))
	}
	m.Features = []*tensor.Dense{x}
	if r.Keys != nil {
		m.Meta = []string{string(meta)}
	}
	return m, nil
}

// array makes an example's array. Its shape must be the first example's, except for the length of a time series.
func (r *queryReader) array(c engine.Cell, columns []string, shape []int, first *[]int) (*tensor.Dense, error) {
	if shape == nil {
		shape = c.Shape
	}
	if len(shape) == 0 {
		shape = []int{len(c.Numbers)}
	}
	if size := tensor.Shape(shape).Size(); size != len(c.Numbers) {
		return nil, fmt.Errorf("%s: %d numbers, where the shape %v has %d", columnList(columns), len(c.Numbers), shape, size)
	}
	if *first == nil {
		*first = slices.Clone(shape)
	}
	same := len(shape) == len(*first)
	for i := 0; same && i < len(shape); i++ {
		same = shape[i] == (*first)[i] || i == 1 && len(shape) == 2
	}
	if !same {
		return nil, fmt.Errorf("%s: an array of the shape %v, where another row's is %v; all rows' must be alike",
			columnList(columns), shape, *first)
	}
	return &tensor.Dense{Shape: append(tensor.Shape{1}, shape...), Data: c.Numbers}, nil
}

// oneHot makes a row from a class index, as Spark has written it.
func oneHot(text []byte, column string, classes int) (*tensor.Dense, error) {
	if text == nil {
		return nil, fmt.Errorf("column %s is NULL, wanted a class index of 0 … %d: leave such rows out (WHERE … IS NOT NULL)",
			column, classes-1)
	}
	var class float64
	switch s := string(text); s {
	case "true":
		class = 1
	case "false":
	default:
		var err error
		if class, err = strconv.ParseFloat(s, 64); err != nil {
			class = math.NaN()
		}
	}
	if class != math.Trunc(class) || !(class >= 0 && class < float64(classes)) {
		return nil, fmt.Errorf("column %s is %s, which is not a class index of 0 … %d", column, text, classes-1)
	}
	y := tensor.New(1, classes)
	y.Data[int(class)] = 1
	return y, nil
}

func columnList(names []string) string {
	if len(names) == 1 {
		return "column " + names[0]
	}
	if len(names) > 8 {
		names = append(slices.Clone(names[:4]), "…", names[len(names)-1])
	}
	return "columns " + strings.Join(names, ", ")
}

// which identifies the row by its keys.
func (r *queryReader) which(cells []engine.Cell) string {
	var all []string
	for i, name := range r.Keys {
		value := "NULL"
		if cells[i].Text != nil {
			value = strconv.Quote(string(cells[i].Text))
		}
		all = append(all, name+" = "+value)
	}
	if all == nil {
		return ""
	}
	return ", in the row with " + strings.Join(all, ", ")
}
