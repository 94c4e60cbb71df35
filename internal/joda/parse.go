package joda

import (
	"fmt"
	"slices"
	"time"
)

// bucket holds the parsed values.
type bucket struct {
	set    []setting
	offset *int64
	zone   *time.Location
}

// setting is a field and its value.
type setting struct {
	field *Field
	value int64
}

func (b *bucket) save(f *Field, v int64) { b.set = append(b.set, setting{f, v}) }

// Parse reads a time. If the text has neither an offset nor a zone, it is local time in zone: an error if the clocks
// skipped it, the earlier instant if it happened twice. Missing fields are those of 1970-01-01T00:00, or of the year
// 2000 if the pattern has a month or a day without a year.
func (p *Pattern) Parse(text string, zone *time.Location) (int64, error) {
	if zone == time.UTC && p.plain != nil {
		if t, ok := p.plainTime(text); ok {
			return t, nil
		}
	}
	b := bucket{zone: zone}
	at := 0
	for _, part := range p.parts {
		n := part.parse(&b, text[at:])
		if n < 0 {
			return 0, p.mismatch(text, at)
		}
		at += n
	}
	if at < len(text) {
		return 0, p.mismatch(text, at)
	}
	t, err := b.local()
	if err != nil {
		return 0, fmt.Errorf("%.60q is not a time: %w", text, err)
	}
	if b.offset != nil {
		return t - *b.offset, nil
	}
	instant, ok := resolve(t, b.zone)
	if !ok {
		return 0, fmt.Errorf("%.60q does not exist in the zone %s: the clocks went forward", text, b.zone)
	}
	return instant, nil
}

func (p *Pattern) mismatch(text string, at int) error {
	if at == len(text) {
		return fmt.Errorf("%.60q is too short for the pattern %s", text, p.text)
	}
	return fmt.Errorf("%.60q does not match the pattern %s from %.20q on", text, p.text, text[at:])
}

// local combines the fields, those with long units first, so that a day is checked in its month.
func (b *bucket) local() (t int64, err error) {
	slices.SortStableFunc(b.set, func(x, y setting) int { return longer(x.field, y.field) })
	if len(b.set) > 0 {
		if unit := b.set[0].field.unit; unit <= month && unit >= day {
			b.save(yearField, 2000)
			return b.local()
		}
	}
	for _, s := range b.set {
		if t, err = s.field.put(t, s.value, true); err != nil {
			return 0, err
		}
	}
	for i, s := range b.set {
		if t, err = s.field.put(t, s.value, i == len(b.set)-1); err != nil {
			return 0, err
		}
	}
	return t, nil
}

// longer orders fields: those with longer spans come first, then those with longer units.
func longer(a, b *Field) int {
	if a.span != b.span {
		switch {
		case a.span == 0:
			return -1
		case b.span == 0:
			return 1
		case a.span > b.span:
			return -1
		}
		return 1
	}
	switch {
	case a.unit > b.unit:
		return -1
	case a.unit < b.unit:
		return 1
	}
	return 0
}

func isDigit(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

func digitsAt(s string, n int) int {
	i := 0
	for i < n && isDigit(s, i) {
		i++
	}
	return i
}

func atoi(digits string) int64 {
	n := int64(0)
	for i := range len(digits) {
		n = n*10 + int64(digits[i]-'0')
	}
	return n
}

func (p number) parse(b *bucket, text string) int {
	i, sign := 0, int64(1)
	if p.signed && text != "" && (text[0] == '-' || text[0] == '+') {
		if i = 1; text[0] == '-' {
			sign = -1
		}
	}
	n := digitsAt(text[i:], min(p.most, 18))
	if n == 0 {
		return -1
	}
	b.save(p.field, sign*atoi(text[i:i+n]))
	return i + n
}

func (p twoDigits) parse(b *bucket, text string) int {
	if p.lenient {
		i := 0
		if text != "" && (text[0] == '-' || text[0] == '+') {
			i = 1
		}
		if n := digitsAt(text[i:], 18); n > 0 && (i > 0 || n != 2) {
			year := number{p.field, 1, 18, true}
			return year.parse(b, text)
		}
	}
	if digitsAt(text, 2) < 2 {
		return -1
	}
	b.save(p.field, p.low+floorMod(atoi(text[:2])-p.low, 100))
	return 2
}

func (p name) parse(b *bucket, text string) int {
	value, longest := 0, -1
	for _, list := range p.read {
		for i, name := range list {
			if n := foldPrefix(text, name); n > longest && name != "" {
				value, longest = i, n
			}
		}
	}
	if longest > 0 {
		b.save(p.field, int64(value)+p.first)
	}
	return longest
}

func (p literal) parse(_ *bucket, text string) int { return foldPrefix(text, string(p)) }

func (p fraction) parse(b *bucket, text string) int {
	n := digitsAt(text, int(p))
	if n == 0 {
		return -1
	}
	ms, unit := int64(0), int64(100)
	for i := range n {
		ms += int64(text[i]-'0') * unit
		unit /= 10
	}
	b.save(millisField, ms)
	return n
}

func (p zoneOffset) parse(b *bucket, text string) int {
	if text != "" && text[0]|0x20 == 'z' {
		b.offset = new(int64)
		return 1
	}
	ms, n := parseOffset(text)
	if n > 0 {
		b.offset = &ms
	}
	return n
}

// parseOffset reads +hh, +hhmm or +hh:mm, optionally with seconds and a fraction. It returns the number of bytes that
// it read, or -1.
func parseOffset(text string) (ms int64, length int) {
	if len(text) < 3 || text[0] != '+' && text[0] != '-' || digitsAt(text[1:], 2) < 2 {
		return 0, -1
	}
	h := atoi(text[1:3])
	if h > 23 {
		return 0, -1
	}
	ms, i := h*hour, 3
	colon := i < len(text) && text[i] == ':'
	for _, unit := range []int64{minute, second} {
		at := i
		if colon {
			if i >= len(text) || text[i] != ':' {
				break
			}
			at++
		}
		n := digitsAt(text[at:], 2)
		if n == 0 && !colon {
			break
		}
		if n < 2 || text[at] > '5' {
			return 0, -1
		}
		ms += atoi(text[at:at+2]) * unit
		if i = at + 2; unit == second {
			fraction, n := offsetFraction(text[i:], colon)
			ms, i = ms+fraction, i+n
		}
	}
	if text[0] == '-' {
		ms = -ms
	}
	return ms, i
}

// offsetFraction reads the fraction of an offset's seconds, in milliseconds.
func offsetFraction(text string, point bool) (ms int64, length int) {
	at := 0
	if point {
		if text == "" || text[0] != '.' && text[0] != ',' {
			return 0, 0
		}
		at = 1
	}
	n := digitsAt(text[at:], 3)
	if n == 0 {
		return 0, 0
	}
	return atoi((text[at:at+n] + "00")[:3]), at + n
}

func (p zoneID) parse(b *bucket, text string) int {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text, n) || text[n] == '/' || text[n] == '_' || text[n] == '+' ||
		text[n] == '-' || text[n] == ':') {
		n++
	}
	for ; n > 0; n-- {
		if z, err := Zone(text[:n]); err == nil {
			b.zone = z
			return n
		}
	}
	return -1
}

// zoneNames are the short names that can be parsed.
var zoneNames = []struct{ name, id string }{{"UTC", "UTC"}, {"UT", "UTC"}, {"GMT", "UTC"}, {"EST", "America/New_York"},
	{"EDT", "America/New_York"}, {"CST", "America/Chicago"}, {"CDT", "America/Chicago"}, {"MST", "America/Denver"},
	{"MDT", "America/Denver"}, {"PST", "America/Los_Angeles"}, {"PDT", "America/Los_Angeles"}}

func (zoneName) parse(b *bucket, text string) int {
	for _, z := range zoneNames {
		if len(text) < len(z.name) || text[:len(z.name)] != z.name {
			continue
		}
		zone, err := Zone(z.id)
		if err != nil {
			return -1
		}
		b.zone = zone
		return len(z.name)
	}
	return -1
}
