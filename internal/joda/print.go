package joda

import (
	"fmt"
	"strconv"
	"time"
)

// The parts of patterns.
type (
	// number is a field in digits.
	number struct {
		field       *Field
		least, most int // number of digits
		signed      bool
	}
	// twoDigits is a year of two digits, in the century that begins with low. If lenient, a year with another number
	// of digits is read as it is.
	twoDigits struct {
		field   *Field
		low     int64
		lenient bool
	}
	// name is a field in words: the printed words, and the lists of words that can be parsed.
	name struct {
		field   *Field
		first   int64 // the value of the first name
		printed []string
		read    [][]string
	}
	literal    string
	fraction   int // digits of a fraction of a second
	zoneOffset struct{ colon bool }
	zoneID     struct{}
	zoneName   struct{}
)

// Format prints an instant in a zone.
func (p *Pattern) Format(instant int64, zone *time.Location) string {
	o := offset(instant, zone)
	m := moment{instant + o, o, zone}
	var b []byte
	for _, part := range p.parts {
		b = part.print(b, m)
	}
	return string(b)
}

// Prints refuses a pattern that can only be parsed.
func (p *Pattern) Prints() error {
	for _, part := range p.parts {
		if _, ok := part.(zoneName); ok {
			return fmt.Errorf("time pattern %q: names of time zones (z) are not printed; write Z for the offset, or ZZZ for "+
				"the zone", p.text)
		}
	}
	return nil
}

// padded appends a number with at least n digits.
func padded(to []byte, v int64, n int) []byte {
	if v < 0 {
		to, v = append(to, '-'), -v
	}
	s := strconv.FormatInt(v, 10)
	for i := len(s); i < n; i++ {
		to = append(to, '0')
	}
	return append(to, s...)
}

func (p number) print(to []byte, m moment) []byte { return padded(to, p.field.get(m.local), p.least) }

func (p twoDigits) print(to []byte, m moment) []byte {
	return padded(to, abs(p.field.get(m.local))%100, 2)
}

func (p name) print(to []byte, m moment) []byte {
	return append(to, p.printed[p.field.get(m.local)-p.first]...)
}

func (p literal) print(to []byte, _ moment) []byte { return append(to, p...) }

func (p fraction) print(to []byte, m moment) []byte {
	digits := padded(nil, floorMod(m.local, second), 3)
	for i := range int(p) {
		if i < 3 {
			to = append(to, digits[i])
		} else {
			to = append(to, '0')
		}
	}
	return to
}

func (p zoneOffset) print(to []byte, m moment) []byte {
	o, sign := m.offset, byte('+')
	if o < 0 {
		o, sign = -o, '-'
	}
	to = padded(append(to, sign), o/hour, 2)
	if p.colon {
		to = append(to, ':')
	}
	return padded(to, o%hour/minute, 2)
}

func (zoneID) print(to []byte, m moment) []byte { return append(to, m.zone.String()...) }

func (zoneName) print(to []byte, m moment) []byte { return to }
