package transform

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// partitioned writes a random table into Parquet files with small row groups, in directories day=0, day=1, ….
func partitioned(t *testing.T, r *rand.Rand, days int) (place string, schema pipeline.Schema) {
	t.Helper()
	place = t.TempDir()
	schema = pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"}, pipeline.StringColumn{Name: "s"},
		pipeline.DoubleColumn{Name: "x"}, pipeline.TimeColumn{Name: "t"}}}
	for day := range days {
		dir := filepath.Join(place, fmt.Sprintf("day=%d", day))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(filepath.Join(dir, "part.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := parquet.NewWriter(file, &schema)
		if err != nil {
			t.Fatal(err)
		}
		w.GroupRows = 5
		for k := range 15 + r.IntN(10) {
			row := pipeline.Row{pipeline.Long(int64(k/4 + r.IntN(3))), pipeline.Text(string(rune('a' + k/6))),
				pipeline.Double(float64(k / 5)), pipeline.Long(int64(day*1000 + k))}
			for i := range row {
				if r.IntN(40) == 0 {
					row[i] = pipeline.Null()
				}
			}
			if r.IntN(20) == 0 {
				row[2] = pipeline.Double(math.NaN())
			}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	schema.Columns = append(schema.Columns, pipeline.LongColumn{Name: "day"})
	return place, schema
}

// randomFilter returns a condition on one column, or on two.
func randomFilter(r *rand.Rand) pipeline.Condition {
	ops := []pipeline.Comparison{pipeline.Equal, pipeline.NotEqual, pipeline.InSet, pipeline.NotInSet, pipeline.LessThan,
		pipeline.GreaterOrEqual}
	op, k := ops[r.IntN(len(ops))], int64(r.IntN(6))
	switch r.IntN(7) {
	case 0:
		return pipeline.StringCondition{Column: "s", Op: ops[r.IntN(4)], Value: "b", Set: []string{"a", "c"}}
	case 1:
		return pipeline.DoubleCondition{Column: "x", Op: op, Value: float64(k), Set: []float64{1, 2}}
	case 2:
		return pipeline.TimeCondition{Column: "t", Op: op, Value: 500 * k, Set: []int64{3}}
	case 3:
		return pipeline.LongCondition{Column: "day", Op: op, Value: k / 2, Set: []int64{0, 2}}
	case 4:
		return pipeline.NullCondition{Column: []string{"n", "s", "x", "t"}[r.IntN(4)]}
	case 5:
		kind := []pipeline.Logic{pipeline.And, pipeline.Or}[r.IntN(2)]
		return pipeline.BooleanCondition{Type: kind, Conditions: []pipeline.Condition{randomFilter(r), randomFilter(r)}}
	}
	return pipeline.LongCondition{Column: "n", Op: op, Value: k, Set: []int64{k, 2}}
}

// ran is the result of running a pipeline.
type ran struct {
	rows  []string
	sum   Summary
	err   string
	found string // of bad rows
}

// runOn runs a pipeline over rows.
func runOn(t *testing.T, plan *pipeline.Plan, rows source.Rows) (of ran) {
	t.Helper()
	defer rows.Close()
	rows, _, err := source.Match(rows, plan.In())
	if err != nil {
		t.Fatal(err)
	}
	bad := &source.BadRows{Limit: 3}
	job := &Job{Start: plan.Start, Rows: rows, Bad: bad, Write: func(i pipeline.Item) error {
		of.rows = append(of.rows, rows.Place()+" "+fmt.Sprint(i.Row))
		return nil
	}}
	if of.sum, err = job.Run(t.Context()); err != nil {
		of.err = err.Error()
	}
	of.found = fmt.Sprint(bad.Skipped, bad.First)
	return of
}

// TestPassing: if statistics and directories let a run pass over rows, it returns the same rows, places, errors and
// counts as one that reads all rows. Only the rows of files that are not opened are not counted.
func TestPassing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 13))
	passed, unopened, failed := 0, 0, 0
	for range 4 {
		place, schema := partitioned(t, r, 4)
		n := source.Name{Kind: "parquet", Place: place}
		for range 150 {
			p := &pipeline.Pipeline{Initial: schema}
			for range 1 + r.IntN(2) {
				p.Steps = append(p.Steps, pipeline.RemoveWhere{Condition: randomFilter(r)})
			}
			plan, err := p.Bind()
			if err != nil {
				t.Fatal(err)
			}
			o := source.RowOptions{As: &schema}
			open := func() source.Rows {
				rows, err := source.OpenRows(t.Context(), n, o)
				if err != nil {
					t.Fatal(err)
				}
				return rows
			}
			want := runOn(t, plan, open())
			o.Removes = func(columns []pipeline.Extent) bool {
				removes := plan.RemovesAll(columns)
				if removes {
					passed++
				}
				return removes
			}
			if got := runOn(t, plan, open()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%+v:\n%v, not\n%v", p.Steps, got, want)
			}
			o.Unopened = true
			got := runOn(t, plan, open())
			if fmt.Sprint(got.rows, got.err, got.found) != fmt.Sprint(want.rows, want.err, want.found) ||
				got.sum.In > want.sum.In {
				t.Fatalf("%+v: unopened:\n%v, not\n%v", p.Steps, got, want)
			}
			if got.sum.In < want.sum.In {
				unopened++
			}
			if want.err != "" {
				failed++
			}
		}
	}
	if passed < 200 || unopened < 20 || failed < 20 {
		t.Errorf("%d stretches were passed over, files left out in %d runs, %d runs failed", passed, unopened, failed)
	}
}

// TestUnopened: a file that a filter excludes by its directory is not opened. It need not even be a Parquet file.
func TestUnopened(t *testing.T) {
	place, schema := partitioned(t, rand.New(rand.NewPCG(1, 1)), 3)
	broken := filepath.Join(place, "day=1", "part.parquet")
	if err := os.WriteFile(broken, []byte("no table"), 0o666); err != nil {
		t.Fatal(err)
	}
	n := source.Name{Kind: "parquet", Place: place}
	for _, other := range []int64{1, 2} {
		p := &pipeline.Pipeline{Initial: schema, Steps: []pipeline.Step{pipeline.RemoveWhere{
			Condition: pipeline.LongCondition{Column: "day", Op: pipeline.NotInSet, Set: []int64{0, other}}}}}
		plan, err := p.Bind()
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := Open(t.Context(), n, plan)
		if err != nil {
			t.Fatal(err)
		}
		days := map[string]bool{}
		for err == nil {
			var item pipeline.Item
			if item, err = rows.Next(); err == nil {
				days[item.Row[4].String()] = true
			}
		}
		if rows.Close(); (err == io.EOF) != (other == 2) || other == 2 && (!days["2"] || days["1"]) {
			t.Errorf("day=%d: %v, %v", other, days, err)
		}
	}
}

// TestPassingOnEngines: workers pass over the same rows as one process, and the driver leaves out the same files. The
// bytes, the counts and the errors are the same.
func TestPassingOnEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	e, err := engine.Open(context.Background(), "local[2]", engine.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	place, schema := partitioned(t, r, 4)
	dir := t.TempDir()
	s := Settings{Pipeline: filepath.Join(dir, "p.json"), Data: source.Name{Kind: "parquet", Place: place},
		Output: filepath.Join(dir, "out.csv")}
	failed := 0
	for k := range 40 {
		p := &pipeline.Pipeline{Initial: schema, Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: randomFilter(r)}}}
		text, err := p.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.Pipeline, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var out [2]string
		var sums [2]Summary
		for i, on := range []func(context.Context) (engine.Engine, error){nil,
			func(context.Context) (engine.Engine, error) { return e, nil }} {
			s.Engine, s.Bad = on, &source.BadRows{Limit: 9 * (k % 2)}
			if sums[i], err = Run(t.Context(), s); err != nil {
				out[i], sums[i] = "failed", Summary{}
				failed++
				continue
			}
			b, err := os.ReadFile(s.Output)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = string(b)
		}
		if out[0] != out[1] || sums[0] != sums[1] {
			t.Errorf("%s\none process: %+v\n%s\nworkers: %+v\n%s", text, sums[0], out[0], sums[1], out[1])
		}
	}
	if failed == 0 || failed > 40 {
		t.Errorf("%d runs failed", failed)
	}
	broken := filepath.Join(place, "day=1", "part.parquet")
	if err := os.WriteFile(broken, []byte("no table"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &pipeline.Pipeline{Initial: schema, Steps: []pipeline.Step{pipeline.RemoveWhere{
		Condition: pipeline.LongCondition{Column: "day", Op: pipeline.Equal, Value: 1}}}}
	text, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Pipeline, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), s); err != nil {
		t.Errorf("a file that is left out: %v", err)
	}
}
