package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
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
		pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "kind"}, pipeline.DoubleColumn{Name: "w"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.GroupRows = group
	for i := range 1200 {
		if err := w.Write(pipeline.Row{pipeline.Long(int64(i / 30)), pipeline.Double(float64(i)),
			pipeline.Text([]string{"a", "b"}[i%2]), pipeline.Double(float64(i % 3))}); err != nil {
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

// spoil makes the pages of a file's first row group unreadable.
func spoil(t *testing.T, n Name) {
	t.Helper()
	b, err := os.ReadFile(n.Place)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4; i < 60; i++ {
		b[i] ^= 0x5a
	}
	if err := os.WriteFile(n.Place, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPreparedPassing: examples, the indices of their rows, counts and notes do not depend on row groups, which a
// pipeline's first filter may pass over. It also tests reading ahead, keys, weights, new values, and data without
// labels. The first small group can't be read, so the test fails if it is.
func TestPreparedPassing(t *testing.T) {
	small, large := dated(t, 25), dated(t, 5000)
	spoil(t, small)
	p := &Preparation{Task: Classification, Labels: []string{"kind"}, Outputs: []string{"kind"},
		Classes: []string{"a", "b"},
		Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "day"},
			pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "kind"}}},
			Steps: []pipeline.Step{pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "day", Op: pipeline.NotInSet,
				Set: []int64{3, 17, 18, 38}}}}}}
	for _, unlabelled := range []bool{false, true} {
		for _, settings := range []map[string]string{nil, {"key": "x"}, {"weights": "w"}, {"seen": "day"}} {
			p.Seen = nil
			if of := settings["seen"]; of != "" {
				p.Seen, settings = []analysis.Seen{{Column: of, Values: []string{"3", "17"}, As: "news"}}, nil
			}
			var all []*Prepared
			for _, n := range []Name{small, large} {
				n.Settings = settings
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
			of := func(s *Prepared, n Name) string {
				return strings.ReplaceAll(strings.Join(s.Info().Notes, "\n"), n.Place, "") +
					string(data.AppendRow(nil, s.Range(0, s.Objects())))
			}
			if b.Objects() != a.Objects() || b.Read != a.Read || b.Info().Filtered != a.Info().Filtered ||
				of(a, small) != of(b, large) {
				t.Errorf("%v, unlabelled %v: the row groups change the examples", settings, unlabelled)
			}
			if p.Seen != nil && !strings.Contains(strings.Join(a.Info().Notes, ""), "60 values") {
				t.Errorf("new values: %v", a.Info().Notes)
			}
		}
	}
}

// TestRemovedRowNeedsNoKey: a row that the pipeline removes may lack its key and its weight, in any kind of data.
func TestRemovedRowNeedsNoKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	p := &Preparation{Task: Regression, Labels: []string{"y"}, Outputs: []string{"y"},
		Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "x"},
			pipeline.DoubleColumn{Name: "y"}}},
			Steps: []pipeline.Step{pipeline.RemoveInvalid{Columns: []string{"x"}}}}}
	n := Name{Kind: "csv", Place: path, Settings: map[string]string{"key": "id", "weights": "w"}}
	for text, want := range map[string]string{
		"id,w,x,y\na,1,1,2\n,,none,3\nb,2,2,3\n": "",
		"id,w,x,y\na,1,1,2\n,1,1,3\n":            `t.csv:3: column "id": the key is missing`,
		"id,w,x,y\na,1,1,2\nb,,1,3\n":            `t.csv:3: column "w": the weight is missing`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenName(t.Context(), n, Options{Preparation: p})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, wanted %q", text, err, want)
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
