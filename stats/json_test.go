package stats

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

func written(t testing.TB, r Run) []byte {
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestJSONBothWays(t *testing.T) {
	east := time.FixedZone("east", 3600)
	for _, r := range []Run{{Events: []Event{}}, {Title: "a \"title\" <0>", Failure: "<no> rows", Events: many(500, 3)},
		{Began: time.Date(2030, 1, 1, 0, 0, 0, 1, east),
			Events: []Event{{WorkerFit, "pärtition <0>", time.Date(2030, 1, 2, 3, 4, 5, 6, east), 0, 0}}}} {
		got, err := ReadJSON(bytes.NewReader(written(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		if got.Title != r.Title || got.Failure != r.Failure || !got.Began.Equal(r.Began) ||
			!slices.EqualFunc(got.Events, r.Events, func(a, b Event) bool {
				same := a.Start.Equal(b.Start)
				a.Start = b.Start
				return same && a == b
			}) {
			t.Errorf("%v became %v", r, got)
		}
	}
	began := time.Date(2026, 1, 2, 15, 4, 4, 500_000_000, time.UTC)
	events := []Event{{WorkerFit, "partition 0", time.Date(2026, 1, 2, 15, 4, 5, 123456789, time.UTC), 1234567, 16}}
	line := `
{"phase":"ParameterAveragingWorkerFitTimesMs","worker":"partition 0","start":"2026-01-02T15:04:05.123456789Z","duration":1234567,"examples":16}
]}
`
	for want, r := range map[string]Run{
		`{"format":"dl4go training statistics","version":3,` + "\n" + `"series":[` + "\n],\n" + `"events":[` + line: {Events: events},
		`{"format":"dl4go training statistics","version":3,"title":"Training of model.zip","began":"2026-01-02T15:04:04.5Z",
"settings":{"batch":"64"},
"series":[
{"name":"loss","iterations":[1,7],"seconds":[0.25,0.5],"values":[0.75,null]}
],
"events":[` + line: {Title: "Training of model.zip", Began: began, Settings: map[string]string{"batch": "64"}, Events: events,
			Series: []Series{{Name: "loss", Iterations: []int{1, 7}, Since: []time.Duration{time.Second / 4, time.Second / 2},
				Values: []float64{0.75, math.NaN()}}}},
	} {
		if text := string(written(t, r)); text != want {
			t.Errorf("written as %s", text)
		}
	}
}

// Errors are typed, and name the byte or the event.
func TestDamagedJSON(t *testing.T) {
	good := string(written(t, Run{Title: "title", Began: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Events: many(3, 1)}))
	second := int64(strings.Index(good, "\n{\"phase") + strings.Index(good[strings.Index(good, "\n{\"phase")+1:],
		"\n{") + 1)
	with := func(old, replacement string) string {
		i := strings.LastIndex(good, old)
		return good[:i] + replacement + good[i+len(old):]
	}
	for name, c := range map[string]struct {
		text, want string
		offset     int64 // -1: any
	}{
		"empty":          {"", "ends too early", 0},
		"an array":       {"[1]", "of another kind", 0},
		"no JSON":        {"\n PK\x03\x04", "of another kind", 2},
		"another JSON":   {`{"a":1}`, `"a" is not a member`, -1},
		"another format": {with(jsonFormat, "x"), "of another kind", -1},
		"a later one":    {with(`"version":3`, `"version":4`), "version 4", -1},
		"cut":            {good[:len(good)/2], "ends too early", -1},
		"cut at the end": {good[:len(good)-3], "ends too early", int64(len(good) - 3)},
		"no events":      {`{"format":"dl4go training statistics","version":1}`, `no "events"`, -1},
		"twice":          {`{"version":1,"version":1}`, "twice", -1},
		"more":           {good + "1", "after top-level value", int64(len(good))},
		"a byte":         {good[:second+5] + "\x00" + good[second+6:], "invalid character", second + 5},
		"phase":          {with(string(MasterFit), "Fit"), `"Fit" is none`, -1},
		"start":          {with("2026-", "1826-"), "year 1826", -1},
		"no time":        {with("2026-", "x"), "parsing time", -1},
		"began":          {with("2025-", "1825-"), "began: the year 1825", -1},
		"title":          {with(`"title":"title"`, `"title":1`), "title: ", -1},
		"long title":     {with(`"title":"`, `"title":"`+strings.Repeat("a", 10_000)), "title: it has 10005 bytes", -1},
		"duration":       {with(`"duration":`, `"duration":-`), "duration", -1},
		"series twice": {with(`"series":[`, `"series":[{"name":"a","iterations":[],"seconds":[],"values":[]},`+
			`{"name":"a","iterations":[],"seconds":[],"values":[]}`), `series[1]`, -1},
		"series of two lengths": {with(`"series":[`, `"series":[{"name":"a","iterations":[1],"seconds":[],"values":[1]}`),
			"the same length", -1},
		"series backwards": {with(`"series":[`, `"series":[{"name":"a","iterations":[2,1],"seconds":[0,0],"values":[1,1]}`),
			"out of order", -1},
		"settings": {with(`"series":[`, `"settings":{"a":1},"series":[`), "settings", -1},
		"text":     {with(`"duration":`, `"duration":"x","examples":`), "duration: string is no", -1},
		"member":   {with(`"duration":`, `"durations":`), "unknown field", -1},
		"worker":   {with(`"master"`, `""`), "worker: a name", -1},
		"too long in all": {strings.Replace(good, `"events":[`+"\n",
			`"events":[`+"\n"+strings.Repeat(`{"phase":"WorkerFlatMapTotalTimeMs","worker":"a","start":"2000-01-01T00:00:00Z","duration":31536000000000000},`, 300), 1),
			"more than 290 years", -1},
	} {
		_, err := ReadJSON(strings.NewReader(c.text))
		var bad *dl4j.FormatError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || bad.Offset < 0 ||
			bad.Offset > int64(len(c.text)) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.offset >= 0 && bad.Offset != c.offset {
			t.Errorf("%s: at offset %d, not %d: %v", name, bad.Offset, c.offset, err)
		}
	}
}

// readable checks that text that can be read is written and read back the same, in every form, and that errors have
// their type.
func readable(t *testing.T, text []byte) bool {
	r, err := ReadJSON(bytes.NewReader(text))
	if err != nil {
		var bad *dl4j.FormatError
		if !errors.As(err, &bad) || bad.Offset < 0 || bad.Offset > int64(len(text)) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		return false
	}
	once := written(t, r)
	again, err := ReadJSON(bytes.NewReader(once))
	if err != nil {
		t.Fatalf("%v of %s", err, once)
	}
	if twice := written(t, again); !bytes.Equal(once, twice) {
		t.Fatalf("%s became %s", once, twice)
	}
	data := newPage(r.Events, Summarize(r.Events))
	if len(data.Start) != len(r.Events) || slices.ContainsFunc(data.Duration, func(d int64) bool { return d < 0 }) {
		t.Fatalf("a page of %d events has %d", len(r.Events), len(data.Start))
	}
	return true
}

func FuzzReadJSON(f *testing.F) {
	f.Add(written(f, Run{Events: many(5, 2)}))
	f.Add([]byte(`{"events":[],"version":1,"format":"dl4go training statistics"}`))
	f.Fuzz(func(t *testing.T, text []byte) { readable(t, text) })
}

// TestReadDamaged reads a file that is damaged in many ways.
func TestReadDamaged(t *testing.T) {
	text := written(t, Run{Title: "title", Began: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Events: many(6, 2)})
	read, n := 0, campaign.Count(500, 3000, 100_000)
	campaign.Record(t).Add(n)
	for i := range n {
		if readable(t, mutate.Bytes(text, uint64(i))) {
			read++
		}
	}
	if read == 0 || read == n {
		t.Errorf("%d of %d damaged files were read", read, n)
	}
}

func TestExport(t *testing.T) {
	dir, run := t.TempDir(), Run{Title: "title", Events: many(100, 2)}
	for name, begin := range map[string]string{"a.HTML": "<!DOCTYPE html>", "a.json": `{"format"`,
		"a.csv": "phase,worker,start,startTime,durationMs,examples\n"} {
		path := filepath.Join(dir, name)
		if err := run.Export(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), begin) {
			t.Errorf("%s begins with %.40q, %v", name, b, err)
		}
	}
	var ending *EndingError
	if err := run.Export(t.Context(), filepath.Join(dir, "a.txt")); !errors.As(err, &ending) {
		t.Errorf("a wrong ending: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was written under a wrong ending")
	}
}

func TestCSV(t *testing.T) {
	var b strings.Builder
	if err := WriteCSV(&b, []Event{{WorkerFit, `a,"b"`, time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC), 1234567, 16}}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	want := []string{string(WorkerFit), `a,"b"`, "2026-01-02T03:04:05.006Z", "1767323045006", "1.235", "16"}
	if err != nil || len(rows) != 2 || !slices.Equal(rows[1], want) {
		t.Errorf("%v, %v", rows, err)
	}
}
