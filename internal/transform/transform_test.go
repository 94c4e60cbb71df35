package transform_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/pipeline"
)

// setup writes a pipeline and a table, and gives the settings of a run.
func setup(t *testing.T, p *pipeline.Pipeline, data, table, output string) transform.Settings {
	t.Helper()
	dir := t.TempDir()
	text, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"p.json": string(text), data: table} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	n, err := source.Parse(strings.TrimPrefix(filepath.Ext(data), ".") + ":" + filepath.Join(dir, data))
	if err != nil {
		t.Fatal(err)
	}
	return transform.Settings{Pipeline: filepath.Join(dir, "p.json"), Data: n, Output: filepath.Join(dir, output)}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func keep(columns ...string) *pipeline.Pipeline {
	return &pipeline.Pipeline{
		Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "a"},
			pipeline.DoubleColumn{Name: "x"}}},
		Steps: []pipeline.Step{pipeline.KeepColumns{Columns: columns}},
	}
}

// TestColumnsByName: columns are found by name if there are names, otherwise by position.
func TestColumnsByName(t *testing.T) {
	for _, table := range []string{"a,x\nu,1\nv,2\n", "x,more,a\n1,,u\n2,,v\n", "u,1\nv,2\n"} {
		s := setup(t, keep("a", "x"), "t.csv", table, "out.csv")
		var unused []string
		s.Unused = func(columns []string) { unused = columns }
		sum, err := transform.Run(t.Context(), s)
		if err != nil || sum != (transform.Summary{In: 2, Out: 2}) {
			t.Fatal(sum, err)
		}
		if got := content(t, s.Output); got != "a,x\nu,1.0\nv,2.0\n" {
			t.Errorf("%q: %q", table, got)
		}
		if strings.Contains(table, "more") != (len(unused) == 1) {
			t.Errorf("%q: unused are %v", table, unused)
		}
	}
	for table, want := range map[string]string{
		"a,y\nu,1\n": "there is no column x: there are a, y",
		"b,x,c\n":    "there is no column a: there are b, x, c",
		"b,y,c\n":    "t.csv:1:1: the table has the columns b, y, c, and none of those that are wanted: a, x; use another",
		"u,1\nv\n":   "t.csv:2:1: this line has 1 field, the first line has 2",
	} {
		s := setup(t, keep("a", "x"), "t.csv", table, "out.csv")
		if table[0] == 'a' {
			s.Data.Settings = map[string]string{"header": "true"}
		}
		if _, err := transform.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", table, err)
		}
		if _, err := os.Stat(s.Output); err == nil {
			t.Errorf("%q: there is an output", table)
		}
	}
}

// refuse is a step that refuses the text "no".
type refuse struct{}

func (refuse) Bind(in *pipeline.Schema) (pipeline.Bound, error) {
	return pipeline.Bound{Out: in, Run: pipeline.RowMap(func(r pipeline.Row) (pipeline.Row, error) {
		if r[0].String() == "no" {
			return nil, &pipeline.ValueError{Value: r[0], Want: "a yes"}
		}
		return r, nil
	})}, nil
}

func init() { pipeline.RegisterTransform("test.Refuse", func() pipeline.Transform { return refuse{} }) }

// TestBadRows: rows that can't be read or that a step refuses are skipped, or are errors with their place.
func TestBadRows(t *testing.T) {
	p := keep("a", "x")
	p.Steps = append(p.Steps, refuse{})
	const table = "a,x\nu,1\nno,2\nv\nw,3\n"
	s := setup(t, p, "t.csv", table, "out.csv")
	_, err := transform.Run(t.Context(), s)
	var step *pipeline.StepError
	if !errors.As(err, &step) || !strings.HasSuffix(err.Error(), `t.csv:3: step 2 (refuse): "no" is not a yes`) {
		t.Errorf("%v", err)
	}
	s.Bad = &source.BadRows{Limit: 1}
	if _, err = transform.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "skip:1 allows no more") {
		t.Errorf("%v", err)
	}
	s.Bad = &source.BadRows{Limit: 2}
	sum, err := transform.Run(t.Context(), s)
	if err != nil || sum != (transform.Summary{In: 4, Out: 2, Skipped: 2}) || content(t,
		s.Output) != "a,x\nu,1.0\nw,3.0\n" {
		t.Errorf("%v, %v, %q", sum, err, content(t, s.Output))
	}
	notice := s.Bad.Notice()
	for _, want := range []string{"2 rows were skipped: ", "t.csv:3: step 2", "t.csv:4:1: this line has 1 field"} {
		if !strings.Contains(notice, want) {
			t.Errorf("%s: no %s", notice, want)
		}
	}
}

// TestCancelled: an interrupted run leaves nothing behind.
func TestCancelled(t *testing.T) {
	s := setup(t, keep("a"), "t.csv", strings.Repeat("u,1\n", 5000), "out.csv")
	ctx, cancel := context.WithCancel(t.Context())
	s.Progress = func(int) { cancel() }
	if _, err := transform.Run(ctx, s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Dir(s.Output))
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestSettings: invalid settings are refused, with the flag's name.
func TestSettings(t *testing.T) {
	for want, change := range map[string]func(*transform.Settings){
		"--output out.xls: it must end in":              func(s *transform.Settings) { s.Output = "out.xls" },
		"--format xml":                                  func(s *transform.Settings) { s.Output, s.Format = "-", "xml" },
		"--format csv: a file's ending says its format": func(s *transform.Settings) { s.Format = "csv" },
		"--arrays is for JSON lines, not for csv":       func(s *transform.Settings) { s.Arrays = true },
		"--no-header is for CSV, not for jsonl": func(s *transform.Settings) {
			s.Output, s.NoHeader = "o.jsonl",
				true
		},
		"label=… chooses what a model learns": func(s *transform.Settings) {
			s.Data.Settings = map[string]string{"label": "a"}
		},
	} {
		s := setup(t, keep("a"), "t.csv", "u,1\n", "out.csv")
		change(&s)
		_, err := transform.Run(t.Context(), s)
		var setting *transform.SettingError
		if !errors.As(err, &setting) || !strings.Contains(err.Error(), want[:8]) || !strings.Contains(err.Error(), want[9:]) {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
	s := setup(t, keep("b"), "t.csv", "u,1\n", "out.csv")
	if _, err := transform.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(),
		`p.json: step 1 (KeepColumns): there is no column "b"`) {
		t.Error(err)
	}
}
