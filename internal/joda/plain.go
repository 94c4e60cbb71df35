package joda

import "strings"

// plainFields are the fields of plain patterns.
var plainFields = [...]*Field{yearField, monthField, dayField, hourField, minuteField, secondField, millisField}

// plainField returns the index of a field in plainFields; −1 for other fields.
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

// plainPart is a part of a plain pattern: a number with a maximum of digits, or a literal.
type plainPart struct {
	field, most int // field is an index in plainFields
	literal     string
}

// plainParts returns the parts of a pattern that consists of literals and, once each and as numbers, a year, a month,
// a day and perhaps the time of the day. It returns nil for other patterns. [Pattern.plainTime] reads such texts.
func (p *Pattern) plainParts() (plain []plainPart) {
	var seen [len(plainFields)]bool
	for _, part := range p.parts {
		switch part := part.(type) {
		case literal:
			plain = append(plain, plainPart{literal: string(part)})
		case number:
			i := plainField(part.field)
			if i < 0 || seen[i] {
				return nil
			}
			seen[i] = true
			plain = append(plain, plainPart{field: i, most: min(part.most, 9)})
		default:
			return nil
		}
	}
	if !seen[0] || !seen[1] || !seen[2] {
		return nil
	}
	return plain
}

// plainTime reads the usual form of a text, as a time in UTC. It returns false for all other texts, wrong or rare.
func (p *Pattern) plainTime(text string) (t int64, ok bool) {
	var values [len(plainFields) + 1]int32 // the last one is for the mask below
	at := 0
	for i := range p.plain {
		part := &p.plain[i]
		if part.most == 0 {
			if n := len(part.literal); n == 1 && at < len(text) && text[at] == part.literal[0] {
				at++
			} else if strings.HasPrefix(text[at:], part.literal) {
				at += n
			} else {
				return 0, false
			}
			continue
		}
		value, from := int32(0), at
		for end := min(at+part.most, len(text)); at < end; at++ {
			c := text[at] - '0'
			if c > 9 {
				break
			}
			value = value*10 + int32(c)
		}
		if n := at - from; n == 0 || n == 9 {
			return 0, false
		}
		values[part.field&7] = value
	}
	y, m, d := values[0], values[1], values[2]
	if at != len(text) || y < 1 || y > 9999 || m < 1 || m > 12 || d < 1 ||
		d > 28 && int64(d) > daysIn(int64(y), int64(m)) || values[3] >= 24 ||
		values[4] >= 60 || values[5] >= 60 || values[6] >= 1000 {
		return 0, false
	}
	millis := int64(values[3])*hour + int64(values[4])*minute + int64(values[5])*second + int64(values[6])
	return dateTime(int64(y), int64(m), int64(d), millis), true
}
