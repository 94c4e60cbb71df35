package distributed_test

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
)

// inDirectory writes files, and returns their directory.
func inDirectory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTablesOfWorkers: on a cluster, workers read tables without a pipeline. The columns are those of the first file,
// and the classes those of all files. The examples are those of one process.
func TestTablesOfWorkers(t *testing.T) {
	named := inDirectory(t, map[string]string{
		"1.csv": "a,id,kind,b,w\n1,k1,no,2.5,1\n-3,k2,no,1e-3,2\n",
		"2.csv": "kind,b,a,w,id\nyes,7,8,3,k3\n",
		"3.csv": "a,id,kind,b,w\n",
		"4.csv": "b,a,kind,w,id\n0.1,0.2,maybe,0.5,k4\n9,9,yes,1,k5\n",
		"_6":    "no table",
	})
	bare := inDirectory(t, map[string]string{"1.csv": "1,2,0\n3,4,2\n", "2.csv": "5,6,1\n7,8.5,2.0\n", "3.csv": ""})
	single := inDirectory(t, map[string]string{"t.csv": "x;y\n1;u\n2;v\n"})
	lines := inDirectory(t, map[string]string{
		"1.jsonl": "{\"a\": 1, \"kind\": \"no\", \"in\": {\"b\": 2}}\n{\"in\": {\"b\": 3.5}, \"a\": 5, \"kind\": \"no\"}\n",
		"2.jsonl": "{\"kind\": \"yes\", \"in\": {\"b\": 2}, \"a\": 7}\n",
	})
	arrays := inDirectory(t, map[string]string{"1.jsonl": "[1, 2, 0]\n[3, 4, 1]\n", "2.jsonl": "[5, 6, 1]\n"})
	for name, c := range map[string]struct {
		kind, place string
		settings    map[string]string
		o           source.Options
	}{
		"found": {"csv", named, map[string]string{"label": "kind", "key": "id", "weights": "w"}, source.Options{}},
		"given": {"csv", named, map[string]string{"label": "kind", "key": "id", "names": "yes,no,maybe"},
			source.Options{}},
		"number":     {"csv", named, map[string]string{"label": "2", "key": "1"}, source.Options{}},
		"regression": {"csv", bare, map[string]string{"label": "0,-1", "regression": "true"}, source.Options{}},
		"model": {"csv", named, map[string]string{"key": "id"}, source.Options{As: &data.Schema{
			Features: []string{"b", "a"}, Labels: []string{"kind"}, Classes: []string{"no", "yes", "maybe"}}}},
		"unlabelled": {"csv", named, map[string]string{"key": "id"}, source.Options{Unlabelled: true, As: &data.Schema{
			Features: []string{"b", "a"}, Labels: []string{"kind"}, Classes: []string{"no", "yes", "maybe"}}}},
		"none":    {"csv", bare, map[string]string{"label": "none"}, source.Options{}},
		"bare":    {"csv", bare, nil, source.Options{}},
		"classes": {"csv", bare, map[string]string{"classes": "4"}, source.Options{}},
		"image":   {"csv", bare, map[string]string{"image": "1x2"}, source.Options{}},
		"pattern": {"csv", bare + "/*.csv", nil, source.Options{}},
		"file":    {"csv", single + "/t.csv", map[string]string{"delimiter": ";"}, source.Options{}},
		"lines":   {"jsonl", lines, map[string]string{"label": "kind"}, source.Options{}},
		"lists":   {"jsonl", arrays, nil, source.Options{}},
		"last line": {"jsonl", lines, map[string]string{"regression": "true", "label": "in.b", "key": "kind"},
			source.Options{}},
	} {
		n := source.Name{Kind: c.kind, Place: "file://" + c.place, Settings: maps.Clone(c.settings)}
		s, err := source.OpenName(t.Context(), n, c.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := allRows(t, s)
		if c.o.Unlabelled {
			want = streamed(t, n, c.o)
		}
		for _, master := range []string{"local[3]", "processes[2]"} {
			e := &inTables{Engine: onEngine(t, master)}
			if !distributed.ByWorkers(n, c.o) {
				t.Errorf("%s: the workers do not read it", name)
			}
			got, err := distributed.Open(t.Context(), e, n, distributed.OpenOptions{Options: c.o})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			i, j := got.Info(), s.Info()
			if c.o.Unlabelled {
				j.Classes, j.LabelNames, j.Schema = 0, nil, &data.Schema{Features: []string{"b", "a"}, Labels: []string{"kind"}}
			}
			if !reflect.DeepEqual(i.Image, j.Image) || i.Weighted != j.Weighted || !slices.Equal(i.Unused, j.Unused) {
				t.Errorf("%s: %+v, and in one process %+v", name, i, j)
			}
			if i.Examples != len(want) || i.Classes != j.Classes || i.ClassesFound != j.ClassesFound ||
				!reflect.DeepEqual(i.Schema, j.Schema) || !slices.Equal(i.LabelNames, j.LabelNames) {
				t.Errorf("%s: %+v, and in one process %+v", name, i, j)
			}
			if !reflect.DeepEqual(allRows(t, got), want) {
				t.Errorf("%s on %s: other examples than in one process", name, master)
			}
			for _, partitions := range []int{0, 1, 4} {
				sameSpread(t, e, got, partitions, want)
			}
		}
	}
}

// streamed returns the examples of a stream, one by one.
func streamed(t *testing.T, n source.Name, o source.Options) (rows []string) {
	t.Helper()
	in, err := source.OpenStream(t.Context(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		m, err := in.Next()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range data.ExampleRows(m) {
			rows = append(rows, string(row))
		}
	}
}

// TestBadTablesOfWorkers: a file with other columns, a bad number and labels that are no classes are the errors of one
// process: they name the file, the line and the column.
func TestBadTablesOfWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		files    map[string]string
		settings string
		want     string
	}{
		"columns": {map[string]string{"1.csv": "a,k\n1,x\n", "2.csv": "a,b\n1,2\n"},
			"label=k", "2.csv:1:1: the columns are a, b, and those of "},
		"no header": {map[string]string{"1.csv": "a,k\n1,x\n", "2.csv": "1,x\n"},
			"label=k", "2.csv:1:1: the columns are 1, x, and those of "},
		"header": {map[string]string{"1.csv": "1,0\n2,1\n", "2.csv": "a,b\n1,1\n"},
			"regression=true", `2.csv:1:1: column 0: "a" is not a finite number`},
		"fields": {map[string]string{"1.csv": "a,k\n1,x\n", "2.csv": "a,k\n1,2,y\n"},
			"label=k", "2.csv:2:1: this line has 3 fields, "},
		"number": {map[string]string{"1.csv": "a,k\n1,x\n", "2.csv": "a,k\n1,y\nhigh,y\n"},
			"label=k", `2.csv:3:1: column "a": "high" is not a finite number`},
		"classes": {map[string]string{"1.csv": "a,k\n1,0\n", "2.csv": "a,k\n1,0.5\n"},
			"label=k", "2.csv:2:3: the label 0.5 is not a class"},
		"gap": {map[string]string{"1.csv": "a,k\n1,x\n", "2.csv": "a,k\n1,\n"},
			"label=k", `2.csv:2:3: column "k": the label is missing`},
		"model": {map[string]string{"1.csv": "a,k\n1,x\n"}, "label=q", `:1:1: there is no label column "q"`},
		"member": {map[string]string{"1.jsonl": "{\"a\":1,\"k\":\"x\"}\n", "2.jsonl": "{\"a\":1,\"k\":\"x\",\"more\":1}\n"},
			"label=k",
			`2.jsonl:1:1: there is no column "more"`},
		"empty": {map[string]string{"1.csv": "a,k\n"},
			"label=k", "there are no examples in "},
	} {
		kind := "csv"
		if c.files["1.csv"] == "" {
			kind = "jsonl"
		}
		key, value, _ := strings.Cut(c.settings, "=")
		n := source.Name{Kind: kind, Place: "file://" + inDirectory(t, c.files), Settings: map[string]string{key: value}}
		e := &inTables{Engine: onEngine(t, "local[2]")}
		_, here := source.OpenName(t.Context(), n, source.Options{})
		_, there := distributed.Open(t.Context(), e, n, distributed.OpenOptions{})
		if here == nil || name != "member" && name != "empty" && !strings.Contains(here.Error(), c.want) {
			t.Errorf("%s in one process: %v, wanted %s", name, here, c.want)
		}
		if there == nil || !strings.Contains(there.Error(), c.want) {
			t.Errorf("%s: %v, wanted %s", name, there, c.want)
		}
	}
}
