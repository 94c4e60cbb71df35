package source

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// dated writes rows of the days 0 to 39 into a Parquet file with row groups of this size. Each day has 30 rows.
func dated(t *testing.T, group int) Name {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := parquet.NewWriter(file, &pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "day"},
		pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "kind"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.GroupRows = group
	for i := range 1200 {
		if err := w.Write(pipeline.Row{pipeline.Long(int64(i / 30)), pipeline.Double(float64(i)),
			pipeline.Text([]string{"a", "b"}[i%2])}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return Name{Kind: "parquet", Place: path}
}

// TestPreparedPassing: examples, the indices of their rows, and counts do not depend on row groups, which a pipeline's
// first filter may pass over. It also tests reading ahead, keys, and data without labels.
func TestPreparedPassing(t *testing.T) {
	small, large := dated(t, 25), dated(t, 5000)
	p := &Preparation{Task: Classification, Labels: []string{"kind"}, Outputs: []string{"kind"},
		Classes: []string{"a", "b"},
		Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "day"},
			pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "kind"}}},
			Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "day", Op: pipeline.NotInSet,
				Set: []int64{3, 17, 18, 38}}}}}}
	for _, unlabelled := range []bool{false, true} {
		for _, key := range []string{"", "x"} {
			var all []*Prepared
			for _, n := range []Name{small, large} {
				if n.Settings = map[string]string{}; key != "" {
					n.Settings["key"] = key
				}
				s, err := OpenName(t.Context(), n, Options{Preparation: p, Unlabelled: unlabelled})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, s.(*Prepared))
			}
			a, b := all[0], all[1]
			if a.Objects() != 120 || a.Read != 1200 || a.Info().Filtered != 1080 || a.Rows[30] != 17*30 ||
				!slices.Equal(a.Rows, b.Rows) {
				t.Errorf("%d examples of %d rows, %d filtered, of rows %v", a.Objects(), a.Read, a.Info().Filtered, a.Rows)
			}
			of := func(s *Prepared) string { return string(data.AppendRow(nil, s.Range(0, s.Objects()))) }
			if b.Objects() != a.Objects() || b.Read != a.Read || b.Info().Filtered != a.Info().Filtered || of(a) != of(b) {
				t.Errorf("key %q, unlabelled %v: the row groups change the examples", key, unlabelled)
			}
		}
	}
}

// TestPreparedLabelFilter: a filter on the label ignores the label's statistics if labels are not wanted, as another
// value stands in the label's place.
func TestPreparedLabelFilter(t *testing.T) {
	p := &Preparation{Task: Regression, Labels: []string{"day"}, Outputs: []string{"day"}, Absent: []string{"50"},
		Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "day"},
			pipeline.DoubleColumn{Name: "x"}}},
			Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "day",
				Op: pipeline.LessThan, Value: 20}}}}}
	for unlabelled, want := range map[bool]int{false: 600, true: 1200} {
		s, err := OpenName(t.Context(), dated(t, 25), Options{Preparation: p, Unlabelled: unlabelled})
		if err != nil {
			t.Fatal(err)
		}
		if s.Objects() != want {
			t.Errorf("unlabelled %v: %d examples, want %d", unlabelled, s.Objects(), want)
		}
	}
}
