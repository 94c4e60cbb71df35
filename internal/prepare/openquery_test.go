package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// twice adds a column with twice the price, so that a feature is left besides the label.
func twice() pipeline.Step {
	return pipeline.DoubleColumnsMath{NewColumn: "twice", Columns: []string{"price", "price"}, Op: pipeline.Add}
}

// oneQuery is an engine on this machine with one query, whose cells are texts in memory.
type oneQuery struct {
	engine.Engine
	columns []engine.Column
	rows    [][]string // "" is NULL
}

func (q *oneQuery) QueryColumns(context.Context, string) ([]engine.Column, error) {
	return q.columns, nil
}

func (q *oneQuery) Query(_ context.Context, of engine.Query) (*engine.Dataset, error) {
	parts := make([][]engine.Row, max(1, of.Partitions))
	for i, cells := range q.rows {
		var row []byte
		for _, p := range of.Pick {
			var text []byte
			for k, c := range q.columns {
				if c == p.Columns[0] && cells[k] != "" {
					text = []byte(cells[k])
				}
			}
			if !p.Text {
				numbers := make([]float32, 0, 3)
				for _, word := range strings.Fields(string(text)) {
					x, _ := strconv.ParseFloat(word, 32)
					numbers = append(numbers, float32(x))
				}
				row = engine.AppendNumbers(row, []int{len(numbers)}, numbers)
				continue
			}
			row = engine.AppendText(row, text)
		}
		parts[i*len(parts)/len(q.rows)] = append(parts[i*len(parts)/len(q.rows)], engine.Unindexed(row))
	}
	return engine.Parallelize(q.Engine, parts), nil
}

func (q *oneQuery) CheckTable(context.Context, engine.TableWrite) error {
	return errors.New("it writes no tables")
}
func (q *oneQuery) WriteTable(context.Context, *engine.Dataset, engine.TableWrite) (int64, error) {
	return 0, errors.New("it writes no tables")
}

// TestOpenQuery: for a query's rows, the proposal and the examples are the same as for a CSV file with the same texts.
// Columns are found in upper or lower case, and the label by its usual names.
func TestOpenQuery(t *testing.T) {
	lines := messyRows(300)
	q := &oneQuery{Engine: onEngine(t, "processes[2]")}
	for _, name := range strings.Split(strings.TrimSpace(messyHeader), ",") {
		q.columns = append(q.columns, engine.Column{Name: strings.ToUpper(name), Type: "string"})
	}
	for _, line := range lines {
		q.rows = append(q.rows, strings.Split(strings.TrimSpace(line), ","))
	}
	header := strings.Replace(strings.ToUpper(messyHeader), "KIND", "Label", 1)
	q.columns[len(q.columns)-1].Name = "Label"
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(header+strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	csv := source.Name{Kind: "csv", Place: path, Settings: map[string]string{"label": "Label", "key": "ID"}}
	query := source.Name{Kind: "sql", Place: "TABLE t", Settings: map[string]string{"keys": "id"}}
	for name, s := range map[string]Settings{
		"all":   {Proposal: median},
		"split": {Proposal: median, Split: Split{Share: 0.7, By: ByGroup, Column: "SITE"}},
	} {
		want, err := Open(t.Context(), csv, s)
		if err != nil {
			t.Fatal(err)
		}
		if s.Split.Column != "" {
			s.Split.Column = "site"
		}
		got, err := OpenOn(t.Context(), q, query, s, distributed.OpenOptions{Partitions: 3})
		if err != nil {
			t.Fatal(err)
		}
		withoutKeys(t, got.Train, want.Train)
		a, _, _ := got.Preparation.Encode()
		b, _, _ := want.Preparation.Encode()
		if string(a) != string(b) || !reflect.DeepEqual(got.Columns, want.Columns) {
			t.Errorf("%s: the proposal for the query is\n%s\nand for a CSV file\n%s", name, a, b)
		}
	}
	csv.Settings["weights"], query.Settings["weights"] = "W", "w"
	want, err := Open(t.Context(), csv, Settings{Proposal: median})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Settings{{Proposal: median}, {Known: want.Preparation}} {
		got, err := OpenOn(t.Context(), q, query, s, distributed.OpenOptions{Partitions: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Train.Info().Weighted {
			t.Error("the examples of the query have no weights")
		}
		withoutKeys(t, got.Train, want.Train)
	}
	query.Settings["weights"] = "none"
	if _, err := OpenOn(t.Context(), q, query, Settings{Proposal: median}, distributed.OpenOptions{}); err == nil ||
		!strings.Contains(err.Error(), `the weights: the query has no column "none"`) {
		t.Errorf("no such column of weights: %v", err)
	}
	delete(query.Settings, "weights")
	q.rows = nil
	var none *distributed.NoRowsError
	if _, err := OpenOn(t.Context(), q, query, Settings{}, distributed.OpenOptions{}); !errors.As(err, &none) {
		t.Errorf("no rows: %v", err)
	}
}

// TestQueryWithArrays: arrays in a query go through a proposed pipeline beside texts, as those in JSON lines do. With
// numbers alone, they are features as they are.
func TestQueryWithArrays(t *testing.T) {
	q := &oneQuery{Engine: onEngine(t, "processes[2]"), columns: []engine.Column{{Name: "emb", Type: "array<float>"},
		{Name: "colour", Type: "string"}, {Name: "vec", Type: "vector"}, {Name: "kind", Type: "string"}}}
	text := ""
	for i := range 60 {
		emb, vec := fmt.Sprint(i%7, " ", 0.5*float64(i%3)), fmt.Sprint(i%2, " ", i%5, " ", i%11)
		colour, kind := []string{"red", "blue"}[i%2], []string{"x", "y", "z"}[i%3]
		q.rows = append(q.rows, []string{emb, colour, vec, kind})
		text += fmt.Sprintf("{\"emb\": [%s], \"colour\": %q, \"vec\": [%s], \"kind\": %q}\n",
			strings.ReplaceAll(emb, " ", ", "), colour, strings.ReplaceAll(vec, " ", ", "), kind)
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	query := source.Name{Kind: "sql", Place: "TABLE t", Settings: map[string]string{"label": "kind"}}
	want, err := Open(t.Context(), source.Name{Kind: "jsonl", Place: path, Settings: query.Settings}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := OpenOn(t.Context(), q, query, Settings{}, distributed.OpenOptions{Partitions: 3})
	if err != nil {
		t.Fatal(err)
	}
	withoutKeys(t, got.Train, want.Train)
	of := func(context.Context) (engine.Engine, error) { return q, nil }
	if raw, err := Raw(t.Context(), query, of); err != nil || !raw {
		t.Errorf("arrays and texts: %v, %v", raw, err)
	}
	q.columns = []engine.Column{{Name: "id", Type: "string"}, {Name: "emb", Type: "array<float>"},
		{Name: "y", Type: "int"}}
	query.Settings = map[string]string{"keys": "ID"}
	if raw, err := Raw(t.Context(), query, of); err != nil || raw {
		t.Errorf("arrays and numbers: %v, %v", raw, err)
	}
}

// withoutKeys compares examples without their keys, which have another form for a query.
func withoutKeys(t *testing.T, got, want source.Source) {
	t.Helper()
	if got.Objects() != want.Objects() {
		t.Fatalf("%d examples, wanted %d", got.Objects(), want.Objects())
	}
	for i := range want.Objects() {
		a, err := got.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := want.Object(i)
		a.Meta, b.Meta, a.LabelNames, b.LabelNames = nil, nil, nil, nil
		if string(data.AppendRow(nil, a)) != string(data.AppendRow(nil, b)) {
			t.Fatalf("example %d: %v, wanted %v", i, a, b)
		}
	}
}
