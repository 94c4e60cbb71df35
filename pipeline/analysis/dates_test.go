package analysis

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/pipeline"
)

// TestDateFormats: what a format reads here, the pipeline's step reads alike; and a column is recognised by its texts.
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
		if found := d.found(); len(found) == 0 || dateFormats[found[0]].pattern != f.pattern {
			var names []string
			for _, i := range found {
				names = append(names, dateFormats[i].pattern)
			}
			t.Errorf("texts of %s are found to be %q", f.pattern, names)
		}
	}
}
