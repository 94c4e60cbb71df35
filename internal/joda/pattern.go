package joda

import (
	"fmt"
	"strings"
	"time"
)

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	text  string
	parts []part
	plain []plainPart // see plainTime; nil if the pattern is not plain
}

// part is a letter group or a literal of a pattern.
type part interface {
	// parse reads the beginning of text into b, and returns the number of bytes that it read, or -1.
	parse(b *bucket, text string) int
	// print appends the part's text for a moment.
	print(to []byte, m moment) []byte
}

// moment is an instant in a zone.
type moment struct {
	local, offset int64
	zone          *time.Location
}

// Compile reads a pattern. locale selects the names of months and days ("de_AT"; "" is en_US); it must be known if the
// pattern has names. Years of two digits lie around now: from 80 years ago to 19 years ahead.
func Compile(pattern, locale string, now time.Time) (*Pattern, error) {
	c := compiler{locale: locale, low: int64(now.Year()) - 80}
	p := &Pattern{text: pattern}
	tokens := tokenize(pattern)
	if len(tokens) == 0 {
		return nil, fmt.Errorf("the pattern of the time is empty; write one such as YYYY-MM-dd HH:mm:ss")
	}
	for i, t := range tokens {
		digits := i+1 < len(tokens) && tokens[i+1].digits()
		part, err := c.part(t, digits)
		if err != nil {
			return nil, fmt.Errorf("time pattern %q: %w", pattern, err)
		}
		p.parts = append(p.parts, part)
	}
	p.plain = p.plainParts()
	return p, nil
}

// token is a run of one letter, or a literal, whose letter is 0.
type token struct {
	letter byte
	n      int
	text   string
}

// digits reports whether the token is written in digits. Then a year before it has as many digits as letters.
func (t token) digits() bool {
	return t.letter != 0 && (strings.IndexByte("cCxyYdhHmsSeDFwWkK", t.letter) >= 0 || t.letter == 'M' && t.n <= 2)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// tokenize splits a pattern. Literals need quotes only if they contain letters; two single quotes are a quote.
func tokenize(pattern string) (tokens []token) {
	for i := 0; i < len(pattern); {
		if c := pattern[i]; isLetter(c) {
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			tokens = append(tokens, token{letter: c, n: n})
			i += n
			continue
		}
		text, n := literalToken(pattern[i:])
		tokens = append(tokens, token{text: text})
		i += n
	}
	return tokens
}

func literalToken(s string) (string, int) {
	var b strings.Builder
	quoted := false
	i := 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte(c)
			i++
		case c == '\'':
			quoted = !quoted
		case !quoted && isLetter(c):
			return b.String(), i
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), i
}

type compiler struct {
	locale string
	low    int64 // the first year that two digits can mean
	names  *locale
}

// numbers are the letters of plain numbers, with their maximum number of digits.
var numbers = map[byte]struct {
	field *Field
	most  int
}{
	'd': {dayField, 2}, 'D': {dayOfYearField, 3}, 'H': {hourField, 2}, 'k': {clockhourField, 2}, 'h': {clockHalfField, 2},
	'K': {halfHourField, 2}, 'm': {minuteField, 2}, 's': {secondField, 2}, 'e': {weekdayField, 1}, 'w': {weekField, 2},
}

func (c *compiler) part(t token, digitsFollow bool) (part, error) {
	if f, ok := numbers[t.letter]; ok {
		return number{field: f.field, least: t.n, most: max(f.most, t.n)}, nil
	}
	switch t.letter {
	case 0:
		return literal(t.text), nil
	case 'C':
		return number{field: centuryField, least: t.n, most: t.n, signed: true}, nil
	case 'y':
		return c.year(yearField, t.n, digitsFollow, true), nil
	case 'Y':
		return c.year(yearOfEraField, t.n, digitsFollow, false), nil
	case 'x':
		return c.year(weekyearField, t.n, digitsFollow, true), nil
	case 'M':
		if t.n < 3 {
			return number{field: monthField, least: t.n, most: 2}, nil
		}
	case 'S':
		return fraction(t.n), nil
	case 'z':
		return zoneName{}, nil
	case 'Z':
		if t.n > 2 {
			return zoneID{}, nil
		}
		return zoneOffset{colon: t.n == 2}, nil
	}
	return c.name(t)
}

func (c *compiler) year(f *Field, n int, digitsFollow, signed bool) part {
	switch {
	case n == 2 && f == yearOfEraField:
		return twoDigits{yearField, c.low, !digitsFollow}
	case n == 2:
		return twoDigits{f, c.low, !digitsFollow}
	case digitsFollow:
		return number{f, n, n, signed}
	}
	return number{f, n, max(9, n), signed}
}

// name returns a part that is written in words.
func (c *compiler) name(t token) (part, error) {
	if strings.IndexByte("MEaG", t.letter) < 0 {
		return nil, fmt.Errorf("the letter %q has no meaning; quote literals: 'T'", t.letter)
	}
	if c.names == nil {
		l, err := findLocale(c.locale)
		if err != nil {
			return nil, err
		}
		c.names = l
	}
	now, old := c.names.now, c.names.old
	p := name{}
	switch t.letter {
	case 'M':
		p = name{monthField, 1, now.shortMonths, [][]string{now.months, now.shortMonths, old.months, old.shortMonths}}
		if t.n > 3 {
			p.printed = now.months
		}
	case 'E':
		p = name{weekdayField, 1, now.shortDays, [][]string{now.days, now.shortDays, old.days, old.shortDays}}
		if t.n > 3 {
			p.printed = now.days
		}
	case 'a':
		p = name{halfdayField, 0, now.halves, [][]string{now.halves, old.halves}}
	case 'G':
		p = name{eraField, 0, now.eras, [][]string{now.eras, old.eras, {"BCE", "CE"}}}
	}
	return p, nil
}
