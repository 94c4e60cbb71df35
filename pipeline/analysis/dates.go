package analysis

import (
	"slices"
	"strings"
	"time"
)

// dateFormat is a format of dates or times: DataVec's pattern, and a layout of package time.
type dateFormat struct{ pattern, layout string }

// dateFormats are tried on texts. If several fit all texts of a column, the first is used. There are at most 64.
var dateFormats = formats()

func formats() (all []dateFormat) {
	days := []dateFormat{
		{"yyyy-MM-dd", "2006-1-2"}, {"yyyy/MM/dd", "2006/1/2"}, {"MM/dd/yyyy", "1/2/2006"}, {"dd/MM/yyyy", "2/1/2006"},
		{"dd.MM.yyyy", "2.1.2006"}, {"dd-MM-yyyy", "2-1-2006"}, {"MM/dd/yy", "1/2/06"}, {"dd/MM/yy", "2/1/06"},
		{"dd MMM yyyy", "2 Jan 2006"}, {"dd-MMM-yyyy", "2-Jan-2006"}, {"MMM dd, yyyy", "Jan 2, 2006"},
		{"dd MMMM yyyy", "2 January 2006"}, {"MMMM dd, yyyy", "January 2, 2006"},
	}
	clocks := []dateFormat{
		{"", ""}, {" HH:mm", " 15:04"}, {" HH:mm:ss", " 15:04:05"}, {" HH:mm:ss.SSS", " 15:04:05.000"},
	}
	for _, d := range days {
		for _, c := range clocks {
			all = append(all, dateFormat{d.pattern + c.pattern, d.layout + c.layout})
		}
	}
	for _, f := range []dateFormat{
		{"HH:mm", "15:04"}, {"HH:mm:ss", "15:04:05"}, {"HH:mm:ss.SSS", "15:04:05.000"}, {"HH:mm:ss'Z'", "15:04:05Z"},
		{"HH:mm:ss.SSS'Z'", "15:04:05.000Z"}, {"HH:mm:ssZZ", "15:04:05Z07:00"}, {"HH:mm:ss.SSSZZ", "15:04:05.000Z07:00"},
	} {
		all = append(all, dateFormat{"yyyy-MM-dd'T'" + f.pattern, "2006-1-2T" + f.layout})
	}
	return append(all, dateFormat{"yyyy-MM-dd HH:mm:ssZZ", "2006-1-2 15:04:05Z07:00"},
		dateFormat{"yyyy-MM-dd HH:mm:ss.SSSZZ", "2006-1-2 15:04:05.000Z07:00"})
}

// dates tries formats on the texts of a column, and keeps those that fit all of them.
type dates struct {
	dead  []bool
	left  int
	tried int64
	spans []span
}

// span is the first and the last of some instants, in milliseconds, and whether any is not at midnight.
type span struct {
	min, max int64
	clock    bool
}

const day = 24 * 60 * 60 * 1000

func newDates() *dates {
	return &dates{dead: make([]bool, len(dateFormats)), left: len(dateFormats), spans: make([]span, len(dateFormats))}
}

// add adds a text. again says that the same text was added before.
func (d *dates) add(s string, again bool) {
	if d.left == 0 {
		return
	}
	if again {
		d.again(1)
		return
	}
	s = strings.TrimSpace(s)
	if len(s) < 6 || len(s) > 35 || !strings.ContainsAny(s, "0123456789") {
		d.fail()
		return
	}
	for i, f := range dateFormats {
		if d.dead[i] {
			continue
		}
		ms, ok := f.parse(s)
		if !ok {
			d.dead[i] = true
			d.left--
			continue
		}
		d.spans[i].add(span{ms, ms, ms%day != 0}, d.tried == 0)
	}
	d.tried++
}

// again adds a text n times that was added before.
func (d *dates) again(n int64) {
	if d.left > 0 {
		d.tried += n
	}
}

func (d *dates) fail() {
	d.left = 0
	for i := range d.dead {
		d.dead[i] = true
	}
}

func (s *span) add(o span, first bool) {
	if first {
		*s = o
		return
	}
	*s = span{min(s.min, o.min), max(s.max, o.max), s.clock || o.clock}
}

func (d *dates) merge(o *dates) {
	for i := range d.dead {
		if o.dead[i] && !d.dead[i] {
			d.dead[i] = true
			d.left--
		}
		if !d.dead[i] && o.tried > 0 {
			d.spans[i].add(o.spans[i], d.tried == 0)
		}
	}
	d.tried += o.tried
}

// found returns the formats that fit all texts. There is at least one text.
func (d *dates) found() (fit []int) {
	for i, dead := range d.dead {
		if !dead && d.tried > 0 {
			fit = append(fit, i)
		}
	}
	return fit
}

// severalForms detects texts that are all dates, although no single format fits them all. It returns two that differ.
// ok is false for other texts.
func severalForms(texts []string) (first, second string, ok bool) {
	var fit []int
	for _, s := range texts {
		s = strings.TrimSpace(s)
		of := formatsOf(s)
		if len(of) == 0 {
			return "", "", false
		}
		if fit == nil {
			first, fit = s, of
			continue
		}
		fit = slices.DeleteFunc(fit, func(i int) bool { return !slices.Contains(of, i) })
		if second == "" && len(fit) == 0 {
			second = s
		}
	}
	return first, second, second != ""
}

// formatsOf returns the formats that fit a text.
func formatsOf(s string) (fit []int) {
	if len(s) < 6 || len(s) > 35 {
		return nil
	}
	for i, f := range dateFormats {
		if _, ok := f.parse(s); ok {
			fit = append(fit, i)
		}
	}
	return fit
}

// parse reads a text in the format. It refuses fractions that the layout does not have, which package time would
// accept.
func (f dateFormat) parse(s string) (ms int64, ok bool) {
	if strings.Count(s, ".") != strings.Count(f.layout, ".") {
		return 0, false
	}
	t, err := time.Parse(f.layout, s)
	return t.UnixMilli(), err == nil
}

// text formats an instant.
func (f dateFormat) text(ms int64) string {
	layout := strings.NewReplacer("2006-1-2", "2006-01-02", "2006/1/2", "2006/01/02", "1/2/", "01/02/", "2/1/", "02/01/",
		"2.1.", "02.01.", "2-1-", "02-01-", "Z07:00", "-07:00").Replace(f.layout)
	return time.UnixMilli(ms).UTC().Format(layout)
}
