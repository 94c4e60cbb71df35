package joda

import (
	"compress/gzip"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The years of two digits in the cases come from a program that ran in 2026.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// more are texts that we read and Joda-Time on Java 17 does not: those with names of Java 8. For ZZZ we also read
// offsets.
var more = map[string]bool{"Sa": true, "8 jul": true, "30T11onat o'clock5:05, e.Kr.": true}

// TestCases compares with the real Joda-Time: thousands of random patterns, locales, zones and times, printed and
// parsed, also from damaged texts, and the fields of times. See testdata/README.md.
func TestCases(t *testing.T) {
	f, err := os.Open("testdata/cases.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	patterns := make(map[string]*Pattern)
	zones := make(map[string]*time.Location)
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if c[0] == "fields" {
			testFields(t, c)
			continue
		}
		p, ok := patterns[c[1]+c[2]]
		if !ok {
			if p, err = Compile(c[1], c[2], now); err != nil {
				t.Fatal(err)
			}
			patterns[c[1]+c[2]] = p
		}
		if zones[c[3]] == nil {
			if zones[c[3]], err = Zone(c[3]); err != nil {
				t.Fatal(err)
			}
		}
		if c[0] == "print" {
			ms, _ := strconv.ParseInt(c[4], 10, 64)
			if got := p.Format(ms, zones[c[3]]); got != c[5] {
				t.Errorf("%q: we print %q", c, got)
			}
			continue
		}
		got := "!"
		ms, err := p.Parse(c[4], zones[c[3]])
		if err == nil {
			got = strconv.FormatInt(ms, 10)
		}
		if got != c[5] && (c[5] != "!" || !more[c[4]] && !strings.Contains(c[1], "ZZZ")) {
			t.Errorf("%q: we parse %s (%v)", c, got, err)
		}
	}
}

func testFields(t *testing.T, c []string) {
	zone, err := Zone(c[1])
	if err != nil {
		t.Fatal(err)
	}
	ms, _ := strconv.ParseInt(c[2], 10, 64)
	for _, f := range c[3:] {
		name, value, _ := strings.Cut(f, "=")
		field, err := FieldNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := strconv.FormatInt(field.Of(ms, zone), 10); got != value {
			t.Errorf("%d in %s: %s is %s, want %s", ms, zone, name, got, value)
		}
	}
}

// TestRefuses: invalid patterns, locales and zones are errors.
func TestRefuses(t *testing.T) {
	for _, c := range []struct{ pattern, locale, want string }{
		{"", "en", "is empty"},
		{"YYYY-MM-ddThh", "en", `'T' has no meaning`},
		{"YYYY bb", "en", `'b' has no meaning`},
		{"d MMM", "xx", `for the locale "xx"`},
	} {
		if _, err := Compile(c.pattern, c.locale, now); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.pattern, err)
		}
	}
	if _, err := Compile("YYYY-MM-dd", "xx", now); err != nil {
		t.Errorf("a pattern of digits needs no names: %v", err)
	}
	for _, id := range []string{"", "Local", "Europe/", "Europe/Nowhere", "../x", "+1", "+25:00"} {
		if _, err := Zone(id); err == nil {
			t.Errorf("the zone %q is not refused", id)
		}
	}
}

// TestChanges parses local times that the clocks skip, and those that happen twice.
func TestChanges(t *testing.T) {
	zone, err := Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile("YYYY-MM-dd HH:mm", "", now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse("2021-03-28 02:30", zone); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a skipped time: %v", err)
	}
	ms, err := p.Parse("2021-10-31 02:30", zone)
	if want := time.Date(2021, 10, 31, 0, 30, 0, 0, time.UTC).UnixMilli(); err != nil || ms != want {
		t.Errorf("a time that happens twice: %d, %v, want the earlier one, %d", ms, err, want)
	}
}

// TestOldNames parses German months as Java 8 and Java 17 print them.
func TestOldNames(t *testing.T) {
	p, err := Compile("d. MMM YYYY", "de", now)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"5. Jan. 2021", "5. Jan 2021", "5. jan 2021", "5. Januar 2021"} {
		if ms, err := p.Parse(text, time.UTC); err != nil || ms != 1609804800000 {
			t.Errorf("%s: %d, %v", text, ms, err)
		}
	}
	if got := p.Format(1609804800000, time.UTC); got != "5. Jan. 2021" {
		t.Errorf("printed: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("YYYY-MM-dd'T'HH:mm:ss.SSSZZ", "2021-03-28T02:30:00.5+01:00")
	f.Add("EEE, d MMM yy ZZZ G", "Mon, 5 Jan 21 Europe/Berlin AD")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := Compile(pattern, "de", now)
		if err != nil {
			return
		}
		if ms, err := p.Parse(text, time.UTC); err == nil {
			p.Format(ms, time.UTC)
		}
	})
}
