package joda

import "strings"

// plainFields are the fields of plain patterns.
var plainFields = [...]*Field{yearField, monthField, dayField, hourField, minuteField, secondField, millisField}

// plainField is the place of a field among these; −1 if it is another one.
func plainField(f *Field) int {
	if f == yearOfEraField {
		f = yearField // of positive years
	}
	for i, g := range plainFields {
		if f == g {
			return i
		}
	}
	return -1
}

// isPlain says whether the pattern has a year, a month, a day and perhaps the time of the day as numbers, once each,
// and literals. [Pattern.plainTime] reads such texts.
func (p *Pattern) isPlain() bool {
	var seen [len(plainFields)]bool
	for _, part := range p.parts {
		switch part := part.(type) {
		case literal:
		case number:
			i := plainField(part.field)
			if i < 0 || seen[i] {
				return false
			}
			seen[i] = true
		default:
			return false
		}
	}
	return seen[0] && seen[1] && seen[2]
}

// plainTime reads the usual form of a text, as a time in UTC. It is false for all others, wrong ones and rare ones.
func (p *Pattern) plainTime(text string) (t int64, ok bool) {
	values := [len(plainFields)]int64{}
	at := 0
	for _, part := range p.parts {
		switch part := part.(type) {
		case literal:
			if !strings.HasPrefix(text[at:], string(part)) {
				return 0, false
			}
			at += len(part)
		case number:
			n := digitsAt(text[at:], min(part.most, 9))
			if n == 0 || n == 9 {
				return 0, false
			}
			values[plainField(part.field)] = atoi(text[at : at+n])
			at += n
		}
	}
	y, m, d := values[0], values[1], values[2]
	if at != len(text) || y < 1 || y > 9999 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m) {
		return 0, false
	}
	for i, limit := range [...]int64{24, 60, 60, 1000} {
		if values[3+i] >= limit {
			return 0, false
		}
	}
	return dateTime(y, m, d, values[3]*hour+values[4]*minute+values[5]*second+values[6]), true
}
