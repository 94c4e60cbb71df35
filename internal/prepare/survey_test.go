package prepare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// TestSurveyKeepsDifferentLabels checks that a survey's memory does not grow with the rows, unless a split needs the
// labels of all, and that it still finds the first row without a label.
func TestSurveyKeepsDifferentLabels(t *testing.T) {
	const n = 3 * maxClasses
	lines := []string{"a,few,many"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("%d,%d,%d.5", i, i%3, i))
	}
	lines[n-5] = "1,,"
	name := rows(t, lines...)
	for _, c := range []struct {
		label string
		split Split
		want  int
	}{{"few", Split{}, 4}, {"many", Split{}, maxClasses + 2}, {"few", Split{Share: 0.5}, 4},
		{"few", Split{Share: 0.5, By: Stratified}, 4}} {
		name.Settings = map[string]string{"label": c.label}
		w, err := wantedOf(name)
		if err != nil {
			t.Fatal(err)
		}
		o := &opening{Settings: Settings{Split: c.split}, wanted: w}
		of, err := o.rowOptions(name)
		if err == nil {
			o.table, err = tableOf(t.Context(), name, of)
		}
		if err != nil {
			t.Fatal(err)
		}
		o.reader = o.table
		o.named()
		o.Proposal.Missing = "drop"
		if err := o.survey(); err != nil {
			t.Fatal(err)
		}
		if got := len(o.seen.labels[0]); got != c.want || o.seen.rows != n {
			t.Errorf("%s, parted: %v: %d labels of %d rows are kept, want %d", c.label, o.parted(), got, o.seen.rows, c.want)
		}
		if k, where := o.gap(); k != 0 || !strings.Contains(where, fmt.Sprint(":", n-4, ":")) && !strings.HasSuffix(where,
			fmt.Sprint(":", n-4)) {
			t.Errorf("%s: the first gap is in %q", c.label, where)
		}
	}
}

// TestSplitMemory: a random split keeps nothing for each row. Values that take more memory than allowed are refused,
// but for labels that folds would not go by.
func TestSplitMemory(t *testing.T) {
	lines := []string{"a,x,label"}
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("%d,%d,%d.5", i, i*7%13, i))
	}
	name := rows(t, lines...)
	for _, c := range []struct {
		split, want string
		memory      int64
	}{
		{"0.5", "", 10_000}, {"0.5:time=a", "", 1000},
		{"0.5:group=a", "the different values that rows are split by take more than 0 MB", 10_000},
		{"0.5:group=a", "", 1 << 20},
	} {
		s, err := ParseSplit(c.split)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(t.Context(), name, Settings{Split: s, Memory: c.memory})
		if c.want == "" && (err != nil || r.Train.Objects()+r.HeldOut.Objects() != 300) ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s in %d bytes: %v, want %q", c.split, c.memory, err, c.want)
		}
	}
	s := Settings{Split: Split{Folds: 5}}
	want, err := Open(t.Context(), name, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Memory = 10_000
	if got, err := Open(t.Context(), name, s); err != nil || !slices.Equal(examplesOf(t, got.HeldOut),
		examplesOf(t, want.HeldOut)) {
		t.Errorf("folds in 10,000 bytes hold out other rows: %v", err)
	}
	if s := newSurvey(1, Split{Share: 0.5}, 0); s.split != nil || s.when != nil {
		t.Error("a random split keeps the texts of all rows")
	}
}

// TestSurveyReleased: the counts of a survey do not outlive the proposal of the pipeline.
func TestSurveyReleased(t *testing.T) {
	n := rows(t, "a,kind", "1,x", "2,y", "3,x", "4,y")
	var surveyed, at *table
	_, err := open(n, Settings{}, func(of source.RowOptions) (*table, reader, error) {
		var err error
		at, err = tableOf(t.Context(), n, of)
		return at, &watchedReader{table: at, before: func() {
			if at.profile != nil {
				surveyed = at
			}
		}}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if surveyed == nil || at.profile != nil {
		t.Errorf("after a survey %v, its counts are %v", surveyed, at.profile)
	}
}

// watchedReader calls before when the survey has ended.
type watchedReader struct {
	*table
	before func()
}

func (w *watchedReader) analyse(o *opening) (*analysis.Table, error) {
	w.before()
	return w.table.analyse(o)
}
