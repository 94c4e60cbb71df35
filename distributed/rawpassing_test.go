package distributed_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// groupedRows writes 300 rows into a Parquet file with row groups of 10. n counts the rows.
func groupedRows(t *testing.T) source.Name {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := parquet.NewWriter(file, &pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"},
		pipeline.StringColumn{Name: "kind"}, pipeline.DoubleColumn{Name: "w"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.GroupRows = 10
	for i := range 300 {
		row := pipeline.Row{pipeline.Long(int64(i)), pipeline.Text([]string{"x", "y"}[i%2]), pipeline.Double(float64(i % 4))}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return source.Name{Kind: "parquet", Place: path, Settings: map[string]string{"key": "n", "weights": "w"}}
}

// TestRawPassing: workers pass over row groups that a filter removes, with keys and weights, and for some of the rows.
// Examples and counts are those of the driver. A group that is passed over need not be readable.
func TestRawPassing(t *testing.T) {
	p := &source.Preparation{Task: source.Classification, Labels: []string{"kind"}, Outputs: []string{"kind"},
		Classes: []string{"x", "y"},
		Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"},
			pipeline.StringColumn{Name: "kind"}}},
			Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "n",
				Op: pipeline.LessThan, Value: 95}}}}}
	n := groupedRows(t)
	o := source.Options{Preparation: p}
	want, err := source.OpenName(t.Context(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	as, err := p.Wanted(true)
	if err != nil {
		t.Fatal(err)
	}
	table, err := distributed.OpenRaw(t.Context(), onEngine(t, "local[2]"), n, distributed.RawOptions{As: as})
	if err != nil {
		t.Fatal(err)
	}
	var odd []int
	for i := 1; i < 300; i += 2 {
		odd = append(odd, i)
	}
	some, err := table.Only(t.Context(), []int64{300}, slices.Values(odd))
	if err != nil {
		t.Fatal(err)
	}
	s, err := some.Source(t.Context(), distributed.OpenOptions{Options: o, Count: true})
	if err != nil {
		t.Fatal(err)
	}
	if i := s.Info(); i.Examples != 103 || i.Filtered != 47 {
		t.Errorf("of the odd rows, there are %d examples, and %d are filtered", i.Examples, i.Filtered)
	}
	spoiled, err := os.ReadFile(n.Place)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4; i < 60; i++ {
		spoiled[i] ^= 0x5a
	}
	n.Place = filepath.Join(t.TempDir(), "spoiled.parquet")
	if err := os.WriteFile(n.Place, spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	if table, err = distributed.OpenRaw(t.Context(), onEngine(t, "processes[2]"), n,
		distributed.RawOptions{As: as}); err != nil {
		t.Fatal(err)
	}
	s, err = table.Source(t.Context(), distributed.OpenOptions{Options: o, Count: true})
	if err != nil {
		t.Fatal(err)
	}
	if i := s.Info(); i.Examples != 205 || i.Filtered != 95 || !reflect.DeepEqual(rowsOf(t, s), rowsOf(t, want)) {
		t.Errorf("%d examples, %d filtered, or others than the driver's", i.Examples, i.Filtered)
	}
}
