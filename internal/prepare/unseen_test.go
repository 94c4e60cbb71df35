package prepare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// TestUnseenValues: values that the training rows lack are counted, and the first places are noted, in the same way on
// all engines.
func TestUnseenValues(t *testing.T) {
	lines := messyRows(600)
	for _, i := range []int{10, 590, 591, 592} {
		f := strings.Split(lines[i], ",")
		f[2], f[3] = fmt.Sprint("new", i), "2027-01-01"
		lines[i] = strings.Join(f, ",")
	}
	n := inFiles(t, lines, 4)
	s := Settings{Proposal: analysis.Options{Missing: analysis.MissingMedian}, Split: Split{Share: 0.9, By: ByTime,
		Column: "when"}}
	want, err := Open(t.Context(), n, s)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, n := range want.Notices {
		if n.Kind == "rows" {
			notes = append(notes, n.Text)
		}
	}
	text := strings.ReplaceAll(strings.Join(notes, "\n"), n.Place, "DIR")
	if text != `column "colour": 4 values were not in the training rows, taken as none of its categories: `+
		`DIR/0.csv:12 "new10"; DIR/3.csv:142 "new590"; DIR/3.csv:143 "new591"; …` {
		t.Error(text)
	}
	for _, e := range []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")} {
		got, err := OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sameResult(t, e.Master(), got, want)
	}
}
