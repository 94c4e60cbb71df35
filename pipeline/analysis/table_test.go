package analysis_test

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// rows is a table in memory with text columns, as from a CSV file.
type rows struct {
	schema *pipeline.Schema
	lines  [][]string
	at     int
}

// table reads lines of cells separated by commas; the first line has the names.
func table(text string) *rows {
	r := &rows{}
	for line := range strings.Lines(text) {
		r.lines = append(r.lines, strings.Split(strings.TrimSuffix(line, "\n"), ","))
	}
	r.schema = textSchema(r.lines[0])
	r.lines = r.lines[1:]
	return r
}

func textSchema(names []string) *pipeline.Schema {
	s := &pipeline.Schema{}
	for _, n := range names {
		s.Columns = append(s.Columns, pipeline.StringColumn{Name: n})
	}
	return s
}

func (r *rows) Schema() *pipeline.Schema { return r.schema }
func (r *rows) Place() string            { return fmt.Sprintf("table.csv:%d", r.at+1) }

func (r *rows) Next() (pipeline.Item, error) {
	if r.at == len(r.lines) {
		return pipeline.Item{}, io.EOF
	}
	r.at++
	return item(r.lines[r.at-1]), nil
}

func item(cells []string) pipeline.Item {
	row := make(pipeline.Row, len(cells))
	for i, s := range cells {
		row[i] = pipeline.Text(s)
	}
	return pipeline.Item{Row: row}
}

func infer(t testing.TB, text string, o analysis.InferOptions) *analysis.Table {
	t.Helper()
	found, err := analysis.Infer(table(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// messy returns a table with every kind of column in 120 rows; row i is in line i+2.
func messy() string {
	var b strings.Builder
	b.WriteString("id,code,when,size,count,colour,ok,note,always,nothing,price,label\n")
	colours := []string{"red", "green", "blue"}
	for i := range 120 {
		size := fmt.Sprintf("%.1f", float64(i*i%37)+0.5)
		if i%10 == 3 {
			size = []string{"", "NA", "?"}[i/10%3]
		}
		colour := colours[i*i%3]
		if i == 50 {
			colour = "mauve"
		}
		price := fmt.Sprint(i * 31 % 97)
		if i == 77 {
			price = "free"
		}
		fmt.Fprintf(&b, "%d,%03d,2024-%02d-%02d,%s,%d,%s,%s,some words about row %d,x,,%s,%s\n", i+1, i%40, i%12+1, i%28+1,
			size, i%7,
			colour, []string{"yes", "no"}[i*i%5%2], i*i, price, []string{"cat", "dog"}[i*i%7%2])
	}
	return b.String()
}

// TestKinds checks the kind of each column of a messy table.
func TestKinds(t *testing.T) {
	found := infer(t, messy(), analysis.InferOptions{Label: []string{"label"}})
	want := map[string]analysis.Kind{
		"id": analysis.Identifier, "code": analysis.Categories, "when": analysis.TimeKind, "size": analysis.DoubleKind,
		"count": analysis.IntegerKind, "colour": analysis.Categories, "ok": analysis.BooleanKind, "note": analysis.FreeText,
		"always": analysis.Constant, "nothing": analysis.Empty, "price": analysis.IntegerKind, "label": analysis.Categories,
	}
	for _, c := range found.Columns {
		if c.Kind != want[c.Name] {
			t.Errorf("column %s is %s, want %s", c.Name, c.Kind, want[c.Name])
		}
	}
	if c := found.Column("size"); c.Gaps != 12 || c.Values != 108 || !reflect.DeepEqual(c.GapTexts, []string{"", "?",
		"NA"}) {
		t.Errorf("size: %+v", c)
	}
	if c := found.Column("price"); c.Odd != 1 || c.OddPlace != "table.csv:79" || c.OddTexts[0] != "free" {
		t.Errorf("price: %+v", c)
	}
	if c := found.Column("when"); c.Time.Format != "yyyy-MM-dd" || c.Time.Clock {
		t.Errorf("when: %+v", c.Time)
	}
}

// TestMixedColumns: for columns treated as text, a notice says why and where, if most users would not want that.
func TestMixedColumns(t *testing.T) {
	var b strings.Builder
	b.WriteString("changes,when,code\n")
	for i := range 100 {
		size, at := fmt.Sprint(i*7%53), fmt.Sprintf("2024-03-%02dT10:00:00Z", i%28+1)
		if i >= 60 {
			size, at = size+" mm", at[:19]
		}
		fmt.Fprintf(&b, "%s,%s,%s\n", size, at, []string{"1", "2", "A"}[i%3])
	}
	found := infer(t, b.String(), analysis.InferOptions{})
	var got []string
	for _, n := range found.Notices {
		got = append(got, n.String())
	}
	want := []string{
		`column "changes" is taken as text: it has 60 numbers and 40 texts, the first at table.csv:62`,
		`column "when" is taken as text: it has dates in several forms, such as "2024-03-01T10:00:00Z" and ` +
			`"2024-03-05T10:00:00"; write them in one`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPartitions: a table in pieces, sent as bytes and merged in order, gives the same result.
func TestPartitions(t *testing.T) {
	for _, text := range []string{messy(), wide()} {
		o := analysis.InferOptions{Label: []string{"label"}, Exact: 1000}
		whole := infer(t, text, o)
		for _, pieces := range []int{2, 3, 17} {
			r := table(text)
			parts := make([]*analysis.Profiler, pieces)
			for i := range parts {
				p, err := analysis.NewProfiler(r.schema, o)
				if err != nil {
					t.Fatal(err)
				}
				for end := len(r.lines) * (i + 1) / pieces; r.at < end; {
					next, _ := r.Next()
					if err := p.Add(next, r.Place); err != nil {
						t.Fatal(err)
					}
				}
				parts[i] = sentBack(t, p, r.schema, o)
			}
			for len(parts) > 1 { // neighbours, like a tree
				var merged []*analysis.Profiler
				for i := 0; i < len(parts); i += 2 {
					if i+1 < len(parts) {
						parts[i].Merge(parts[i+1])
					}
					merged = append(merged, parts[i])
				}
				parts = merged
			}
			if got, want := told(t, parts[0].Table()), told(t, whole); got != want {
				t.Errorf("%d pieces:\n%s\nwant\n%s", pieces, got, want)
			}
		}
	}
}

// sentBack returns a Profiler as another process reads it.
func sentBack(t *testing.T, p *analysis.Profiler, schema *pipeline.Schema, o analysis.InferOptions) *analysis.Profiler {
	t.Helper()
	b, err := p.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	empty := func() *analysis.Profiler {
		p, err := analysis.NewProfiler(schema, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for n := 0; n < len(b); n += 1 + n/20 {
		if err := empty().UnmarshalBinary(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are a Profiler", n, len(b))
		}
	}
	back := empty()
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if again, _ := back.AppendBinary(nil); !slices.Equal(again, b) {
		t.Error("the bytes of what was read are others")
	}
	return back
}

// told returns all findings about a table, and the proposal for it.
func told(t *testing.T, table *analysis.Table) string {
	t.Helper()
	proposal, err := analysis.Propose(table, analysis.Options{Label: []string{"label"}})
	text, failed := json.Marshal([]any{table, proposal, fmt.Sprint(err)})
	if failed != nil {
		t.Fatal(failed)
	}
	return string(text)
}

// TestOrder: except for the place of the first odd value, the order of the rows does not matter.
func TestOrder(t *testing.T) {
	for _, text := range []string{messy(), wide()} {
		o := analysis.InferOptions{Label: []string{"label"}, Exact: 1000}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		slices.Reverse(lines[1:])
		turned, whole := infer(t, strings.Join(lines, "\n")+"\n", o), infer(t, text, o)
		for _, table := range []*analysis.Table{turned, whole} {
			table.Notices = nil
			for i := range table.Columns {
				table.Columns[i].OddPlace = ""
			}
		}
		if got, want := told(t, turned), told(t, whole); got != want {
			t.Errorf("%s\nand from the end\n%s", want, got)
		}
	}
}

// wide has columns with more values than are counted.
func wide() string {
	var b strings.Builder
	b.WriteString("label,a,b\n")
	for i := range 1100 {
		fmt.Fprintf(&b, "%d,%g,%g\n", i*7%13, float64(i*7919%10007)/7, float64(i*2*7919%10007)/7)
	}
	return b.String()
}
