package analysis

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/pipeline"
)

// TestDateFormats: the pipeline's step reads texts like each format, and a column is recognised by its texts.
func TestDateFormats(t *testing.T) {
	zone := time.UTC
	for _, f := range dateFormats {
		d := newDates()
		for _, at := range []time.Time{
			time.Date(2021, 3, 4, 0, 0, 0, 0, zone), time.Date(2019, 12, 31, 23, 59, 58, 125_000_000, zone),
			time.Date(2024, 2, 29, 7, 8, 9, 0, zone),
		} {
			text := f.text(at.UnixMilli())
			d.add(text, false)
			ms, ok := f.parse(text)
			if !ok {
				t.Fatalf("%s does not read its own %q", f.pattern, text)
			}
			checkParsed(t, f, text, ms)
		}
		if found := d.found(); len(found) == 0 || dateFormats[found[0]].pattern != f.pattern {
			var names []string
			for _, i := range found {
				names = append(names, dateFormats[i].pattern)
			}
			t.Errorf("texts of %s are found to be %q", f.pattern, names)
		}
	}
}

// checkParsed checks how the pipeline's step reads a text.
func checkParsed(t *testing.T, f dateFormat, text string, ms int64) {
	t.Helper()
	p, err := build([]pipeline.Column{pipeline.StringColumn{Name: "t"}}, false, []any{transform(
		"time.StringToTimeTransform", "columnName", "t", "timeFormat", f.pattern, "timeZone", "UTC", "locale", "en_US")})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Bind()
	if err != nil {
		t.Fatalf("%s: %v", f.pattern, err)
	}
	var got int64
	run := plan.Start(func(i pipeline.Item) error {
		got, err = i.Row[0].Long()
		return err
	})
	if err := run.Push(pipeline.Item{Row: pipeline.Row{pipeline.Text(text)}}); err != nil {
		t.Errorf("%s: %q: %v", f.pattern, text, err)
	} else if got != ms {
		t.Errorf("%s: %q is %d, the pipeline reads %d", f.pattern, text, ms, got)
	}
}

// TestDateZones: times with different offsets, including Z, are instants of one format. Times with and without an
// offset are not, and two of them are named.
func TestDateZones(t *testing.T) {
	texts := []string{"2024-03-31T02:30:00+01:00", "2024-03-31T01:30:00Z", "2024-03-30T20:30:00-05:00"}
	d := newDates()
	for _, text := range texts {
		d.add(text, false)
	}
	found := d.found()
	if len(found) != 1 {
		t.Fatalf("%d formats fit", len(found))
	}
	f := dateFormats[found[0]]
	want := time.Date(2024, 3, 31, 1, 30, 0, 0, time.UTC).UnixMilli()
	for _, text := range texts {
		if ms, _ := f.parse(text); ms != want {
			t.Errorf("%q is %d, want %d", text, ms, want)
		}
		checkParsed(t, f, text, want)
	}
	first, second, ok := severalForms(append(texts, "2024-03-31T01:30:00"))
	if !ok || first != texts[0] || second != "2024-03-31T01:30:00" {
		t.Errorf("several forms: %q, %q, %v", first, second, ok)
	}
	for _, same := range [][]string{texts, {"2024-03-31", "yesterday"}, nil} {
		if _, _, ok := severalForms(same); ok {
			t.Errorf("%q are dates in several forms", same)
		}
	}
}
