package transform_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/pipeline"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

func onEngine(t *testing.T, master string) engine.Engine {
	t.Helper()
	e, err := engine.Open(context.Background(), master, engine.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// by runs the pipeline of s on an engine.
func by(e engine.Engine, s transform.Settings) transform.Settings {
	s.Engine = func(context.Context) (engine.Engine, error) { return e, nil }
	return s
}

// testCaseOn runs a case of the oracle on an engine. If lines are rows, the input is split into several files. The
// output must be byte-identical to that of one process.
func testCaseOn(t *testing.T, e engine.Engine, dir string) {
	kind, input := "csv", filepath.Join(dir, "input.csv")
	if _, err := os.Stat(input); err != nil {
		kind, input = "jsonl", filepath.Join(dir, "input.jsonl")
	}
	files := 4
	if strings.HasPrefix(filepath.Base(dir), "rows-wrong-width") {
		files = 1 // a file may not begin with such a row
	}
	n := source.Name{Kind: kind, Place: inFiles(t, input, files)}
	s := transform.Settings{Pipeline: filepath.Join(dir, "transform.json"), Data: n, Arrays: true,
		Output: filepath.Join(t.TempDir(), "out.jsonl"), Bad: &source.BadRows{Ragged: true}}
	sum, err := transform.Run(t.Context(), by(e, s))
	want, missing := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if missing != nil {
		if err == nil {
			t.Errorf("%s runs what one process does not", e.Master())
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", e.Master(), err)
	}
	if got := content(t, s.Output); got != string(want) || sum.Out != strings.Count(got, "\n") {
		t.Errorf("%s, %d rows:\n%s\nwanted\n%s", e.Master(), sum.Out, got, want)
	}
}

// inFiles splits a file, line by line, into several files of a directory. A file with quotes stays whole.
func inFiles(t *testing.T, path string, n int) string {
	t.Helper()
	text := content(t, path)
	if strings.Contains(text, `"`) && strings.HasSuffix(path, ".csv") {
		n = 1
	}
	lines, dir := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), t.TempDir()
	for k := range n {
		part := strings.Join(lines[k*len(lines)/n:(k+1)*len(lines)/n], "")
		if part == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k, filepath.Ext(path))), []byte(part), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// grouping is a pipeline with three steps that gather.
func grouping() *pipeline.Pipeline {
	p := keep("a", "x")
	sum := &pipeline.Reduce{Keys: []string{"a"}, Default: pipeline.Sum}
	p.Steps = append(p.Steps, pipeline.ToSequences{Keys: []string{"a"}, Comparator: pipeline.ByNumber{Column: "x"}},
		pipeline.FromSequences{}, sum, pipeline.SortedRank{Name: "rank", Column: "sum(x)", Order: pipeline.DoubleOrder{}})
	return p
}

// TestOnEngines: whether the workers read the rows or the driver sends them, the output in every format has the same
// bytes as with one process.
func TestOnEngines(t *testing.T) {
	var table strings.Builder
	table.WriteString("x,a\n")
	for i := range 500 {
		fmt.Fprintf(&table, "%d.%d,name %d\n", i*7919%1000, i%10, i%13)
	}
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	for _, p := range []*pipeline.Pipeline{keep("a", "x"), grouping()} {
		for _, output := range []string{"out.csv", "out.jsonl", "out.parquet"} {
			s := setup(t, p, "t.csv", table.String(), output)
			want, err := transform.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range engines {
				on := s
				on.Output = filepath.Join(t.TempDir(), output)
				sum, err := transform.Run(t.Context(), by(e, on))
				if err != nil || sum != want {
					t.Fatalf("%s, %s: %+v, %v, wanted %+v", e.Master(), output, sum, err, want)
				}
				if content(t, on.Output) != content(t, s.Output) {
					t.Errorf("%s, %s: other bytes than in one process", e.Master(), output)
				}
			}
		}
	}
}

// TestSentRows: if workers can't read the files by themselves, the driver reads the data and sends it to them.
func TestSentRows(t *testing.T) {
	p := keep("a", "x")
	p.Initial.Sequence = true
	p.Steps = append(p.Steps, pipeline.FromSequences{}, refuse{},
		pipeline.SortedRank{Name: "rank", Column: "x", Order: pipeline.DoubleOrder{}, Ascending: true})
	dir := t.TempDir()
	for name, text := range map[string]string{"0.csv": "a,x\nu,3\nv,1\n", "1.csv": "a,x\nno,5\n", "2.csv": "a,x\nw,2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := setup(t, p, "t.csv", "", "out.csv")
	s.Data = source.Name{Kind: "csvseq", Place: dir}
	for _, master := range []string{"", "local[2]", "processes[2]"} {
		if master != "" {
			s = by(onEngine(t, master), s)
		}
		s.Bad = &source.BadRows{Limit: 1}
		sum, err := transform.Run(t.Context(), s)
		if err != nil || sum != (transform.Summary{In: 3, Out: 3, Skipped: 1}) ||
			content(t, s.Output) != "a,x,rank\nv,1.0,0\nw,2.0,1\nu,3.0,2\n" || !strings.Contains(s.Bad.Notice(), "1.csv") {
			t.Errorf("%s: %+v, %v, %q, %s", master, sum, err, content(t, s.Output), s.Bad.Notice())
		}
	}
}

// TestBadRowsOnEngines: rows that can't be read or that a step refuses are reported with their places, and counted
// over all workers. The next step that gathers refuses rows where they are read, too.
func TestBadRowsOnEngines(t *testing.T) {
	p := keep("a", "x")
	p.Steps = append(p.Steps, refuse{}, &pipeline.Reduce{Keys: []string{"a"}, Default: pipeline.Sum})
	s := setup(t, p, "t.csv", "", "out.csv")
	dir := t.TempDir()
	for name, text := range map[string]string{"1.csv": "a,x\nu,1\nno,2\nv\n", "2.csv": "a,x\nu,many\nw,3\nno,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.Data.Place = dir
	for _, master := range []string{"local[2]", "processes[2]"} {
		s = by(onEngine(t, master), s)
		for limit, said := range map[int]string{0: ".csv:", 1: "skip:1 allows no more", 3: "skip:3 allows no more"} {
			s.Bad = &source.BadRows{Limit: limit}
			if _, err := transform.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), said) {
				t.Errorf("%s, %d bad rows: %v", master, limit, err)
			}
		}
		s.Bad = &source.BadRows{Limit: 4}
		sum, err := transform.Run(t.Context(), s)
		if err != nil || sum != (transform.Summary{In: 6, Out: 2, Skipped: 4}) ||
			content(t, s.Output) != "a,sum(x)\nu,1.0\nw,3.0\n" {
			t.Errorf("%s: %+v, %v, %q", master, sum, err, content(t, s.Output))
		}
		for _, want := range []string{"4 rows were skipped: ", "1.csv:3: step 2", "1.csv:4:1: this line has 1 field",
			`2.csv:2: step 3 (Reduce): column "x": "many"`} {
			if !strings.Contains(s.Bad.Notice(), want) {
				t.Errorf("%s: %s has no %s", master, s.Bad.Notice(), want)
			}
		}
	}
}
