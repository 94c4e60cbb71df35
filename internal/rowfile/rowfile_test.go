package rowfile_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/rowfile"
	"github.com/dl4go/dl4go/pipeline"
)

func schema(columns ...pipeline.Column) *pipeline.Schema { return &pipeline.Schema{Columns: columns} }

// written returns rows in a format.
func written(t *testing.T, format string, o rowfile.Options, items ...pipeline.Item) string {
	t.Helper()
	f, err := rowfile.Named(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w, err := f.New(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if err := w.Write(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func row(values ...pipeline.Value) pipeline.Item { return pipeline.Item{Row: values} }

// TestFormats: values of all columns' types, and values that are not of their column's type.
func TestFormats(t *testing.T) {
	s := schema(pipeline.StringColumn{Name: "a\"b"}, pipeline.DoubleColumn{Name: "x"}, pipeline.LongColumn{Name: "n"},
		pipeline.BooleanColumn{Name: "ok"})
	rows := []pipeline.Item{
		row(pipeline.Text("say \"hi\",\nyou"), pipeline.Text(" 97.680 "), pipeline.Long(1<<60), pipeline.Boolean(true)),
		row(pipeline.Text(""), pipeline.Text("?"), pipeline.Null(), pipeline.Text("false")),
		row(pipeline.Long(5), pipeline.Double(math.Inf(-1)), pipeline.Text("07"), pipeline.Null()),
		row(pipeline.Text("ä\x01 "), pipeline.Double(1e10), pipeline.Integer(-1), pipeline.Boolean(false)),
	}
	for _, c := range []struct {
		format string
		o      rowfile.Options
		want   string
	}{
		{"csv", rowfile.Options{}, "\"a\"\"b\",x,n,ok\n\"say \"\"hi\"\",\nyou\",97.68,1152921504606846976,true\n" +
			"\"\",?,,false\n5,-Infinity,7,\n\"ä\x01 \",1.0E10,-1,false\n"},
		{"csv", rowfile.Options{NoHeader: true}, "\"say \"\"hi\"\",\nyou\",97.68,1152921504606846976,true\n" +
			"\"\",?,,false\n5,-Infinity,7,\n\"ä\x01 \",1.0E10,-1,false\n"},
		{"jsonl", rowfile.Options{Arrays: true},
			`["say \"hi\",\nyou",97.68,1152921504606846976,true]` + "\n" + `["","?",null,false]` +
				"\n" + `["5","-Infinity",7,null]` + "\n" + `["ä\u0001 ",1.0E10,-1,false]` + "\n"},
		{"jsonl", rowfile.Options{}, `{"a\"b":"say \"hi\",\nyou","x":97.68,"n":1152921504606846976,"ok":true}` + "\n" +
			`{"a\"b":"","x":"?","n":null,"ok":false}` + "\n" + `{"a\"b":"5","x":"-Infinity","n":7,"ok":null}` + "\n" +
			`{"a\"b":"ä\u0001 ","x":1.0E10,"n":-1,"ok":false}` + "\n"},
	} {
		c.o.Schema = s
		got := written(t, c.format, c.o, rows...)
		if got != c.want {
			t.Errorf("%s:\n%s\nwanted\n%s", c.format, got, c.want)
		}
		if c.format == "csv" {
			if records, err := csv.NewReader(strings.NewReader(got)).ReadAll(); err != nil || len(records[0]) != 4 {
				t.Error(records, err)
			}
			continue
		}
		for line := range strings.Lines(got) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s is no JSON", line)
			}
		}
	}
}

// TestSingleColumn: an empty line of CSV would be no row.
func TestSingleColumn(t *testing.T) {
	o := rowfile.Options{Schema: schema(pipeline.StringColumn{Name: "a"})}
	if got := written(t, "csv", o, row(pipeline.Null()), row(pipeline.Text(""))); got != "a\n\"\"\n\"\"\n" {
		t.Errorf("%q", got)
	}
}

// TestSequencesAndArrays: JSON lines accept them, and CSV refuses them by name.
func TestSequencesAndArrays(t *testing.T) {
	s := schema(pipeline.StringColumn{Name: "a"}, pipeline.ArrayColumn{Name: "v", Shape: []int64{1, 2}})
	s.Sequence = true
	v := pipeline.ArrayOf(&pipeline.Array{Shape: []int{1, 2}, Data: []float64{1.5, math.NaN()}})
	two := pipeline.Item{Sequence: []pipeline.Row{{pipeline.Text("x"), v}, {pipeline.Bytes([]byte("hi")),
		pipeline.Null()}}}
	none := pipeline.Item{Sequence: []pipeline.Row{}}
	const want = `[["x",{"shape":[1,2],"values":[1.5,"NaN"]}],["aGk=",null]]` + "\n[]\n"
	if got := written(t, "jsonl", rowfile.Options{Schema: s, Arrays: true}, two, none); got != want {
		t.Errorf("%s", got)
	}
	const objects = `[{"a":"x","v":{"shape":[1,2],"values":[1.5,"NaN"]}},{"a":"aGk=","v":null}]` + "\n"
	if got := written(t, "jsonl", rowfile.Options{Schema: s}, two); got != objects {
		t.Errorf("%s", got)
	}
	f, _ := rowfile.Of("out.CSV")
	for want, sequence := range map[string]bool{"gives sequences": true, `column "v" has arrays`: false} {
		s.Sequence = sequence
		if _, err := f.New(nil, rowfile.Options{Schema: s}); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	if _, err := rowfile.Of("out.xls"); err == nil || !strings.Contains(err.Error(),
		"out.xls: it must end in .csv, .jsonl") {
		t.Error(err)
	}
}

// TestFileAppearsWhole: the file appears with Commit, and without it nothing is left.
func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	f, err := rowfile.Of(path)
	if err != nil {
		t.Fatal(err)
	}
	o := rowfile.Options{Schema: schema(pipeline.StringColumn{Name: "a"})}
	for _, commit := range []bool{false, true} {
		file, err := rowfile.Create(t.Context(), path, f, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Write(row(pipeline.Text("x"))); err != nil {
			t.Fatal(err)
		}
		if commit {
			err = file.Commit()
		}
		if file.Close(); err != nil {
			t.Fatal(err)
		}
		entries, _ := os.ReadDir(dir)
		if (len(entries) == 1) != commit {
			t.Errorf("committed: %v, and there are %v", commit, entries)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || !slices.Equal(strings.Fields(string(text)), []string{"a", "x"}) {
		t.Errorf("%q, %v", text, err)
	}
}
