package distributed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// rawQuery describes the cells of a query's row: keys, and then the table's columns.
type rawQuery struct {
	Keys  []string
	Types []string // of the columns, in SQL
}

// openQuery finds the columns of a query, which are texts like those of a CSV file.
func (t *RawTable) openQuery(ctx context.Context, e engine.Engine, o RawOptions) error {
	tables, err := engine.TablesOf(e)
	if err != nil {
		return err
	}
	all, err := tables.QueryColumns(ctx, t.name.Place)
	if err != nil {
		return err
	}
	options, err := queryOptions(t.name)
	if err != nil {
		return err
	}
	for _, name := range options.Keys {
		c, err := columnNamed(all, "key", name)
		if err != nil {
			return err
		}
		if !c.Plain() {
			return fmt.Errorf("the key %s has the type %s: numbers, strings, bytes, dates and times can be keys", c.Name, c.Type)
		}
		t.keys = append(t.keys, c)
	}
	if w := t.name.Weights(); w != "" {
		o.More = append(slices.Clone(o.More), w)
	}
	columns, as, err := queryColumns(all, o)
	if err != nil {
		return err
	}
	for _, c := range all {
		if !slices.Contains(columns, c) && !slices.Contains(t.keys, c) {
			t.unused = append(t.unused, c.Name)
		}
	}
	q := engine.Query{SQL: t.name.Place, Partitions: o.Partitions, Ordered: options.Ordered}
	t.schema = &pipeline.Schema{}
	t.conf.Query = &rawQuery{Keys: names(t.keys)}
	for _, c := range slices.Concat(t.keys, columns) {
		q.Pick = append(q.Pick, engine.Pick{Columns: []engine.Column{c}, Text: c.Rank() < 1})
	}
	for i, c := range columns {
		name := c.Name
		if as != nil {
			name = as[i]
		}
		t.conf.Query.Types = append(t.conf.Query.Types, strings.ToLower(c.Type))
		if rank := c.Rank(); rank > 0 {
			t.schema.Columns = append(t.schema.Columns,
				pipeline.ArrayColumn{Name: name, Shape: slices.Repeat([]int64{-1}, rank)})
			continue
		}
		t.schema.Columns = append(t.schema.Columns, pipeline.StringColumn{Name: name})
	}
	if err := t.schema.Check(); err != nil {
		return fmt.Errorf("the columns of the query: %w; rename them (AS)", err)
	}
	t.conf.Table = schemaText{t.schema}
	t.conf.Name = t.conf.Name.OnlyBadRows() // workers only need these settings and the weights
	if w := t.name.Weights(); w != "" {
		at := slices.IndexFunc(t.schema.Columns, func(c pipeline.Column) bool { return strings.EqualFold(c.Title(), w) })
		if at < 0 {
			return fmt.Errorf("the weights: the query has no column %q: there are %s", w, data.ShortList(t.schema.Names()))
		}
		t.conf.Name.Settings = maps.Clone(t.conf.Name.Settings)
		if t.conf.Name.Settings == nil {
			t.conf.Name.Settings = map[string]string{}
		}
		t.conf.Name.Settings["weights"] = t.schema.Columns[at].Title()
	}
	if o.PartitionRows > 0 && q.Partitions == 0 && !q.Ordered {
		n, err := countQuery(ctx, tables, q.SQL)
		if err != nil {
			return err
		}
		q.Partitions = max(e.Slots(), (n+o.PartitionRows-1)/o.PartitionRows)
	}
	t.rows, err = tables.Query(ctx, q)
	return err
}

// queryColumns returns the wanted columns of a query, with their wanted names. If none are wanted by name, it returns
// all.
func queryColumns(all []engine.Column, o RawOptions) (columns []engine.Column, names []string, err error) {
	if len(o.As) == 0 {
		columns = all
	} else { // the other schemas are for files without names of columns
		for _, wanted := range slices.Concat(o.As[0].Names(), o.More) {
			at := slices.IndexFunc(all, func(c engine.Column) bool { return c.Name == wanted })
			if at < 0 {
				at = slices.IndexFunc(all, func(c engine.Column) bool { return strings.EqualFold(c.Name, wanted) })
			}
			if at >= 0 && !slices.Contains(names, wanted) {
				columns, names = append(columns, all[at]), append(names, wanted)
			}
		}
	}
	for i, c := range columns {
		if c.Rank() < 1 && (!c.Plain() || strings.EqualFold(c.Type, "binary")) {
			return nil, nil, fmt.Errorf("the column %s of the query has the type %s, which a pipeline can't take: leave it out "+
				"of the query, or turn it into numbers, an array of numbers, or a string", c.Name, c.Type)
		}
		if names == nil || c.Rank() < 1 {
			continue
		}
		if at := o.As[0].Index(names[i]); at >= 0 && o.As[0].Columns[at].Type() != pipeline.ArrayType {
			return nil, nil, fmt.Errorf("the column %s of the query has the type %s, and the pipeline takes values of type %s",
				c.Name, c.Type, o.As[0].Columns[at].Type())
		}
	}
	return columns, names, nil
}

// RawQuery reports whether the columns of a query go through a pipeline that is proposed: numbers, strings, dates and
// times. Arrays do so beside strings, dates or times that are no keys; with numbers alone, they are features as they
// are.
func RawQuery(ctx context.Context, e engine.Engine, n source.Name) (bool, error) {
	tables, err := engine.TablesOf(e)
	if err != nil {
		return false, err
	}
	columns, err := tables.QueryColumns(ctx, n.Place)
	if err != nil {
		return false, err
	}
	if _, _, other := queryColumns(columns, RawOptions{}); other != nil {
		return false, nil
	}
	keys := source.Values(n.Settings["keys"])
	arrays, texts := false, false
	for _, c := range columns {
		isKey := slices.ContainsFunc(keys, func(name string) bool { return strings.EqualFold(name, c.Name) })
		arrays = arrays || c.Rank() > 0
		texts = texts || c.Rank() < 0 && !isKey
	}
	return !arrays || texts, nil
}

// queryRows are a partition's rows of cells.
type queryRows struct {
	conf  rawConf
	in    engine.Rows
	cells []engine.Cell // of the last row
}

func newQueryRows(c rawConf, in engine.Rows) *queryRows { return &queryRows{conf: c, in: in} }

// Schema returns the columns.
func (r *queryRows) Schema() *pipeline.Schema { return r.conf.Table.Schema }

// Next returns the next row, as texts.
func (r *queryRows) Next() (item pipeline.Item, err error) {
	row, err := r.in.Next()
	if err != nil {
		return item, err
	}
	if r.cells, err = engine.Cells(row.Bytes); err != nil {
		return item, err
	}
	q := r.conf.Query
	if want := len(q.Keys) + len(q.Types); len(r.cells) != want {
		return item, fmt.Errorf("a row of a query has %d cells, wanted %d", len(r.cells), want)
	}
	item.Row = make(pipeline.Row, len(q.Types))
	for i, c := range r.cells[len(q.Keys):] {
		if c.Numbers != nil {
			item.Row[i] = arrayCell(c)
			continue
		}
		if c.Text == nil {
			continue
		}
		text := string(c.Text)
		if strings.HasPrefix(q.Types[i], "timestamp") {
			if text, err = instantText(text); err != nil {
				return item, fmt.Errorf("column %s: %w", r.Schema().Columns[i].Title(), err)
			}
		}
		item.Row[i] = pipeline.Text(text)
	}
	return item, nil
}

// arrayCell returns a cell of numbers as an array.
func arrayCell(c engine.Cell) pipeline.Value {
	a := &pipeline.Array{Shape: c.Shape, Data: make([]float64, len(c.Numbers))}
	for i, x := range c.Numbers {
		a.Data[i] = float64(x)
	}
	return pipeline.ArrayOf(a)
}

// instantText writes microseconds since 1970 like Spark's timestamps, in UTC.
func instantText(micros string) (string, error) {
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return "", err
	}
	return time.UnixMicro(n).UTC().Format("2006-01-02 15:04:05.999"), nil
}

// Place identifies the row by its keys.
func (r *queryRows) Place() string {
	var all []string
	for i, name := range r.conf.Query.Keys {
		value := "NULL"
		if r.cells[i].Text != nil {
			value = strconv.Quote(string(r.cells[i].Text))
		}
		all = append(all, name+" = "+value)
	}
	if all == nil {
		return "a row of the query"
	}
	return "the row with " + strings.Join(all, ", ")
}

// key returns the last row's key, in the form of results; empty if there is none.
func (r *queryRows) key() string {
	var meta []byte
	for _, c := range r.cells[:min(len(r.cells), len(r.conf.Query.Keys))] {
		meta = engine.AppendText(meta, c.Text)
	}
	return string(meta)
}

// Close does nothing: the rows belong to the task.
func (r *queryRows) Close() error { return nil }

var _ source.Rows = (*queryRows)(nil)
