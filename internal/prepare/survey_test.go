package prepare

import (
	"fmt"
	"strings"
	"testing"
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
	}{{"few", Split{}, 4}, {"many", Split{}, maxClasses + 2}, {"few", Split{Share: 0.5}, n}} {
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
		if got := o.seen.labels[0].rows(); got != c.want || o.seen.rows != n {
			t.Errorf("%s, parted: %v: %d labels of %d rows are kept, want %d", c.label, o.parted(), got, o.seen.rows, c.want)
		}
		if k, where := o.gap(); k != 0 || !strings.Contains(where, fmt.Sprint(":", n-4, ":")) && !strings.HasSuffix(where,
			fmt.Sprint(":", n-4)) {
			t.Errorf("%s: the first gap is in %q", c.label, where)
		}
	}
}
