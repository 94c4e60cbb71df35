package prepare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// withTexts returns messy rows, some of which have a text in the place of the number. The last tenth is held out.
func withTexts(rows ...int) []string {
	lines := messyRows(600)
	for k, i := range rows {
		f := strings.Split(lines[i], ",")
		f[1], f[3] = fmt.Sprint("n.b.", k), "2027-01-01"
		lines[i] = strings.Join(f, ",")
	}
	for i := 540; i < 600; i++ {
		f := strings.Split(lines[i], ",")
		f[3] = "2027-01-01"
		lines[i] = strings.Join(f, ",")
	}
	return lines
}

// TestTextsHeldOut: texts among numbers are gaps in held-out rows, as in training rows, for up to 1 % of all rows. They
// are counted, and the first places are noted, in the same way on all engines. They do not change the pipeline.
func TestTextsHeldOut(t *testing.T) {
	s := Settings{Proposal: analysis.Options{Missing: analysis.MissingMedian}, Split: Split{Share: 0.9, By: ByTime,
		Column: "when"}}
	clean, err := Open(t.Context(), inFiles(t, withTexts(), 4), s)
	if err != nil {
		t.Fatal(err)
	}
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	for _, missing := range []analysis.Missing{analysis.MissingMedian, analysis.MissingDrop} {
		s.Proposal.Missing = missing
		n := inFiles(t, withTexts(550, 560, 570, 599), 4)
		want, err := Open(t.Context(), n, s)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, notice := range want.Notices {
			if notice.Kind == "rows" {
				text += strings.ReplaceAll(notice.Text, n.Place, "DIR") + "\n"
			}
		}
		if text != `column "size": 4 values were not in the training rows, taken as a gap: DIR/3.csv:102 "n.b.0"; `+
			`DIR/3.csv:112 "n.b.1"; DIR/3.csv:122 "n.b.2"; …`+"\n" {
			t.Error(text)
		}
		if missing == analysis.MissingMedian {
			a, _, _ := want.Preparation.Encode()
			b, _, _ := clean.Preparation.Encode()
			if string(a) != string(b) || want.HeldOut.Objects() != clean.HeldOut.Objects() {
				t.Error("texts in rows that are held out change the pipeline, or the rows")
			}
		}
		for _, e := range engines {
			got, err := OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sameResult(t, e.Master(), got, want)
		}
	}
}

// TestTooManyTextsHeldOut: too many such texts are an error that names the place. If incomplete rows are dropped, or
// gaps are errors, a single text is an error, too. Rows that --bad-rows allows are skipped.
func TestTooManyTextsHeldOut(t *testing.T) {
	s := Settings{Proposal: median, Split: Split{Share: 0.9, By: ByTime, Column: "when"}}
	n := inFiles(t, withTexts(550, 551, 552, 553, 554, 555, 556), 4)
	const want = "more than 1 % of the rows have texts among its numbers"
	_, err := Open(t.Context(), n, s)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `3.csv:108: `) ||
		!strings.Contains(err.Error(), `"n.b.6" is not a number`) {
		t.Error(err)
	}
	_, err = OpenOn(t.Context(), onEngine(t, "processes[2]"), n, s, distributed.OpenOptions{})
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "3.csv:108: ") {
		t.Error(err)
	}
	n.Settings["bad-rows"] = "skip:1"
	r, err := Open(t.Context(), n, s)
	if err != nil || r.HeldOut.Objects() != 59 {
		t.Error(r, err)
	}
}

// TestTextsOnEngines: each worker may find few such texts, while all workers together find too many.
func TestTextsOnEngines(t *testing.T) {
	n := inFiles(t, withTexts(10, 50, 160, 170, 310, 320, 460, 470), 4)
	s := Settings{Proposal: median, Split: Split{Share: 0.8, By: ByTime, Column: "when"}}
	_, err := OpenOn(t.Context(), onEngine(t, "processes[2]"), n, s, distributed.OpenOptions{})
	if err == nil || !strings.Contains(err.Error(), `0.csv:12 "n.b.0": column "size": more than 1 % of the rows`) {
		t.Error(err)
	}
}
