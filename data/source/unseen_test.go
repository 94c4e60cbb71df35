package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline/analysis"
)

// TestUnseenNotes: the number of notices is limited, and workers' notices are joined in order.
func TestUnseenNotes(t *testing.T) {
	var found []Unseen
	for worker := range 3 {
		var part []Unseen
		for c := range 13 {
			u := Unseen{Column: fmt.Sprint("c", c), As: `"other"`}
			for i := range 2 {
				u.add(strings.Repeat("x", 100), func() string { return fmt.Sprintf("%d.csv:%d", worker, i+2) })
			}
			part = append(part, u)
		}
		found = JoinUnseen(found, part)
	}
	notes := unseenNotes(found)
	rest := "18 values in 3 more columns were not in the training rows either"
	if len(notes) != columnsUnseen+1 || notes[columnsUnseen] != rest {
		t.Errorf("%q", notes)
	}
	x := `"` + strings.Repeat("x", 40) + `"`
	if want := `column "c0": 6 values were not in the training rows, taken as "other": 0.csv:2 ` + x + "; 0.csv:3 " + x +
		"; 1.csv:2 " + x + "; …"; notes[0] != want {
		t.Errorf("%s, want\n%s", notes[0], want)
	}
}

// TestUnseenRows: batches, single rows, data in memory and rows of Go values count the same values, also after the
// preparation was stored in a file.
func TestUnseenRows(t *testing.T) {
	p := preparation()
	p.Seen = []analysis.Seen{{Column: "b", Values: []string{"1", "2"}, As: `"1"`}}
	steps, labels, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = DecodePreparation(steps, labels); err != nil {
		t.Fatal(err)
	}
	n := csvName(t, "b,kind,a\n1,x,0.5\n7,y,1\n2,x,2\n8,x,3\n7,y,4\n9,y,5\n")
	rows := make([]map[string]any, 6)
	for i := range rows {
		rows[i] = map[string]any{"a": i, "b": []int{1, 7, 2, 8, 7, 9}[i]}
	}
	want := fmt.Sprintf(`[column "b": 4 values were not in the training rows, taken as "1": `+
		`%s:3 "7"; %[1]s:5 "8"; %[1]s:6 "7"; …]`, n.Place)
	for _, policy := range []string{"fail", "skip:1"} {
		n.Settings = map[string]string{"bad-rows": policy}
		s, err := OpenStream(t.Context(), n, Options{Preparation: p})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = s.Next()
		}
		if got := fmt.Sprint(s.Notes()); got != want {
			t.Errorf("%s: a stream: %s, want\n%s", policy, got, want)
		}
		all, err := OpenName(t.Context(), n, Options{Preparation: p})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(all.Info().Notes); got != want {
			t.Errorf("%s: in memory: %s, want\n%s", policy, got, want)
		}
	}
	m, err := p.RowMaker()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := m.Examples(rows); err != nil {
			t.Fatal(err)
		}
	}
	if found := m.Unseen(); len(found) != 1 || found[0].Values != 8 || found[0].Column != "b" {
		t.Errorf("rows: %+v", found)
	}
}
