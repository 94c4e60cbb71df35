package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline/analysis"
)

// TestOddDates: a few texts among dates count as gaps, with a notice that names the first place. They don't make the
// column a text. The order of rows changes nothing.
func TestOddDates(t *testing.T) {
	lines := []string{"when,label\n"}
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("2024-%02d-%02d,%s\n", i%12+1, i%28+1, []string{"a", "b"}[i%2]))
	}
	lines[200], lines[300] = "2024-13-45,a\n", "unknown,b\n"
	for _, place := range []string{"table.csv:201", "table.csv:202"} {
		found := infer(t, strings.Join(lines, ""), analysis.InferOptions{Label: []string{"label"}})
		c := found.Column("when")
		if c.Kind != analysis.TimeKind || c.Odd != 2 || c.Time.Format != "yyyy-MM-dd" ||
			!slices.Equal(c.OddTexts, []string{"2024-13-45", "unknown"}) {
			t.Fatalf("%s with %d odd ones, %v, %+v", c.Kind, c.Odd, c.OddTexts, c.Time)
		}
		if c.OddPlace != place { // although the odd text has the form of dates
			t.Errorf("an odd one is at %s, wanted %s", c.OddPlace, place)
		}
		p, err := analysis.Propose(found, analysis.Options{Label: []string{"label"}})
		if err != nil {
			t.Fatal(err)
		}
		if want := "2 gaps filled with 2024-"; !strings.Contains(p.Columns[0].Reason, want) {
			t.Errorf("%s, wanted %s", p.Columns[0].Reason, want)
		}
		if out := runThrough(t, p.Pipeline, table(strings.Join(lines, ""))); len(out) != 400 {
			t.Errorf("%d rows", len(out))
		}
		slices.Reverse(lines[1:])
	}
	lines = append(lines, slices.Repeat([]string{"later,a\n"}, 3)...)
	if c := infer(t, strings.Join(lines, ""), analysis.InferOptions{}).Column("when"); c.Kind == analysis.TimeKind {
		t.Error("5 of 403 texts that are no dates are gaps")
	}
}
