package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/pipeline"
)

// runRows runs rows through steps and returns the results as text.
func runRows(t *testing.T, columns []pipeline.Column, steps []pipeline.Step, rows ...pipeline.Row) (string, error) {
	t.Helper()
	p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: columns}, Steps: steps}
	items := make([]pipeline.Item, len(rows))
	for i, r := range rows {
		items[i].Row = r
	}
	return runItems(t, p, items...)
}

// runItems runs items through a pipeline after writing and reading it. It returns the results as text: rows in
// brackets, and those of a sequence in another pair.
func runItems(t *testing.T, p pipeline.Pipeline, items ...pipeline.Item) (string, error) {
	t.Helper()
	text, err := p.JSON()
	if err != nil {
		return "", err
	}
	read, err := pipeline.Parse(text)
	if err != nil {
		t.Fatalf("our own JSON is not read: %v\n%s", err, text)
	}
	plan, err := read.Bind()
	if err != nil {
		return "", err
	}
	var out []string
	run := plan.Start(func(i pipeline.Item) error {
		if i.Sequence != nil {
			out = append(out, fmt.Sprint(i.Sequence))
		} else {
			out = append(out, fmt.Sprint(i.Row))
		}
		return nil
	})
	before := cloned(items)
	for _, i := range items {
		if err = run.Push(i); err != nil {
			break
		}
	}
	checkBatches(t, plan, before, out, err)
	if err == nil {
		err = run.Close()
	}
	return strings.Join(out, " "), err
}

func textRows(texts ...string) (rows []pipeline.Row) {
	for _, s := range texts {
		rows = append(rows, pipeline.Row{pipeline.Text(s)})
	}
	return rows
}

// TestParseTime parses texts that DataVec's cases don't have. Years of two digits depend on the present year, so the
// clock is a fake one: no year ends during the test.
func TestParseTime(t *testing.T) { synctest.Test(t, parsesTimes) }

func parsesTimes(t *testing.T) {
	year := time.Now().UTC().Year()
	ms := func(y int, m time.Month, d, h int) string {
		return fmt.Sprint(time.Date(y, m, d, h, 0, 0, 0, time.UTC).UnixMilli())
	}
	pivot := func(y int) string { return fmt.Sprintf("%02d-06-01", y%100) }
	for _, c := range []struct{ format, zone, text, want string }{
		{"YYYY-MM-dd'T'HH", "UTC", "2021-03-04'T'05", ms(2021, 3, 4, 5)}, // a literal 'T' in the text
		{"YYYY-MM-dd'T'HH", "UTC", "\t2021-03-04T05 ", ms(2021, 3, 4, 5)},
		{"YY-MM-dd", "UTC", pivot(year + 19), ms(year+19, 6, 1, 0)},
		{"YY-MM-dd", "UTC", pivot(year - 80), ms(year-80, 6, 1, 0)},
		{"xxxx-ww-e", "UTC", "2020-53-5", ms(2021, 1, 1, 0)},
		{"YYYY-DDD", "UTC", "2020-366", ms(2020, 12, 31, 0)},
		{"HH", "Asia/Tokyo", "9", "0"},
		{"YYYY-MM-dd HH", "Europe/Berlin", "2021-10-31 2", ms(2021, 10, 31, 0)},
		{"YYYY-MM-dd HH Z", "Europe/Berlin", "2021-10-31 2 +0100", ms(2021, 10, 31, 1)},
		{"YYYY-MM-dd HH ZZ", "Europe/Berlin", "2021-03-28 2 +05:00", ms(2021, 3, 27, 21)},
		{"YYYY-MM-dd HH", "+05:30", "1970-01-01 5", "-1800000"},
		{"YYYY-MM-dd HH", "Europe/Berlin", "2021-03-28 2", "does not exist in the zone Europe/Berlin"},
		{"YYYY-MM-dd", "UTC", "2021-02-29", "value 29 for dayOfMonth must be from 1 to 28"},
		{"YYYY-MM-dd", "UTC", "2021-02-2x", `does not match the pattern YYYY-MM-dd from "x" on`},
		{"YYYY-MM-dd", "UTC", "2021-02", "is too short"},
		{"", "UTC", "2018-03-10T01:00:00.0005", ms(2018, 3, 10, 1)},
		{"", "America/New_York", "03/10/2018T01:00:00Z", ms(2018, 3, 10, 1)},
		{"", "UTC", "20180310", ms(2018, 3, 10, 0)},
		{"", "UTC", "1/1/1970 0:0:0.25", "250"},
		{"", "UTC", "10.3.2018", "none of the usual formats"},
	} {
		step := pipeline.StringToTime{Column: "s", Format: c.format, Zone: c.zone}
		got, err := runRows(t, []pipeline.Column{pipeline.StringColumn{Name: "s"}}, []pipeline.Step{step},
			textRows(c.text)...)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != "["+c.want+"]" {
			t.Errorf("%q as %q in %s: %s, %v, want %s", c.text, c.format, c.zone, got, err, c.want)
		}
	}
}

// TestTimeSteps tests refused settings, and derived columns.
func TestTimeSteps(t *testing.T) {
	text := []pipeline.Column{pipeline.StringColumn{Name: "s"}}
	times := []pipeline.Column{pipeline.TimeColumn{Name: "t", Zone: "Europe/Berlin"}, pipeline.StringColumn{Name: "s"}}
	part := func(field string) []pipeline.TimePart {
		return []pipeline.TimePart{{Name: "p", Type: pipeline.IntegerType, Field: &pipeline.TimeField{Name: field}}}
	}
	printed := func(format, zone string) []pipeline.TimePart {
		return []pipeline.TimePart{{Name: "p", Type: pipeline.StringType, Format: format, Zone: zone}}
	}
	at := pipeline.Row{pipeline.Long(1635640200000), pipeline.Text("x")} // 2021-10-31T00:30Z, 2:30 in Berlin
	for _, c := range []struct {
		columns []pipeline.Column
		step    pipeline.Step
		want    string
	}{
		{text, pipeline.StringToTime{Column: "s", Zone: "Mars"}, `there is no time zone "Mars"`},
		{text, pipeline.StringToTime{Column: "s", Format: "d MMM", Locale: "xx_YY", Zone: "UTC"}, `for the locale "xx_YY"`},
		{text, pipeline.TimeMath{Column: "s", Op: "Add", Unit: pipeline.Hours}, "has the type String"},
		{times, pipeline.TimeMath{Column: "t", Op: "Multiply", Unit: pipeline.Hours}, "there are Add, Subtract"},
		{times, pipeline.TimeMath{Column: "t", Op: "ScalarMin", Unit: pipeline.Hours}, "has to be MILLISECONDS"},
		{times, pipeline.TimeMath{Column: "t", Op: "Add", Unit: "WEEKS"}, `no unit of time "WEEKS"`},
		{times, pipeline.TimeMath{Column: "t", Op: "Subtract", Quantity: 1999, Unit: pipeline.Microseconds},
			"[1635640199999 x]"},
		{times, pipeline.TimeMath{Column: "t", Op: "Add", Quantity: 1, Unit: pipeline.Days}, "[1635726600000 x]"},
		{times, pipeline.TimeMath{Column: "t", Op: "ScalarMin", Quantity: 5, Unit: pipeline.Milliseconds}, "[5 x]"},
		{times, pipeline.DeriveFromTime{Column: "t", Columns: part("minuteOfDay")}, "[1635640200000 150 x]"},
		{times, pipeline.DeriveFromTime{Column: "t", Columns: part("weekOfWeekyear"), After: "s"}, "[1635640200000 x 43]"},
		{times, pipeline.DeriveFromTime{Column: "t", Columns: part("moonPhase")}, `no field "moonPhase"`},
		{times, pipeline.DeriveFromTime{Column: "t", Columns: printed("EEEE HH:mm ZZZ", "Asia/Kolkata")},
			"[1635640200000 Sunday 06:00 Asia/Kolkata x]"},
		{times, pipeline.DeriveFromTime{Column: "t", Columns: printed("HH z", "UTC")}, "are not printed"},
		{times, pipeline.DeriveFromTime{Column: "t", Columns: printed("HH", "")}, `no time zone ""`},
	} {
		row := at
		if len(c.columns) == 1 {
			row = at[1:]
		}
		got, err := runRows(t, c.columns, []pipeline.Step{c.step}, append(pipeline.Row(nil), row...))
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%+v: %s, %v, want %s", c.step, got, err, c.want)
		}
	}
}
