package distributed_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// rawPreparation takes the columns kind, a and when. It drops rows without a number in a. The class is kind.
func rawPreparation() *source.Preparation {
	return &source.Preparation{
		Pipeline: &pipeline.Pipeline{
			Initial: pipeline.Schema{Columns: []pipeline.Column{
				pipeline.StringColumn{Name: "kind"}, pipeline.DoubleColumn{Name: "a"}, pipeline.StringColumn{Name: "when"},
			}},
			Steps: []pipeline.Step{
				pipeline.RemoveInvalid{Columns: []string{"a"}},
				pipeline.StringToTime{Column: "when", Format: "yyyy-MM-dd", Zone: "UTC"},
			},
		},
		Task: source.Classification, Labels: []string{"kind"}, Outputs: []string{"kind"}, Classes: []string{"x", "y"},
		Absent: []string{"x"},
	}
}

// tables writes the files of a table and names their directory.
func tables(t *testing.T, files map[string]string) source.Name {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return source.Name{Kind: "csv", Place: dir, Settings: map[string]string{"key": "id"}}
}

// rowsOf returns the examples of a source as bytes.
func rowsOf(t *testing.T, s source.Source) (rows [][]byte) {
	t.Helper()
	for i := range s.Objects() {
		m, err := s.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		m.LabelNames = nil
		rows = append(rows, data.AppendRow(nil, m))
	}
	return rows
}

// TestRawFiles checks that workers make the same examples from files as the driver, on any engine, with or without
// labels. The files may have their columns in different orders.
func TestRawFiles(t *testing.T) {
	n := tables(t, map[string]string{
		"1.csv": "id,kind,a,when,more,w\nq,x,1,2026-01-01,m,1\nr,y,,2026-01-02,m,2\n",
		"2.csv": "when,more,a,kind,id,w\n2026-02-01,m,3,y,s,0.5\n2026-02-02,m,3.5,x,u,0\n",
		"3.csv": "id,kind,a,when,more,w\n",
		"4.csv": "id,kind,a,when,more,w\nt,y,4.5,1970-01-01,m,3\n",
		"_5":    "no table",
	})
	for _, weights := range []string{"", "w"} {
		if weights != "" {
			n.Settings["weights"] = weights
		}
		for _, unlabelled := range []bool{false, true} {
			rawFiles(t, n, source.Options{Preparation: rawPreparation(), Unlabelled: unlabelled})
		}
	}
}

// rawFiles compares the workers' examples with the driver's. The 5 rows have 4 examples.
func rawFiles(t *testing.T, n source.Name, o source.Options) {
	t.Helper()
	s, err := source.OpenName(t.Context(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, s)
	if first, err := s.Object(0); err != nil || len(want) != 4 ||
		(first.Weights != nil) != (n.Weights() != "" && !o.Unlabelled) {
		t.Fatalf("%d examples, the first is %+v, error %v", len(want), first, err)
	}
	as, err := o.Preparation.Wanted(!o.Unlabelled)
	if err != nil {
		t.Fatal(err)
	}
	for _, master := range []string{"local[1]", "local[3]", "processes[2]"} {
		table, err := distributed.OpenRaw(t.Context(), onEngine(t, master), n, distributed.RawOptions{As: as})
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Source(t.Context(), distributed.OpenOptions{Options: o, Count: true})
		if err != nil {
			t.Fatal(err)
		}
		if !equalRows(rowsOf(t, got), want) {
			t.Errorf("%s: other examples than those of the driver", master)
		}
		i, j := got.Info(), s.Info()
		if i.Examples != 4 || i.Filtered != 1 || i.Classes != j.Classes || i.Task != j.Task || i.Weighted != j.Weighted ||
			!i.Features[0].Equal(j.Features[0]) {
			t.Errorf("%s: %+v, and in the driver %+v", master, i, j)
		}
	}
}

// TestRawLines checks a file of JSON lines in which no line has a certain column. If the first file has the column, its
// values are missing.
func TestRawLines(t *testing.T) {
	n := tables(t, map[string]string{
		"1.jsonl": `{"kind": "x", "a": 1, "when": "2026-01-01"}` + "\n",
		"2.jsonl": `{"kind": "y", "when": "2026-01-02", "more": 7}` + "\n" + `{"kind": "y", "when": "2026-01-03"}` + "\n",
		"3.jsonl": `{"when": "2026-01-02", "a": 2.5, "kind": "y"}` + "\n",
	})
	n.Kind, n.Settings = "jsonl", nil
	o := source.Options{Preparation: rawPreparation()}
	s, err := source.OpenName(t.Context(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	as, err := o.Preparation.Wanted(true)
	if err != nil {
		t.Fatal(err)
	}
	table, err := distributed.OpenRaw(t.Context(), onEngine(t, "processes[2]"), n, distributed.RawOptions{As: as})
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Source(t.Context(), distributed.OpenOptions{Options: o, Count: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := rowsOf(t, s); len(want) != 2 || !equalRows(rowsOf(t, got), want) {
		t.Errorf("workers give other examples than the driver, which gives %d", len(want))
	}
}

func equalRows(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// TestRawFilesAmiss checks that errors name the file and the line. A missing column is an error.
func TestRawFilesAmiss(t *testing.T) {
	e := onEngine(t, "processes[2]")
	open := func(files map[string]string) error {
		p := rawPreparation()
		as, err := p.Wanted(true)
		if err != nil {
			t.Fatal(err)
		}
		table, err := distributed.OpenRaw(t.Context(), e, tables(t, files), distributed.RawOptions{As: as})
		if err != nil {
			return err
		}
		o := distributed.OpenOptions{Options: source.Options{Preparation: p}, Count: true}
		_, err = table.Source(t.Context(), o)
		return err
	}
	good := "id,kind,a,when\nq,x,1,2026-01-01\n"
	for text, said := range map[string]string{
		"id,kind,when\nq,x,2026-01-01\n":       `2.csv: there is no column "a", which the first file has`,
		"id,kind,a,when\nq,z,1,2026-01-01\n":   `2.csv:2: column "kind": "z" is none of the classes x, y`,
		"id,kind,a,when\nq,x,1,yesterday\n":    "2.csv:2: step 2",
		"id,kind,a,when\n\"q,x,1,2026-01-01\n": "2.csv:2",
	} {
		if err := open(map[string]string{"1.csv": good, "2.csv": text}); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v, wanted %s", text, err, said)
		}
	}
	var mismatch *source.MismatchError
	if err := open(map[string]string{"1.csv": "id,kind,when\nq,x,1\n"}); !errors.As(err, &mismatch) {
		t.Errorf("a missing column: %v", err)
	}
}

// TestRawQuery checks that the rows of a query make the same examples as those of a CSV file. The case of column names
// doesn't matter.
func TestRawQuery(t *testing.T) {
	text := func(s string) engine.Cell { return engine.Cell{Text: []byte(s)} }
	f := &inTables{Engine: onEngine(t, "processes[2]"),
		columns: columns("ID bigint", "more array<float>", "A double", "kind string", "when date"),
		rows: [][]engine.Cell{
			{text("1"), {}, text("1.0"), text("x"), text("2026-01-01")},
			{text("2"), {}, {}, text("y"), text("2026-01-02")},
			{text("3"), {}, text("4.5"), text("y"), text("1970-01-01")},
		}}
	n := source.Name{Kind: "sql", Place: "TABLE t", Settings: map[string]string{"keys": "id"}}
	o := distributed.OpenOptions{Options: source.Options{Preparation: rawPreparation()}, Count: true}
	s, err := distributed.Open(t.Context(), f, n, o)
	if err != nil {
		t.Fatal(err)
	}
	csv, err := source.OpenName(t.Context(), tables(t, map[string]string{
		"t.csv": "id,kind,a,when\n1,x,1.0,2026-01-01\n2,y,,2026-01-02\n3,y,4.5,1970-01-01\n"}), o.Options)
	if err != nil {
		t.Fatal(err)
	}
	if i := s.Info(); i.Examples != 2 || i.Filtered != 1 || i.Name != "sql:TABLE t" {
		t.Errorf("%+v", i)
	}
	for i := range 2 {
		got, err := s.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := csv.Object(i)
		if string(engine.AppendText(nil, []byte(want.Meta[0]))) != got.Meta[0] {
			t.Errorf("example %d has the key %q", i, got.Meta)
		}
		got.Meta, want.Meta, got.LabelNames, want.LabelNames = nil, nil, nil, nil
		if !bytes.Equal(data.AppendRow(nil, got), data.AppendRow(nil, want)) {
			t.Errorf("example %d is %+v %v, and of a CSV file %+v %v", i, got.Features[0], got.Labels, want.Features[0],
				want.Labels)
		}
	}
	f.columns[2].Type = "array<double>"
	if _, err := distributed.Open(t.Context(), f, n, o); err == nil ||
		!strings.Contains(err.Error(), "column A of the query has the type array<double>") {
		t.Errorf("an array: %v", err)
	}
	f.columns[2].Name = "b"
	var mismatch *source.MismatchError
	if _, err := distributed.Open(t.Context(), f, n, o); !errors.As(err, &mismatch) {
		t.Errorf("a missing column: %v", err)
	}
}

// TestColumnsOfLines: the first 100 lines tell the columns of JSON lines, in however many files they are.
func TestColumnsOfLines(t *testing.T) {
	long := strings.Repeat("{\"a\": 1}\n", 96)
	n := tables(t, map[string]string{
		"1.jsonl": "{\"a\": 1, \"kind\": \"x\"}\n", "2.jsonl": "\n", "3.jsonl": "{\"b\": 2, \"kind\": \"y\"}\n",
		"4.jsonl": "{\"c\": 2}\n" + long, "5.jsonl": "{\"d\": 2}\n{\"a\": 2}\n",
	})
	n.Kind, n.Settings = "jsonl", nil
	here, err := source.OpenRows(t.Context(), n, source.RowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there, err := distributed.OpenRaw(t.Context(), onEngine(t, "processes[2]"), n, distributed.RawOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := here.Schema().Names(), there.Schema().Names(); len(a) != 5 || !slices.Equal(a, b) {
		t.Errorf("%v here, and %v of workers", a, b)
	}
}
