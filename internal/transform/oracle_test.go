package transform_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/pipeline"
)

// TestOracle runs the real DataVec's cases as a user would: from input.csv or JSON lines of arrays, into JSON lines of
// arrays.
func TestOracle(t *testing.T) {
	cases := unpacked(t, "../../pipeline/testdata/transform.zip", 131)
	engines := []engine.Engine{onEngine(t, "processes[2]"), onEngine(t, "local[3]")}
	for i, c := range cases {
		t.Run(filepath.Base(c), func(t *testing.T) {
			testCase(t, c)
			testCaseOn(t, engines[min(i%4, 1)], c)
		})
	}
}

// unpacked extracts an archive of so many cases, each a directory, and returns their paths.
func unpacked(t *testing.T, archive string, want int) []string {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	var cases []string
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if name := filepath.Dir(path); !slices.Contains(cases, name) {
			cases = append(cases, name)
		}
		if err := unpack(f, path); err != nil {
			t.Fatal(err)
		}
	}
	if len(cases) != want {
		t.Errorf("%s has %d cases, not %d", archive, len(cases), want)
	}
	return cases
}

func unpack(f *zip.File, path string) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// mended are the cases of DataVec's defects that we don't repeat: package pipeline tests our behaviour.
var mended = map[string]bool{"time-parse-guess-1": true, "reduce-key-collision-1": true,
	"sequence-difference-value-1": true, "sequence-reduce-overlap-offset-1": true, "sequence-split-equal-1": true}

// oracleCase is case.json.
type oracleCase struct {
	OutputKind  string   `json:"output_kind"`
	Order       string   `json:"order"`
	Approximate []string `json:"approximate_columns"`
	Defects     []string `json:"defects"`
}

func readCase(t *testing.T, path string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(content(t, path)), v); err != nil {
		t.Fatal(err)
	}
}

// table is rows or sequences, of tagged cells.
type table struct {
	Rows      [][]string
	Sequences [][][]string
}

func testCase(t *testing.T, dir string) {
	var c oracleCase
	readCase(t, filepath.Join(dir, "case.json"), &c)
	spec := "csv:" + filepath.Join(dir, "input.csv")
	if _, err := os.Stat(filepath.Join(dir, "input.csv")); err != nil {
		spec = "jsonl:" + jsonInput(t, dir)
	}
	n, err := source.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	s := transform.Settings{Pipeline: filepath.Join(dir, "transform.json"), Data: n, Arrays: true,
		Output: filepath.Join(dir, "out.jsonl"), Bad: &source.BadRows{Ragged: true}}
	_, err = transform.Run(t.Context(), s)
	if c.OutputKind == "error" {
		if err == nil && !slices.Contains(c.Defects, "convert-double-to-float") { // we convert
			t.Fatal("DataVec refuses this")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	_, plan, err := transform.ReadPipeline(t.Context(), s.Pipeline)
	if err != nil {
		t.Fatal(err)
	}
	if mended[filepath.Base(dir)] {
		return
	}
	var want table
	readCase(t, filepath.Join(dir, "output.json"), &want)
	compareLines(t, content(t, s.Output), want, plan.Out(), c)
}

// jsonInput writes the rows or sequences of input.json as JSON lines.
func jsonInput(t *testing.T, dir string) string {
	var in table
	readCase(t, filepath.Join(dir, "input.json"), &in)
	var b strings.Builder
	for _, r := range in.Rows {
		b.WriteString(jsonRow(r) + "\n")
	}
	for _, s := range in.Sequences {
		rows := make([]string, len(s))
		for i, r := range s {
			rows[i] = jsonRow(r)
		}
		b.WriteString("[" + strings.Join(rows, ",") + "]\n")
	}
	path := filepath.Join(dir, "input.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func jsonRow(cells []string) string {
	values := make([]string, len(cells))
	for i, c := range cells {
		tag, text, _ := strings.Cut(c, ":")
		switch tag {
		case "i", "l", "b", "null":
			values[i] = text
			if tag == "null" {
				values[i] = tag
			}
		case "d", "f":
			if values[i] = text; strings.Contains(text, "N") || strings.Contains(text, "I") {
				values[i] = strconv.Quote(text)
			}
		case "a":
			shape, numbers, _ := strings.Cut(text, ":")
			numbers = strings.NewReplacer("NaN", `"NaN"`, "-Infinity", `"-Infinity"`, "Infinity", `"Infinity"`).Replace(numbers)
			values[i] = fmt.Sprintf(`{"shape":[%s],"values":[%s]}`, shape, numbers)
		default:
			quoted, _ := json.Marshal(text)
			values[i] = string(quoted)
		}
	}
	return "[" + strings.Join(values, ",") + "]"
}

// compareLines compares values, in order if the order matters.
func compareLines(t *testing.T, text string, want table, schema *pipeline.Schema, c oracleCase) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	wanted := make([][][]string, 0, len(lines))
	for _, r := range want.Rows {
		wanted = append(wanted, [][]string{r})
	}
	wanted = append(wanted, want.Sequences...)
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines, want %d", len(lines), len(wanted))
	}
	for _, line := range lines {
		rows := make([][]any, 1)
		var err error
		if schema.Sequence {
			err = json.Unmarshal([]byte(line), &rows)
		} else {
			err = json.Unmarshal([]byte(line), &rows[0])
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		at := 0
		if c.Order == "hash" {
			at = slices.IndexFunc(wanted, func(w [][]string) bool { return sameRows(rows, w, schema, c) })
		}
		if at < 0 || !sameRows(rows, wanted[at], schema, c) {
			t.Fatalf("%s is not as DataVec gives it: %v", line, wanted[max(at, 0)])
		}
		wanted = slices.Delete(wanted, at, at+1)
	}
}

func sameRows(got [][]any, want [][]string, schema *pipeline.Schema, c oracleCase) bool {
	return slices.EqualFunc(got, want, func(row []any, cells []string) bool {
		if len(row) != len(schema.Columns) || len(cells) != len(row) {
			return false
		}
		for i, v := range row {
			column := schema.Columns[i]
			if !slices.Contains(c.Approximate, column.Title()) && !sameCell(v, cells[i], column.Type()) {
				return false
			}
		}
		return true
	})
}

// sameCell compares a value of JSON with a tagged cell.
func sameCell(got any, want string, column pipeline.ColumnType) bool {
	tag, text, _ := strings.Cut(want, ":")
	switch v := got.(type) {
	case nil:
		return want == "null"
	case map[string]any:
		shape, numbers, _ := strings.Cut(text, ":")
		return tag == "a" && sameList(v["shape"], shape) && sameList(v["values"], numbers)
	case bool:
		return text == strconv.FormatBool(v)
	case float64:
		x, err := pipeline.Text(text).Double()
		return want != "null" && err == nil && agree(v, x, column)
	case string:
		if v == text {
			return want != "null"
		}
		numbers := column == pipeline.DoubleType || column == pipeline.FloatType
		point := column == pipeline.StringType && strings.Contains(v, ",") // a place on the globe
		return (numbers || point) && slices.EqualFunc(strings.Split(v, ","), strings.Split(text, ","), sameNumber)
	}
	return false
}

// sameNumber compares texts of numbers.
func sameNumber(got, want string) bool {
	x, err := pipeline.Text(got).Double()
	y, errY := pipeline.Text(want).Double()
	return err == nil && errY == nil && agree(x, y, pipeline.DoubleType)
}

func sameList(got any, want string) bool {
	list, _ := got.([]any)
	texts := strings.FieldsFunc(want, func(r rune) bool { return r == ',' })
	return slices.EqualFunc(list, texts, func(v any, text string) bool {
		x, err := pipeline.Text(fmt.Sprint(v)).Double()
		y, errY := pipeline.Text(text).Double()
		return err == nil && errY == nil && agree(x, y, pipeline.FloatType)
	})
}

// agree compares by the oracle's tolerances.
func agree(x, y float64, column pipeline.ColumnType) bool {
	tolerance := 1e-11
	if column == pipeline.FloatType {
		tolerance = 3e-7
	}
	return near.OrNaN(x, y, 0, tolerance)
}
