package distributed_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// inTables is an engine on this machine with one query, whose rows are in memory. Cells of text stand for numbers, too.
type inTables struct {
	engine.Engine
	columns        []engine.Column
	rows           [][]engine.Cell // a cell a column
	asked          engine.Query
	checked        int
	wrote          map[string][]string // by the first cell
	columnsWritten []engine.Column
}

func (f *inTables) QueryColumns(_ context.Context, query string) ([]engine.Column, error) {
	if query != "TABLE t" {
		return nil, fmt.Errorf("there is no table in %q", query)
	}
	return f.columns, nil
}

func (f *inTables) Query(_ context.Context, q engine.Query) (*engine.Dataset, error) {
	f.asked = q
	parts := make([][]engine.Row, max(1, q.Partitions))
	for i, cells := range f.rows {
		if q.Limit > 0 && i == q.Limit {
			break
		}
		var row []byte
		for _, p := range q.Pick {
			if p.Text {
				row = engine.AppendText(row, cells[slices.Index(f.columns, p.Columns[0])].Text)
				continue
			}
			var numbers []float32
			var shape []int
			for _, c := range p.Columns {
				cell := cells[slices.Index(f.columns, c)]
				if cell.Text != nil {
					x, err := strconv.ParseFloat(string(cell.Text), 32)
					if err != nil {
						return nil, err
					}
					cell = engine.Cell{Shape: []int{}, Numbers: []float32{float32(x)}}
				}
				numbers, shape = append(numbers, cell.Numbers...), cell.Shape
			}
			if len(p.Columns) > 1 {
				shape = []int{len(numbers)}
			}
			row = engine.AppendNumbers(row, shape, numbers)
		}
		parts[i*len(parts)/len(f.rows)] = append(parts[i*len(parts)/len(f.rows)], engine.Unindexed(row))
	}
	return engine.Parallelize(f.Engine, parts), nil
}

func (f *inTables) CheckTable(_ context.Context, w engine.TableWrite) error {
	f.checked++
	if w.Table == "taken" {
		return fmt.Errorf("the table taken exists already")
	}
	return nil
}

func (f *inTables) WriteTable(ctx context.Context, d *engine.Dataset, w engine.TableWrite) (int64, error) {
	f.wrote, f.columnsWritten = make(map[string][]string), w.Columns
	n := int64(0)
	err := d.Collect(ctx, func(_ int, row engine.Row) error {
		n++
		cells, err := engine.Cells(row.Bytes)
		if err != nil {
			return err
		}
		key := fmt.Sprintf("%q", cells[0].Text)
		for _, c := range cells[1:] {
			if c.Shape == nil {
				f.wrote[key] = append(f.wrote[key], fmt.Sprintf("%q", c.Text))
			} else {
				f.wrote[key] = append(f.wrote[key], fmt.Sprint(c.Shape, c.Numbers))
			}
		}
		return nil
	})
	if err != nil {
		f.wrote = nil
	}
	return n, err
}

func columns(list ...string) (all []engine.Column) {
	for _, c := range list {
		name, kind, _ := strings.Cut(c, " ")
		all = append(all, engine.Column{Name: name, Type: kind})
	}
	return all
}

func txt(s string) engine.Cell { return engine.Cell{Text: []byte(s)} }

func arr(x ...float32) engine.Cell { return engine.Cell{Shape: []int{len(x)}, Numbers: x} }

// TestQueryRoles checks which columns are keys, features and labels.
func TestQueryRoles(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[1]")
	for _, test := range []struct {
		columns []string
		options distributed.QueryOptions
		want    string // keys | features | labels, or a part of the error
	}{
		{[]string{"features array<float>", "label int"}, distributed.QueryOptions{}, "|features|label"},
		{[]string{"a int", "Y double", "b decimal(3,1)"}, distributed.QueryOptions{}, "|a,b|Y"},
		{[]string{"a int", "b boolean"}, distributed.QueryOptions{}, "|a,b|"},
		{[]string{"id string", "a int", "labels array<float>"}, distributed.QueryOptions{Keys: []string{"ID"}},
			"id|a|labels"},
		{[]string{"id string", "a int", "label int", "day date"},
			distributed.QueryOptions{Keys: []string{"id", "label", "day"}}, "id,label,day|a|"},
		{[]string{"a int", "b int", "c int", "label int"}, distributed.QueryOptions{Features: []string{"c", "a"},
			Labels: []string{"b"}}, "|c,a|b"},
		{[]string{"a int", "label int"}, distributed.QueryOptions{Features: []string{"a", "label"}}, "|a,label|"},
		{[]string{"a int", "b int", "c int"}, distributed.QueryOptions{Labels: []string{"a", "b"}}, "|c|a,b"},
		{[]string{"a int", "label string"}, distributed.QueryOptions{Unlabelled: true}, "|a|"},
		{[]string{"a int", "label int"}, distributed.QueryOptions{Unlabelled: true}, "|a|"},
		{[]string{"v vector", "y int"}, distributed.QueryOptions{Classes: 3}, "|v|y"},
		{[]string{"a int", "A int"}, distributed.QueryOptions{}, "two have the name A"},
		{[]string{"a int", "label int", "y int"}, distributed.QueryOptions{}, "label or y could be the label"},
		{[]string{"a int", "label int", "y int"}, distributed.QueryOptions{Keys: []string{"y"}}, "y|a|label"},
		{[]string{"a int", "city string"}, distributed.QueryOptions{}, "city has the type string, which is not a number"},
		{[]string{"a int"}, distributed.QueryOptions{Keys: []string{"id"}},
			"no column id, the key that was asked for: it has a int"},
		{[]string{"label int"}, distributed.QueryOptions{}, "none is left for the features"},
		{[]string{"a int", "label string"}, distributed.QueryOptions{Classes: 2}, "dense_rank() OVER (ORDER BY label)"},
		{[]string{"a int", "label array<int>"}, distributed.QueryOptions{Classes: 2}, "wanted a class index"},
		{[]string{"a int", "b int", "c int"}, distributed.QueryOptions{Classes: 2, Labels: []string{"b", "c"}},
			"one column of class indices"},
		{[]string{"a int", "b int"}, distributed.QueryOptions{Features: []string{"a"}, Labels: []string{"a"}},
			"both a feature and the label"},
		{[]string{"a int"}, distributed.QueryOptions{Features: []string{"a", "a"}}, "twice"},
		{[]string{"a int", "m map<int,int>"}, distributed.QueryOptions{Keys: []string{"m"}}, "can't be a key"},
		{[]string{"a int"}, distributed.QueryOptions{Classes: 1}, "1 classes"},
		{[]string{"a int"}, distributed.QueryOptions{Shape: []int{0}}, "shape [0]"},
	} {
		f := &inTables{Engine: e, columns: columns(test.columns...)}
		_, err := distributed.FromQuery(ctx, f, "TABLE t", test.options)
		if err == nil || !strings.Contains(err.Error(), "the query gives no rows") {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, %+v: error %v, wanted %q", test.columns, test.options, err, test.want)
			}
			continue
		}
		role := make([][]string, 3)
		for _, p := range f.asked.Pick {
			at := 1
			if p.Text && len(role[1]) == 0 {
				at = 0
			} else if len(role[1]) > 0 {
				at = 2
			}
			for _, c := range p.Columns {
				role[at] = append(role[at], c.Name)
			}
		}
		if got := strings.Join(role[0], ",") + "|" + strings.Join(role[1], ",") + "|" +
			strings.Join(role[2], ","); got != test.want {
			t.Errorf("%v, %+v: %s, wanted %s", test.columns, test.options, got, test.want)
		}
	}
	if _, err := distributed.FromQuery(ctx, e, "TABLE t", distributed.QueryOptions{}); err == nil ||
		!strings.Contains(err.Error(), "master local[1] has no tables") {
		t.Errorf("an engine without tables: error %v", err)
	}
	if _, err := distributed.FromQuery(ctx, &inTables{Engine: e}, "nothing", distributed.QueryOptions{}); err == nil ||
		!strings.Contains(err.Error(), "no table") {
		t.Errorf("a wrong query: error %v", err)
	}
}

// TestQueryExamples checks how rows become examples, and which can't.
func TestQueryExamples(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[1]")
	matrix := func(rows, columns int) engine.Cell {
		return engine.Cell{Shape: []int{rows, columns}, Numbers: make([]float32, rows*columns)}
	}
	for _, test := range []struct {
		columns []string
		options distributed.QueryOptions
		rows    [][]engine.Cell
		want    string // features, labels, or a part of the error
	}{
		{[]string{"x float", "label int"}, distributed.QueryOptions{Classes: 3}, [][]engine.Cell{{txt("0.5"), txt("2")}},
			"[1, 1] [0.5] [1, 3] [0 0 1]"},
		{[]string{"x float", "label int"}, distributed.QueryOptions{}, [][]engine.Cell{{txt("0.5"), txt("2")}},
			"[1, 1] [0.5] [1, 1] [2]"},
		{[]string{"x float", "label boolean"}, distributed.QueryOptions{Classes: 2},
			[][]engine.Cell{{txt("0.5"), txt("true")}}, "[1, 1] [0.5] [1, 2] [0 1]"},
		{[]string{"x float", "label decimal(3,2)"}, distributed.QueryOptions{Classes: 2},
			[][]engine.Cell{{txt("0.5"), txt("1.00")}}, "[1, 1] [0.5] [1, 2] [0 1]"},
		{[]string{"a array<float>", "x float"}, distributed.QueryOptions{Shape: []int{1, 2, 2}},
			[][]engine.Cell{{arr(1, 2, 3), txt("4")}}, "[1, 1, 2, 2] [1 2 3 4]"},
		{[]string{"m array<array<float>>"}, distributed.QueryOptions{}, [][]engine.Cell{{matrix(2, 3)}, {matrix(2, 5)}},
			"[1, 2, 3] [0 0 0 0 0 0]"},
		{[]string{"m array<array<float>>"}, distributed.QueryOptions{}, [][]engine.Cell{{matrix(2, 3)}, {matrix(3, 3)}},
			"another row's is [2 3]"},
		{[]string{"a array<float>", "id int"}, distributed.QueryOptions{Keys: []string{"id"}},
			[][]engine.Cell{{arr(1), txt("7")}, {arr(1, 2), txt("8")}},
			`column a: an array of the shape [2], where another row's is [1]; all rows' must be alike, in the row with id = "8"`},
		{[]string{"a array<float>"}, distributed.QueryOptions{Shape: []int{2}}, [][]engine.Cell{{arr(1)}},
			"1 numbers, where the shape [2] has 2"},
		{[]string{"x float", "label double", "id int"}, distributed.QueryOptions{Classes: 3, Keys: []string{"id"}},
			[][]engine.Cell{{txt("1"), txt("3.0"), {}}},
			"column label is 3.0, which is not a class index of 0 … 2, in the row with id = NULL"},
		{[]string{"x float", "label int"}, distributed.QueryOptions{Classes: 3}, [][]engine.Cell{{txt("1"), {}}},
			"column label is NULL"},
		{[]string{"x float", "label double"}, distributed.QueryOptions{Classes: 3}, [][]engine.Cell{{txt("1"), txt("0.5")}},
			"column label is 0.5"},
		{[]string{"x float", "label double"}, distributed.QueryOptions{Classes: 3}, [][]engine.Cell{{txt("1"), txt("NaN")}},
			"column label is NaN"},
		{[]string{"x float", "label double"}, distributed.QueryOptions{Classes: 3}, [][]engine.Cell{{txt("1"), txt("-1")}},
			"column label is -1"},
	} {
		// The row is within the sample, and beyond it.
		for _, before := range []int{0, 64} {
			rows := test.rows
			for range before {
				rows = append([][]engine.Cell{test.rows[0]}, rows...)
			}
			f := &inTables{Engine: e, columns: columns(test.columns...), rows: rows}
			got := ""
			d, err := distributed.FromQuery(ctx, f, "TABLE t", test.options)
			if err == nil {
				err = d.Examples(ctx, func(m *data.MultiDataSet) error {
					if got == "" {
						got = fmt.Sprint(m.Features[0].Shape, " ", m.Features[0].Data)
						if m.Labels != nil {
							got += fmt.Sprint(" ", m.Labels[0].Shape, " ", m.Labels[0].Data)
						}
					}
					return nil
				})
			}
			if err != nil {
				got = err.Error()
				if !engine.IsPermanent(err) {
					t.Errorf("%v: the error is not permanent: %v", test.columns, err)
				}
			}
			if err == nil && got != test.want || !strings.Contains(got, test.want) {
				t.Errorf("%v, %+v: %s, wanted %s", test.columns, test.options, got, test.want)
			}
		}
	}
}

// keyedDigits returns the digits as a table with two keys. One of these is NULL in some rows.
func keyedDigits(t *testing.T, e engine.Engine, n int) (*inTables, *data.MultiDataSet) {
	t.Helper()
	m := digits(t, "test").Range(0, n)
	f := &inTables{Engine: e, columns: columns("id bigint", "pixels array<float>", "label int", "name string")}
	for i := range n {
		name := txt(fmt.Sprintf("tab\t%d\n\"☃\x00\xff", i))
		if i%3 == 0 {
			name.Text = nil
		}
		class := slices.Index(m.Labels[0].Data[10*i:10*i+10], 1)
		f.rows = append(f.rows, []engine.Cell{txt(fmt.Sprint(i)), arr(m.Features[0].Data[64*i : 64*i+64]...),
			txt(fmt.Sprint(class)), name})
	}
	return f, m
}

// predictToTable writes the predictions of a network.
func predictToTable(ctx context.Context, on *distributed.MultiLayer, d *distributed.Data, p distributed.PredictOptions,
	table string, o distributed.TableOptions) (int64, error) {
	predictions, err := on.Predict(ctx, d, p)
	if err != nil {
		return 0, err
	}
	defer predictions.Release()
	return predictions.WriteTable(ctx, table, o)
}

// TestPredictionsToATable checks that each example's keys come with its own prediction.
func TestPredictionsToATable(t *testing.T) {
	ctx := context.Background()
	f, m := keyedDigits(t, onEngine(t, "local[2]"), 150)
	net := digitsNet(t, "mlp")
	on := distributed.New(f, net, nil, distributed.Options{})
	d, err := distributed.FromQuery(ctx, f, "TABLE t", distributed.QueryOptions{Keys: []string{"id", "name"},
		Unlabelled: true, Partitions: 3})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := predictToTable(ctx, on, d.Data, distributed.PredictOptions{Batch: 7}, "out",
		distributed.TableOptions{Class: "class"}); err != nil || n != 150 {
		t.Fatalf("%d rows, error %v", n, err)
	}
	if want := columns("id bigint", "name string", "prediction array<float>", "class int"); !slices.Equal(f.columnsWritten,
		want) {
		t.Errorf("columns %v, wanted %v", f.columnsWritten, want)
	}
	outputs, err := net.Output(&data.MultiDataSet{Features: m.Features}, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range f.rows {
		y := outputs[0].Data[10*i : 10*i+10]
		class := slices.Index(y, slices.Max(y))
		want := []string{fmt.Sprintf("%q", row[3].Text), fmt.Sprint([]int{10}, y), fmt.Sprintf("[] [%d]", class)}
		if got := f.wrote[fmt.Sprintf("%q", row[0].Text)]; !slices.Equal(got, want) {
			t.Errorf("row %d: %v, wanted %v", i, got, want)
		}
	}
	// The inputs are normalized and the outputs are scaled back to the labels' range.
	scaler := data.NewMinMax(0, 1, true)
	if err := scaler.Fit(data.Of(&data.MultiDataSet{Features: []*tensor.Dense{m.Features[0].Clone()},
		Labels: []*tensor.Dense{m.Labels[0].Clone()}})); err != nil {
		t.Fatal(err)
	}
	normalized, err := d.Normalize(scaler)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := predictToTable(ctx, on, normalized, distributed.PredictOptions{Revert: scaler}, "out",
		distributed.TableOptions{Column: "y"}); err != nil {
		t.Fatal(err)
	}
	in := &data.MultiDataSet{Features: []*tensor.Dense{m.Features[0].Clone()}}
	if err := scaler.Transform(in); err != nil {
		t.Fatal(err)
	}
	if outputs, err = net.Output(in, false); err != nil {
		t.Fatal(err)
	}
	if err := scaler.RevertLabels(outputs, nil); err != nil {
		t.Fatal(err)
	}
	for i := range f.rows {
		if got, want := f.wrote[fmt.Sprintf("%q", fmt.Sprint(i))][1], fmt.Sprint([]int{10},
			outputs[0].Data[10*i:10*i+10]); got != want {
			t.Fatalf("row %d, normalized: %s, wanted %s", i, got, want)
		}
	}
	keyless, err := distributed.FromDataSets(f, []*data.MultiDataSet{m}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data  *distributed.Data
		table string
		want  string
	}{
		{d.Data, "taken", "exists already"},
		{keyless, "out", "example 0 of partition 0 has no key"},
	} {
		f.wrote = nil
		if _, err := predictToTable(ctx, on, test.data, distributed.PredictOptions{}, test.table,
			distributed.TableOptions{}); err == nil || !strings.Contains(err.Error(), test.want) || f.wrote != nil {
			t.Errorf("error %v, wanted %q; wrote %v", err, test.want, f.wrote)
		}
	}
	plain, err := distributed.FromDataSets(f.Engine, []*data.MultiDataSet{m}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := predictToTable(ctx, distributed.New(f.Engine, net, nil, distributed.Options{}), plain,
		distributed.PredictOptions{}, "out", distributed.TableOptions{}); err == nil ||
		!strings.Contains(err.Error(), "has no tables") {
		t.Errorf("an engine without tables: error %v", err)
	}
}

// TestQueryTraining checks that the examples of a query train like the same ones in memory, with or without keys.
func TestQueryTraining(t *testing.T) {
	ctx := context.Background()
	f, m := keyedDigits(t, onEngine(t, "local[2]"), 200)
	run := func(d *distributed.Data) []float32 {
		net := digitsNet(t, "mlp")
		c := paramavg.Default()
		c.BatchSizePerWorker, c.AveragingFrequency, c.RNGSeed = 16, 2, 7
		tm, err := paramavg.New(c, paramavg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tm.Close()
		for range 2 {
			if err := tm.Fit(ctx, net, d, nil); err != nil {
				t.Fatal(err)
			}
		}
		return net.Params()
	}
	d, err := distributed.FromQuery(ctx, f, "TABLE t", distributed.QueryOptions{Keys: []string{"id", "name"}, Classes: 10,
		Partitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	inMemory, err := distributed.FromDataSets(f.Engine, []*data.MultiDataSet{m.Slice(0, 100), m.Slice(100, 200)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run(d.Data), run(inMemory)) {
		t.Error("the parameters differ")
	}
}

// fickle returns different rows each time it runs, like a query with rand().
var fickleTimes int

var fickle = engine.Register("distributed_test.fickle", func(_ *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	fickleTimes++
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if err := out.Write(engine.Unindexed(append(row.Bytes[:len(row.Bytes)-1:len(row.Bytes)-1],
			byte(fickleTimes)))); err != nil {
			return err
		}
	}
	return nil
})

// fickleTables is inTables with different rows each time.
type fickleTables struct{ *inTables }

func (f fickleTables) Query(ctx context.Context, q engine.Query) (*engine.Dataset, error) {
	d, err := f.inTables.Query(ctx, q)
	return d.Map(fickle.With(struct{}{})), err
}

// TestQueryChanges checks that rows that have changed since they were counted are noticed, unless they are kept.
func TestQueryChanges(t *testing.T) {
	ctx := context.Background()
	f := fickleTables{&inTables{Engine: onEngine(t, "local[1]"), columns: columns("x float"),
		rows: [][]engine.Cell{{txt("1")}, {txt("2")}}}}
	for _, level := range []engine.StorageLevel{engine.None, engine.MemoryOnly} {
		d, err := distributed.FromQuery(ctx, f, "TABLE t", distributed.QueryOptions{Partitions: 1})
		if err != nil {
			t.Fatal(err)
		}
		d.Persist(level)
		moved, err := d.Assign(ctx, engine.Assignment{Order: []int64{1, 0}, Ends: []int{2}}, engine.MemoryOnly)
		if err == nil {
			_, err = moved.Count(ctx)
		}
		if level == engine.None && (err == nil || !strings.Contains(err.Error(),
			"the query gave other rows than when they were counted")) || level != engine.None && err != nil {
			t.Errorf("%s: error %v", level, err)
		}
		d.Unpersist()
	}
}
