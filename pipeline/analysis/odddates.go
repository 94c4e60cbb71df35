package analysis

import (
	"slices"
	"strings"
)

// mostlyDates are dates in one format, with a few other texts.
type mostlyDates struct {
	Time
	odd      int64
	oddTexts []string
	format   int // index in dateFormats
}

// mostlyDates looks for the format of almost all texts; nil if there is none. The order of the texts does not matter.
func (c *texts) mostlyDates(values int64) *mostlyDates {
	if !c.exact() || values < oddOnes {
		return nil
	}
	fails := make([]int64, len(dateFormats))
	left := len(dateFormats)
	for t := range c.counts.each {
		text := strings.TrimSpace(t.text)
		for i, f := range dateFormats {
			if fails[i]*oddOnes > values {
				continue
			}
			if _, ok := f.parse(text); !ok {
				if fails[i] += t.n; fails[i]*oddOnes > values {
					left--
				}
			}
		}
		if left == 0 {
			return nil
		}
	}
	best := slices.Index(fails, slices.Min(fails))
	format := dateFormats[best]
	d := &mostlyDates{Time: Time{Format: format.pattern}, format: best}
	for i, other := range dateFormats {
		if i != best && fails[i] == fails[best] && strings.HasPrefix(format.pattern, "MM/dd") &&
			strings.HasPrefix(other.pattern, "dd/MM") {
			d.dayFirst = true
		}
	}
	var all span
	first := true
	for t := range c.counts.each {
		ms, ok := format.parse(strings.TrimSpace(t.text))
		if !ok {
			d.odd += t.n
			d.oddTexts = note(d.oddTexts, t.text)
			continue
		}
		all.add(span{ms, ms, ms%day != 0}, first)
		first = false
	}
	if len(d.oddTexts) == 0 || len(d.oddTexts) == noted {
		return nil
	}
	d.Min, d.Max, d.Clock = all.min, all.max, all.clock
	return d
}
