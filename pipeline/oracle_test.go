package pipeline_test

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/pipeline"
)

// oracle opens cases made by the real DataVec, in folders NAME/CASE of testdata/NAME.zip.
func oracle(t testing.TB, name string) *zip.Reader {
	t.Helper()
	z, err := zip.OpenReader("testdata/" + name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return &z.Reader
}

// content reads a file of an oracle; nil if there is none.
func content(t testing.TB, z *zip.Reader, path string) []byte {
	t.Helper()
	f, err := z.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readJSON reads a JSON file of an oracle.
func readJSON(t testing.TB, z *zip.Reader, path string, v any) {
	t.Helper()
	if err := json.Unmarshal(content(t, z, path), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// cases returns the names of an oracle's cases.
func cases(z *zip.Reader) (names []string) {
	for _, f := range z.File {
		if parts := strings.Split(f.Name, "/"); !slices.Contains(names, parts[1]) {
			names = append(names, parts[1])
		}
	}
	return names
}

// cells is a table in an oracle's JSON.
type cells struct {
	Rows      [][]string
	Sequences [][][]string
}

// transformCase is case.json.
type transformCase struct {
	OutputKind  string   `json:"output_kind"`
	Order       string   `json:"order"`
	Approximate []string `json:"approximate_columns"`
	Defects     []string `json:"defects"`
}

// TestTransforms runs each pipeline of the oracle, read from its JSON and from dl4go's JSON.
func TestTransforms(t *testing.T) {
	z := oracle(t, "transform")
	for _, name := range cases(z) {
		t.Run(name, func(t *testing.T) {
			dir := "transform/" + name + "/"
			testTransform(t, z, dir, content(t, z, dir+"transform.json"))
		})
	}
}

func testTransform(t *testing.T, z *zip.Reader, dir string, text []byte) {
	var c transformCase
	readJSON(t, z, dir+"case.json", &c)
	out, plan, err := runCase(t, z, dir, text)
	if slices.Contains(c.Defects, "convert-double-to-float") {
		if err != nil {
			t.Fatal(err) // DataVec refuses this
		}
		return
	}
	if c.OutputKind == "error" {
		if err == nil {
			t.Fatal("DataVec refuses this, and we do not")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var want cells
	readJSON(t, z, dir+"output.json", &want)
	mend(t, z, dir, &want)
	compareItems(t, out, want, plan.Out(), c)
	if schema := content(t, z, dir+"final-schema.json"); schema != nil && !slices.ContainsFunc(c.Defects, spoilsSchema) {
		compareSchemas(t, plan.Out(), schema)
	}
}

// runCase reads a pipeline, writes and reads it again, and runs the case's input through it.
func runCase(t *testing.T, z *zip.Reader, dir string, text []byte) ([]pipeline.Item, *pipeline.Plan, error) {
	p, err := pipeline.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	if text, err = p.JSON(); err != nil {
		return nil, nil, err
	}
	if p, err = pipeline.Parse(text); err != nil {
		t.Fatalf("our own JSON is not read: %v\n%s", err, text)
	}
	if text, err = p.YAML(); err != nil {
		return nil, nil, err
	}
	if p, err = pipeline.Parse(text); err != nil {
		t.Fatalf("our own YAML is not read: %v\n%s", err, text)
	}
	plan, err := p.Bind()
	if err != nil {
		return nil, nil, err
	}
	var out []pipeline.Item
	run := plan.Start(func(i pipeline.Item) error {
		out = append(out, i)
		return nil
	})
	items := input(t, z, dir)
	items = slices.DeleteFunc(items, func(i pipeline.Item) bool { // DataVec skips it
		return i.Sequence == nil && len(i.Row) != len(plan.In().Columns)
	})
	before := cloned(items)
	for _, i := range items {
		if err = run.Push(i); err != nil {
			break
		}
	}
	var texts []string
	for _, i := range out {
		texts = append(texts, fmt.Sprint(i.Row))
	}
	checkBatches(t, plan, before, texts, err)
	if err != nil {
		return nil, nil, err
	}
	return out, plan, run.Close()
}

// input reads input.csv or input.json.
func input(t *testing.T, z *zip.Reader, dir string) (items []pipeline.Item) {
	if text := content(t, z, dir+"input.csv"); text != nil {
		r := csv.NewReader(strings.NewReader(string(text)))
		r.FieldsPerRecord = -1
		records, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range records {
			row := make(pipeline.Row, len(record))
			for i, s := range record {
				row[i] = pipeline.Text(s)
			}
			items = append(items, pipeline.Item{Row: row})
		}
		return items
	}
	var in cells
	readJSON(t, z, dir+"input.json", &in)
	return itemsOf(t, in)
}

func itemsOf(t testing.TB, in cells) (items []pipeline.Item) {
	for _, r := range in.Rows {
		items = append(items, pipeline.Item{Row: rowOf(t, r)})
	}
	for _, s := range in.Sequences {
		rows := make([]pipeline.Row, len(s))
		for i, r := range s {
			rows[i] = rowOf(t, r)
		}
		items = append(items, pipeline.Item{Sequence: rows})
	}
	return items
}

func rowOf(t testing.TB, cells []string) pipeline.Row {
	row := make(pipeline.Row, len(cells))
	for i, c := range cells {
		row[i] = valueOf(t, c)
	}
	return row
}

// valueOf reads a tagged cell.
func valueOf(t testing.TB, cell string) pipeline.Value {
	tag, text, _ := strings.Cut(cell, ":")
	var v pipeline.Value
	var err error
	switch tag {
	case "null":
		return pipeline.Null()
	case "i":
		var n int32
		n, err = pipeline.Text(text).Integer()
		v = pipeline.Integer(n)
	case "l":
		var n int64
		n, err = pipeline.Text(text).Long()
		v = pipeline.Long(n)
	case "d":
		var x float64
		x, err = pipeline.Text(text).Double()
		v = pipeline.Double(x)
	case "f":
		var x float32
		x, err = pipeline.Text(text).Float()
		v = pipeline.Float(x)
	case "b":
		return pipeline.Boolean(text == "true")
	case "s":
		return pipeline.Text(text)
	case "a":
		return arrayOf(t, text)
	default:
		err = fmt.Errorf("the cell %q has no tag", cell)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func arrayOf(t testing.TB, text string) pipeline.Value {
	shape, numbers, _ := strings.Cut(text, ":")
	a := &pipeline.Array{}
	for s := range strings.SplitSeq(shape, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		a.Shape = append(a.Shape, n)
	}
	for s := range strings.SplitSeq(numbers, ",") {
		if s == "" {
			continue
		}
		x, err := pipeline.Text(s).Double()
		if err != nil {
			t.Fatal(err)
		}
		a.Data = append(a.Data, x)
	}
	return pipeline.ArrayOf(a)
}

// compareItems compares by values, in order if the order is defined.
func compareItems(t *testing.T, got []pipeline.Item, want cells, schema *pipeline.Schema, c transformCase) {
	t.Helper()
	wanted := itemsOf(t, want)
	if len(got) != len(wanted) {
		t.Fatalf("%d items, want %d", len(got), len(wanted))
	}
	for i, g := range got {
		at := i
		if c.Order == "hash" { // a multiset: the first match that is not taken
			at = slices.IndexFunc(wanted, func(w pipeline.Item) bool { return differs(g, w, schema, c) == "" })
			if at < 0 {
				t.Fatalf("item %d, %v, is not among the results of DataVec", i, g)
			}
			wanted = slices.Delete(wanted, at, at+1)
			continue
		}
		if d := differs(g, wanted[at], schema, c); d != "" {
			t.Fatalf("item %d: %s", i, d)
		}
	}
}

// differs describes how two items differ, or returns "".
func differs(got, want pipeline.Item, schema *pipeline.Schema, c transformCase) string {
	if got.Sequence == nil && want.Sequence == nil {
		return rowDiffers(got.Row, want.Row, schema, c)
	}
	if len(got.Sequence) != len(want.Sequence) {
		return fmt.Sprintf("a sequence of %d steps, want %d", len(got.Sequence), len(want.Sequence))
	}
	for i, row := range got.Sequence {
		if d := rowDiffers(row, want.Sequence[i], schema, c); d != "" {
			return fmt.Sprintf("step %d: %s", i, d)
		}
	}
	return ""
}

func rowDiffers(got, want pipeline.Row, schema *pipeline.Schema, c transformCase) string {
	if len(got) != len(want) || len(got) != len(schema.Columns) {
		return fmt.Sprintf("%d values, want %d, and %d columns", len(got), len(want), len(schema.Columns))
	}
	for i, v := range got {
		column := schema.Columns[i]
		if !slices.Contains(c.Approximate, column.Title()) && !sameValue(v, want[i], column) {
			return fmt.Sprintf("column %s (%s): %v (kind %d), want %v (kind %d)",
				column.Title(), column.Type(), v, v.Kind(), want[i], want[i].Kind())
		}
	}
	return ""
}

// sameValue compares by value: a text equals the number that it represents.
func sameValue(got, want pipeline.Value, column pipeline.Column) bool {
	if got.Kind() == want.Kind() && got.String() == want.String() {
		return true
	}
	if got.IsNull() || want.IsNull() {
		return false
	}
	if a, b := got.Array(), want.Array(); a != nil && b != nil {
		same := func(x, y float64) bool { return near.OrNaN(x, y, 0, 3e-7) }
		return slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.Data, b.Data, same)
	}
	x, errX := got.Double()
	y, errY := want.Double()
	switch column.Type() {
	case pipeline.DoubleType:
		return errX == nil && errY == nil && near.OrNaN(x, y, 0, 1e-11)
	case pipeline.FloatType:
		return errX == nil && errY == nil && near.OrNaN(x, y, 0, 3e-7)
	case pipeline.IntegerType, pipeline.LongType, pipeline.TimeType:
		return errX == nil && errY == nil && x == y
	}
	return got.String() == want.String()
}

// spoilsSchema reports defects that change DataVec's schema.
func spoilsSchema(defect string) bool {
	return slices.Contains([]string{"duplicate-names-by-schema-order", "parse-double-other-columns",
		"offset-inplace-schema",
		"window-sum-schema", "reduce-time-schema"}, defect)
}

// compareSchemas compares columns, as JSON.
func compareSchemas(t *testing.T, got *pipeline.Schema, text []byte) {
	t.Helper()
	want, err := pipeline.ParseSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := got.JSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("the columns after the last step are\n%s\nwant\n%s", a, b)
	}
}
