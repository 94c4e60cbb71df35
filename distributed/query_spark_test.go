//go:build spark

package distributed_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// sparkDigits makes a table of the first digits of the test set. Its columns are id, name (odd text, sometimes NULL),
// pixels and label.
func sparkDigits(t *testing.T, n int) (s *connect.Session, table string, m *data.MultiDataSet) {
	t.Helper()
	a, err := connect.ParseAddress(os.Getenv("DL4GO_SPARK"))
	if err != nil {
		t.Fatal(err)
	}
	if s, err = connect.Open(t.Context(), a, connect.Options{}); err != nil {
		t.Fatal(err)
	}
	table = fmt.Sprintf("digits_%x", rand.Uint64())
	t.Cleanup(func() {
		for _, name := range []string{table, table + "_out"} {
			if _, err := s.Exec(context.Background(), "DROP TABLE IF EXISTS "+name); err != nil {
				t.Error(err)
			}
		}
		s.Close(context.Background())
	})
	m = digits(t, "test").Range(0, n)
	ids, labels, lengths, names := make([]int64, n), make([]int32, n), make([]int, n), make([]string, n)
	for i := range n {
		ids[i], lengths[i], names[i] = int64(i), 64, fmt.Sprintf("tab\t%d\n'\"\\ ☃\x00", i)
		labels[i] = int32(slices.Index(m.Labels[0].Data[10*i:10*i+10], 1))
	}
	rows, err := s.Upload(t.Context(), &arrow.Batch{Rows: n,
		Schema: arrow.Schema{{Name: "id", Type: arrow.Of(arrow.Int64)},
			{Name: "name", Type: arrow.Of(arrow.String), Nullable: true},
			{Name: "pixels", Type: arrow.ListOf(arrow.Of(arrow.Float32))}, {Name: "label", Type: arrow.Of(arrow.Int32)}},
		Columns: []arrow.Column{arrow.Int64s(ids), arrow.Strings(names).WithNulls(func(i int) bool { return i%5 == 0 }),
			arrow.Lists(lengths, arrow.Float32s(m.Features[0].Data)), arrow.Int32s(labels)}})
	if err == nil {
		err = s.SaveTable(t.Context(), rows, table, "", connect.ErrorIfExists, connect.Run{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, table, m
}

// TestQueryOnSpark checks that training on a query is, bit for bit, the same as training on its examples from memory,
// on Spark and local.
func TestQueryOnSpark(t *testing.T) {
	e := onSpark(t)
	_, table, m := sparkDigits(t, 120)
	fit := func(d *distributed.Data) []float32 {
		net := digitsNet(t, "mlp")
		c := paramavg.Default()
		c.BatchSizePerWorker, c.AveragingFrequency, c.NumWorkers, c.RNGSeed = 10, 3, 2, 7
		tm, err := paramavg.New(c, paramavg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tm.Close()
		if err := tm.Fit(t.Context(), net, d, nil); err != nil {
			t.Fatal(err)
		}
		return append(slices.Clone(net.Params()), net.UpdaterState()...)
	}
	memory := func(e engine.Engine, m *data.MultiDataSet) *distributed.Data {
		d, err := distributed.FromDataSets(e, []*data.MultiDataSet{m}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	local := onEngine(t, "local[2]")
	ordered, err := distributed.FromQuery(t.Context(), e, "SELECT pixels, label FROM "+table+" ORDER BY id",
		distributed.QueryOptions{Classes: 10, Ordered: true})
	if err != nil {
		t.Fatal(err)
	}
	got := fit(ordered.Data)
	if !slices.Equal(got, fit(memory(e, m))) {
		t.Error("an ordered query: the result differs from that of the same examples in memory, on Spark")
	}
	if !slices.Equal(got, fit(memory(local, m))) {
		t.Error("an ordered query: the result differs from that of the same examples in memory, on local")
	}
	free, err := distributed.FromQuery(t.Context(), e, "SELECT pixels, label FROM "+table,
		distributed.QueryOptions{Classes: 10, Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	var parts []*data.MultiDataSet
	if err := free.Examples(t.Context(),
		func(m *data.MultiDataSet) error { parts = append(parts, m); return nil }); err != nil {
		t.Fatal(err)
	}
	same, err := data.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if same.Examples() != 120 || !slices.Equal(fit(free.Data), fit(memory(local, same))) {
		t.Errorf("a query without an order, %d examples: the result differs from that of the same examples in memory",
			same.Examples())
	}
}

// TestPredictionsToATableOnSpark checks that each row of the table has its keys and, bit for bit, the network's output.
func TestPredictionsToATableOnSpark(t *testing.T) {
	e := onSpark(t)
	s, table, m := sparkDigits(t, 100)
	net := digitsNet(t, "mlp")
	outputs, err := net.Output(&data.MultiDataSet{Features: m.Features}, false)
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributed.FromQuery(t.Context(), e, "TABLE "+table,
		distributed.QueryOptions{Keys: []string{"id", "name"}, Unlabelled: true, Partitions: 3})
	if err != nil {
		t.Fatal(err)
	}
	on := distributed.New(e, net, nil, distributed.Options{})
	if n, err := predictToTable(t.Context(), on, d.Data, distributed.PredictOptions{}, table+"_out",
		distributed.TableOptions{Class: "class"}); err != nil || n != 100 {
		t.Fatalf("%d rows, error %v", n, err)
	}
	seen := 0
	joined := connect.SQL("SELECT o.id, o.prediction, o.class, o.name <=> i.name FROM " + table + "_out o JOIN " + table +
		" i ON o.id = i.id")
	err = s.Collect(t.Context(), joined, connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			seen++
			id := int(b.Columns[0].Int(i))
			want := outputs[0].Data[10*id : 10*id+10]
			var got []float32
			for from, to := b.Columns[1].Range(i); from < to; from++ {
				got = append(got, float32(b.Columns[1].Elem().Float(from)))
			}
			if !slices.Equal(got, want) || int(b.Columns[2].Int(i)) != slices.Index(want, slices.Max(want)) ||
				!b.Columns[3].Bool(i) {
				t.Errorf("row %d: %v, class %d, its name is the same: %v; wanted %v", id, got, b.Columns[2].Int(i),
					b.Columns[3].Bool(i), want)
			}
		}
		return nil
	})
	if err != nil || seen != 100 {
		t.Errorf("%d rows, error %v", seen, err)
	}
}

// TestResultsOnSpark checks that each key has the result of its example alone, whatever the partitions are. Saved
// results must be readable, and a written table must have them.
func TestResultsOnSpark(t *testing.T) {
	ctx, e := t.Context(), onSpark(t)
	net, all := series(t)
	alone(ctx, t, e, net, all, 3, 4)
	graph, examples := twoByTwo(t), pairs()
	alone(ctx, t, e, graph, examples, 5, 2)
	d, err := distributed.FromKeyed(e, maps.All(examples), 2)
	if err != nil {
		t.Fatal(err)
	}
	on := distributed.New(e, graph, nil, distributed.Options{})
	predictions, err := on.Predict(ctx, d, distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer predictions.Release()
	want, err := predictions.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := predictions.Save(ctx, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := saved.Examples(ctx, func(m *data.MultiDataSet) error {
		n++
		for k, y := range want[m.Meta[0]] {
			if !slices.Equal(m.Features[k].Data, y.Data) {
				t.Errorf("%s: output %d was saved as %v, wanted %v", m.Meta, k, m.Features[k].Data, y.Data)
			}
		}
		return nil
	}); err != nil || n != len(examples) {
		t.Errorf("%d predictions were saved, error %v", n, err)
	}
	if err := saved.Remove(ctx); err != nil {
		t.Error(err)
	}
	s, table, _ := sparkDigits(t, 1)
	scores, err := on.ScoreExamples(ctx, d, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer scores.Release()
	losses, err := scores.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := scores.WriteTable(ctx, table+"_out", distributed.TableOptions{Keys: []string{"id"}}); err != nil ||
		int(n) != len(examples) {
		t.Fatalf("%d rows, error %v", n, err)
	}
	if n, err := predictions.WriteTable(ctx, table+"_out",
		distributed.TableOptions{Mode: engine.Overwrite, Class: "class"}); err != nil || int(n) != len(examples) {
		t.Fatalf("%d rows, error %v", n, err)
	}
	rows := 0
	err = s.Collect(ctx, connect.SQL("SELECT key, prediction_classes[0], prediction_number[0], class_classes FROM "+table+
		"_out"), connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			rows++
			y := want[b.Columns[0].Text(i)]
			if float32(b.Columns[1].Float(i)) != y[0].Data[0] || float32(b.Columns[2].Float(i)) != y[1].Data[0] ||
				int(b.Columns[3].Int(i)) != slices.Index(y[0].Data, slices.Max(y[0].Data)) || losses[b.Columns[0].Text(i)] == 0 {
				t.Errorf("key %s: other outputs in the table", b.Columns[0].Text(i))
			}
		}
		return nil
	})
	if err != nil || rows != len(examples) {
		t.Errorf("%d rows, error %v", rows, err)
	}
}
