package prepare

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
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

var median = analysis.Options{Missing: analysis.MissingMedian}

const messyHeader = "id,size,colour,when,site,price,w,kind\n"

// messyRows returns rows with gaps, dates, rare categories and texts among numbers.
func messyRows(n int) (lines []string) {
	for i := range n {
		size, colour := fmt.Sprintf("%d.5", i*37%101), []string{"red", "green", "blue"}[i*i%3]
		if i%9 == 4 {
			size = []string{"", "NA", "?"}[i%3]
		}
		if i%97 == 3 {
			colour = "odd"
		}
		lines = append(lines, fmt.Sprintf("r%d,%s,%s,2026-%02d-%02d,s%d,%d,%d,%s\n", i, size, colour, 1+i%12, 1+i%28, i%11,
			i*i%1009, 1+i%3, []string{"x", "y", "z"}[(i*37%101+i)/60%3]))
	}
	return lines
}

// inFiles distributes lines over several files, and adds a file without rows.
func inFiles(t *testing.T, lines []string, files int) source.Name {
	t.Helper()
	dir := t.TempDir()
	for k := range files {
		part := messyHeader + strings.Join(lines[k*len(lines)/files:(k+1)*len(lines)/files], "")
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k, ".csv")), []byte(part), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "9.csv"), []byte(messyHeader), 0o600); err != nil {
		t.Fatal(err)
	}
	return source.Name{Kind: "csv", Place: dir, Settings: map[string]string{"key": "id", "label": "kind"}}
}

// examplesOf returns the examples of a source as bytes.
func examplesOf(t *testing.T, s source.Source) (all []string) {
	t.Helper()
	if s == nil {
		return nil
	}
	for i := range s.Objects() {
		m, err := s.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		m.LabelNames = nil
		all = append(all, string(data.AppendRow(nil, m)))
	}
	return all
}

// keepAll returns a pipeline that does not change the columns.
func keepAll(label pipeline.Column) *pipeline.Pipeline {
	return &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "size"},
		pipeline.DoubleColumn{Name: "price"}, label}},
		Steps: []pipeline.Step{pipeline.RemoveInvalid{Columns: []string{"price"}},
			pipeline.RemoveColumns{Columns: []string{"size"}}}}
}

// TestOpenOnEngines: workers propose the same pipeline, and make the same examples from the same rows, as this process.
func TestOpenOnEngines(t *testing.T) {
	n := inFiles(t, messyRows(600), 4)
	with := func(key, value string) source.Name {
		n := n
		n.Settings = map[string]string{"key": "id", "label": "kind", key: value}
		return n
	}
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	for name, c := range map[string]struct {
		n source.Name
		s Settings
	}{
		"all": {n, Settings{Proposal: median}},
		"embed": {n, Settings{Proposal: analysis.Options{Missing: analysis.MissingMedian,
			Embed: analysis.Embed{All: true}}}},
		"drop":       {n, Settings{Proposal: analysis.Options{Missing: analysis.MissingDrop}}},
		"regression": {with("label", "price"), Settings{Proposal: median}},
		"weights":    {with("weights", "w"), Settings{Proposal: median, Split: Split{Share: 0.7}}},
		"chance":     {n, Settings{Proposal: median, Split: Split{Share: 0.8}, Seed: 5}},
		"stratified": {n, Settings{Proposal: median, Split: Split{Share: 0.8, By: Stratified}, Seed: 5}},
		"time":       {n, Settings{Proposal: median, Split: Split{Share: 0.5, By: ByTime, Column: "when"}}},
		"group":      {n, Settings{Proposal: median, Split: Split{Share: 0.8, By: ByGroup, Column: "site"}}},
		"fold":       {n, Settings{Proposal: median, Split: Split{Folds: 3, Fold: 1}, Seed: 2}},
		"sample":     {n, Settings{Proposal: median, Sample: 100, Split: Split{Share: 0.8}, Seed: 7}},
		"pipeline":   {n, Settings{Pipeline: keepAll(pipeline.StringColumn{Name: "kind"})}},
		"of group": {n, Settings{Pipeline: keepAll(pipeline.StringColumn{Name: "kind"}),
			Split: Split{Share: 0.8, By: ByGroup, Column: "site"}}},
		"numbers": {with("label", "w"), Settings{Pipeline: keepAll(pipeline.DoubleColumn{Name: "w"}), Sample: 50}},
	} {
		want, err := Open(t.Context(), c.n, c.s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range engines {
			got, err := OpenOn(t.Context(), e, c.n, c.s, distributed.OpenOptions{})
			if err != nil {
				t.Errorf("%s on %s: %v", name, e.Master(), err)
				continue
			}
			sameResult(t, name+" on "+e.Master(), got, want)
		}
		known := c.s
		known.Pipeline, known.Known = nil, want.Preparation
		got, err := OpenOn(t.Context(), engines[0], c.n, known, distributed.OpenOptions{})
		if err != nil {
			t.Errorf("%s, a known pipeline: %v", name, err)
			continue
		}
		want.Columns, want.Notices, want.Why = nil, nil, ""
		sameResult(t, name+", a known pipeline", got, want)
	}
}

func sameResult(t *testing.T, name string, got, want *Result) {
	t.Helper()
	steps, labels, err := got.Preparation.Encode()
	if err != nil {
		t.Fatal(err)
	}
	wantSteps, wantLabels, _ := want.Preparation.Encode()
	if string(steps) != string(wantSteps) || string(labels) != string(wantLabels) {
		t.Errorf("%s: the pipeline is\n%s\n%s\nwanted\n%s\n%s", name, steps, labels, wantSteps, wantLabels)
	}
	if !reflect.DeepEqual(got.Columns, want.Columns) || !reflect.DeepEqual(got.Notices, want.Notices) ||
		got.Why != want.Why {
		t.Errorf("%s: %v, %v, %q", name, got.Columns, got.Notices, got.Why)
		t.Errorf("wanted %v, %v, %q", want.Columns, want.Notices, want.Why)
	}
	for _, pair := range [][2]source.Source{{got.Train, want.Train}, {got.HeldOut, want.HeldOut}} {
		g, w := examplesOf(t, pair[0]), examplesOf(t, pair[1])
		if len(w) != len(g) || !reflect.DeepEqual(g, w) {
			t.Errorf("%s: %d examples, wanted %d, or others", name, len(g), len(w))
		}
		if pair[1] == nil {
			continue
		}
		i, j := pair[0].Info(), pair[1].Info()
		if i.Name != j.Name || i.Classes != j.Classes || i.Task != j.Task || i.Weighted != j.Weighted ||
			i.Examples != j.Examples {
			t.Errorf("%s: %+v, wanted %+v", name, i, j)
		}
	}
}

// TestOpenOnEnginesAmiss: errors and their places are the same as in this process.
func TestOpenOnEnginesAmiss(t *testing.T) {
	e := onEngine(t, "local[2]")
	lines := messyRows(60)
	gap := append([]string(nil), lines...)
	gap[40] = strings.Replace(gap[40], ",x\n", ",\n", 1)
	gap[40] = strings.Replace(strings.Replace(gap[40], ",y\n", ",\n", 1), ",z\n", ",\n", 1)
	site := append([]string(nil), lines...)
	site[50] = strings.Replace(site[50], fmt.Sprintf(",s%d,", 50%11), ",,", 1)
	for name, c := range map[string]struct {
		lines []string
		s     Settings
	}{
		"a gap":    {gap, Settings{Proposal: analysis.Options{Missing: analysis.MissingMedian}}},
		"no group": {site, Settings{Split: Split{Share: 0.8, By: ByGroup, Column: "site"}}},
		"no split": {lines, Settings{Split: Split{Share: 0.8, By: ByTime, Column: "nothing"}}},
		"one":      {lines[:1], Settings{}},
		"none":     {nil, Settings{}},
	} {
		n := inFiles(t, c.lines, 2)
		_, want := Open(t.Context(), n, c.s)
		_, err := OpenOn(t.Context(), e, n, c.s, distributed.OpenOptions{})
		if err == nil || want == nil || !strings.HasSuffix(err.Error(), want.Error()) {
			t.Errorf("%s: %v, wanted %v", name, err, want)
		}
	}
}

// gathers returns a pipeline with these steps, which gather rows, after a step that processes single rows.
func gathers(steps ...pipeline.Step) *pipeline.Pipeline {
	return &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "site"},
		pipeline.DoubleColumn{Name: "price"}, pipeline.StringColumn{Name: "kind"}}},
		Steps: append([]pipeline.Step{pipeline.RemoveInvalid{Columns: []string{"price"}}}, steps...)}
}

// TestGatheringOnEngines: workers run pipelines with reducers, sequences and ranks on files and on a query, and make
// the same examples as this process. A model with the pipeline accepts rows without labels.
func TestGatheringOnEngines(t *testing.T) {
	lines := messyRows(300)
	files := inFiles(t, lines, 4)
	q := &oneQuery{Engine: onEngine(t, "processes[2]")}
	for _, name := range strings.Split(strings.TrimSpace(messyHeader), ",") {
		q.columns = append(q.columns, engine.Column{Name: name, Type: "string"})
	}
	for _, line := range lines {
		q.rows = append(q.rows, strings.Split(strings.TrimSpace(line), ","))
	}
	reduced := gathers(&pipeline.Reduce{Keys: []string{"site", "kind"}, Default: pipeline.Mean},
		pipeline.RemoveColumns{Columns: []string{"site"}})
	bySite := pipeline.ToSequences{Keys: []string{"site"}, Comparator: pipeline.ByNumber{Column: "price"}}
	dropped := pipeline.RemoveColumns{Columns: []string{"kind", "site"}}
	for name, c := range map[string]struct {
		label string
		p     *pipeline.Pipeline
	}{
		"reduced": {"kind", reduced},
		"ranked": {"kind", gathers(pipeline.SortedRank{Name: "rank", Column: "price", Order: pipeline.DoubleOrder{}},
			pipeline.RemoveColumns{Columns: []string{"site"}})},
		"a label of each step":     {"kind", gathers(bySite, pipeline.RemoveColumns{Columns: []string{"site"}})},
		"a label of each sequence": {"site", gathers(bySite, pipeline.RemoveColumns{Columns: []string{"kind"}})},
		"numbers":                  {"price", gathers(bySite, dropped, twice())},
	} {
		files.Settings = map[string]string{"label": c.label}
		query := source.Name{Kind: "sql", Place: "TABLE t", Settings: files.Settings}
		want, err := Open(t.Context(), files, Settings{Pipeline: c.p})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, on := range []struct {
			engine engine.Engine
			data   source.Name
		}{{onEngine(t, "local[3]"), files}, {onEngine(t, "processes[2]"), files}, {q, query}} {
			three := distributed.OpenOptions{Partitions: 3}
			got, err := OpenOn(t.Context(), on.engine, on.data, Settings{Pipeline: c.p}, three)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, on.engine.Master(), err)
			}
			if on.data.Kind == "sql" {
				withoutKeys(t, got.Train, want.Train)
				continue
			}
			sameResult(t, name+" on "+on.engine.Master(), got, want)
		}
		o := source.Options{Preparation: want.Preparation, Unlabelled: true}
		here, err := source.OpenName(t.Context(), files, o)
		if err != nil {
			t.Fatal(err)
		}
		there, err := distributed.Open(t.Context(), q, query, distributed.OpenOptions{Options: o, Count: true})
		if err != nil {
			t.Fatalf("%s, without labels: %v", name, err)
		}
		withoutKeys(t, there, here)
	}
	keyed := files
	keyed.Settings = map[string]string{"label": "kind", "key": "id"}
	for want, s := range map[string]Settings{
		"splits, folds and": {Pipeline: reduced, Split: Split{Share: 0.8}},
		"keys of their own": {Pipeline: reduced},
	} {
		n := keyed
		if s.Split.Share > 0 {
			n = files
			n.Settings = map[string]string{"label": "kind"}
		}
		if _, err := OpenOn(t.Context(), q.Engine, n, s, distributed.OpenOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// textFolders writes texts into class folders. One text is empty, and some have many words.
func textFolders(t *testing.T) source.Name {
	t.Helper()
	dir := t.TempDir()
	for i := range 30 {
		class := []string{"a", "a-b", "c"}[i%3]
		text := fmt.Sprintf("Text %d of %s, %s", i*i%7, class, strings.Repeat("and more ", i%5))
		if i == 4 {
			text = ""
		}
		path := filepath.Join(dir, class, fmt.Sprint(i, ".txt"))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return source.Name{Kind: "text", Place: dir, Settings: map[string]string{"max-tokens": "7", "max-words": "9"}}
}

// TestTokensOnEngines: workers read texts from folders and from a table's column, count their words, and make the same
// sequences as this process. A model with the pipeline accepts texts without labels.
func TestTokensOnEngines(t *testing.T) {
	folders := textFolders(t)
	table := inFiles(t, messyRows(90), 3)
	table.Settings = map[string]string{"tokens": "site", "tokens-by": "characters", "label": "kind", "weights": "w"}
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	for name, n := range map[string]source.Name{"folders": folders, "table": table} {
		for _, s := range []Settings{{}, {Split: Split{Share: 0.7, By: Stratified}}} {
			want, err := Open(t.Context(), n, s)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range engines {
				if !distributed.WorkersReadRaw(e, n) {
					t.Fatalf("%s: workers of %s do not read it", name, e.Master())
				}
				got, err := OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
				if err != nil {
					t.Fatalf("%s on %s: %v", name, e.Master(), err)
				}
				sameResult(t, name+" on "+e.Master(), got, want)
			}
			known := Settings{Known: want.Preparation}
			got, err := OpenOn(t.Context(), engines[0], n, known, distributed.OpenOptions{})
			if err != nil {
				t.Fatalf("%s, known: %v", name, err)
			}
			if a, b := got.Train.Info().Examples, map[string]int{"folders": 30, "table": 90}[name]; a != b {
				t.Errorf("%s, known: %d examples, wanted %d", name, a, b)
			}
		}
	}
	lines := source.Name{Kind: "text", Place: filepath.Join(folders.Place, "c", "2.txt"), Settings: folders.Settings}
	if !distributed.WorkersReadRaw(engines[0], lines) {
		t.Errorf("%v: workers do not read it", lines)
	}
	for labels, there := range map[string]bool{"labels.txt": false, "hdfs://host/labels.txt": true} {
		n := source.Name{Kind: "text", Place: "hdfs://host/texts", Settings: map[string]string{"labels": labels}}
		if distributed.RawByWorkers(n) != there {
			t.Errorf("%v: read by workers of a cluster is not %v", n, there)
		}
	}
}

// TestListsOnEngines: columns of lists in Parquet and Arrow files go through a pipeline on workers in the same way as
// in this process.
func TestListsOnEngines(t *testing.T) {
	steps := &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "kind"},
		pipeline.ArrayColumn{Name: "v", Shape: []int64{3}}, pipeline.DoubleColumn{Name: "a"}}},
		Steps: []pipeline.Step{pipeline.ArrayMath{Column: "v", Op: pipeline.Multiply, Scalar: 2}}}
	engines := []engine.Engine{onEngine(t, "local[2]"), onEngine(t, "processes[2]")}
	for _, kind := range []string{"parquet", "arrow"} {
		dir := t.TempDir()
		b, err := os.ReadFile("../../data/source/testdata/" + kind + "/mixed." + kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"year=2025/a.", "year=2026/a.", "year=2026/b."} {
			path := filepath.Join(dir, name+kind)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		n := source.Name{Kind: kind, Place: dir, Settings: map[string]string{"label": "kind", "key": "id"}}
		for name, s := range map[string]Settings{"all": {Pipeline: steps},
			"held out": {Pipeline: steps, Split: Split{Share: 0.6, By: ByGroup, Column: "price"}}} {
			want, err := Open(t.Context(), n, s)
			if err != nil {
				t.Fatalf("%s, %s: %v", kind, name, err)
			}
			for _, e := range engines {
				got, err := OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
				if err != nil {
					t.Fatalf("%s, %s on %s: %v", kind, name, e.Master(), err)
				}
				sameResult(t, kind+", "+name+" on "+e.Master(), got, want)
			}
		}
	}
}
