package prepare

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// rows writes lines to a CSV file.
func rows(t *testing.T, lines ...string) source.Name {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := source.Parse("csv:" + path)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func numbers(names ...string) *pipeline.Pipeline {
	p := &pipeline.Pipeline{}
	for _, name := range names {
		p.Initial.Columns = append(p.Initial.Columns, pipeline.DoubleColumn{Name: name})
	}
	return p
}

// TestOpen: the label's column is distinguished from features, classes are found, and rows are split as requested.
func TestOpen(t *testing.T) {
	lines := []string{"a,b,kind"}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("%d,%d,%c", i, i*i, 'x'+rune(i%2)))
	}
	n := rows(t, lines...)
	p := numbers("b", "a")
	p.Initial.Columns = append(p.Initial.Columns, pipeline.StringColumn{Name: "kind"})
	r, err := Open(context.Background(), n, Settings{Pipeline: p, Split: Split{Share: 0.8, By: Stratified}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Preparation
	if got.Task != source.Classification || !slices.Equal(got.Classes, []string{"x", "y"}) {
		t.Errorf("task %s, classes %v", got.Task, got.Classes)
	}
	if r.Train.Objects() != 16 || r.HeldOut.Objects() != 4 {
		t.Errorf("%d and %d rows, want 16 and 4", r.Train.Objects(), r.HeldOut.Objects())
	}
	train, held := r.Train.(source.Table), r.HeldOut.(source.Table)
	all := append(train.Range(0, 16).Features[0].Data, held.Range(0, 4).Features[0].Data...)
	seen := map[float32]bool{}
	for i := 0; i < len(all); i += 2 {
		if seen[all[i+1]] = true; all[i] != all[i+1]*all[i+1] {
			t.Errorf("features %v: b comes first, and is the square of a", all[i:i+2])
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d different rows of 20", len(seen))
	}
}

// TestOpenErrors: errors name the file, the row and the column.
func TestOpenErrors(t *testing.T) {
	labelled := func(names ...string) *pipeline.Pipeline {
		p := numbers(names...)
		p.Initial.Columns = append(p.Initial.Columns, pipeline.StringColumn{Name: "kind"})
		return p
	}
	for _, c := range []struct {
		lines []string
		s     Settings
		want  string
	}{
		{[]string{"a,kind", "1,x", ",y"}, Settings{Pipeline: labelled("a")}, `t.csv:3: column "a": the value is missing`},
		{[]string{"a,kind", "1,x", "no,y"}, Settings{Pipeline: labelled("a")}, `t.csv:3: column "a": "no" is not a number`},
		{[]string{"a,kind", "1,x", "2,y"}, Settings{Pipeline: labelled("z")}, `there is no column "z"`},
		{[]string{"a,kind", "1,x", "2,"}, Settings{Pipeline: labelled("a")}, `t.csv:3: column "kind": the label is missing`},
		{[]string{"a,kind", "1,x", "2,x"}, Settings{Pipeline: labelled("a")}, `a label needs two values`},
		{[]string{"a,kind", "1,x", "2,y", "3,y"}, Settings{Pipeline: labelled("a"),
			Split: Split{Share: .5, By: Stratified}},
			`the class "x" has one row`},
		{[]string{"a,kind", "1,x", "2,y"}, Settings{Pipeline: labelled("a"),
			Split: Split{Share: .5, By: ByTime, Column: "kind"}},
			`column "kind", row 1: "x" is neither a number nor a date`},
	} {
		_, err := Open(context.Background(), rows(t, c.lines...), c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.lines, err, c.want)
		}
	}
}

// TestSplit: every kind of split keeps its promise with each seed, and the same seed selects the same rows.
func TestSplit(t *testing.T) {
	var of, when []string
	for i := range 101 {
		of = append(of, fmt.Sprint(i*i%7))
		when = append(when, fmt.Sprintf("2026-01-%02d", 1+i*13%29))
	}
	for _, text := range []string{"0.8", "0.7:stratified", "0.6:time=when", "0.75:group=g"} {
		s, err := ParseSplit(text)
		if err != nil || s.String() != text {
			t.Fatalf("%s: %v, %v", text, s, err)
		}
		column, sorted := textsOf(of), (*times)(nil)
		if s.By == ByTime {
			column, sorted = textsOf(when), timesOf(t, when)
		}
		for seed := range int64(5) {
			in, out, err := s.rowsOf(t.Context(), len(of), column, sorted, seed)
			if err != nil {
				t.Fatal(err)
			}
			again, _, _ := s.rowsOf(t.Context(), len(of), column, sorted, seed)
			train, held := slices.Collect(in.all), slices.Collect(out.all)
			all := slices.Sorted(slices.Values(slices.Concat(train, held)))
			if len(all) != 101 || len(slices.Compact(all)) != 101 || !slices.Equal(train, slices.Collect(again.all)) {
				t.Errorf("%s: %d rows, or others the second time", text, len(all))
			}
			if share := float64(len(train)) / 101; share < s.Share-0.12 || share > s.Share+0.12 {
				t.Errorf("%s: a share of %.2f", text, share)
			}
			keeps(t, s, column, train, held)
		}
	}
	for _, text := range []string{"", "0", "1", "x", "0.8:", "0.8:when", "0.8:time", "0.8:stratified=x"} {
		if s, err := ParseSplit(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
}

// keeps checks the promise of a split for its parts.
func keeps(t *testing.T, s Split, of *texts, train, held []int) {
	t.Helper()
	values := func(rows []int) map[string]int {
		n := map[string]int{}
		for _, i := range rows {
			n[of.get(i)]++
		}
		return n
	}
	in, out := values(train), values(held)
	for name, n := range in {
		switch {
		case s.By == ByGroup && out[name] > 0:
			t.Errorf("%v: group %s is in both parts", s, name)
		case s.By == Stratified && s.count(n+out[name]) != n:
			t.Errorf("%v: %d of %d rows of class %s", s, n, n+out[name], name)
		case s.By == ByTime:
			for later := range out {
				if later <= name {
					t.Errorf("%v: %s is trained, %s is held out", s, name, later)
				}
			}
		}
	}
}
