package analysis

import (
	"slices"
	"strings"
)

// form is a form of texts, with its first text. If dates in some formats have the form, it also knows the first text of
// the form that is no date in each format.
type form struct {
	form    string
	first   oddity
	formats []int    // indices of date formats
	odd     []oddity // for each of them; empty if all texts fit
}

func newForm(name string, first oddity) form {
	formats := formatsOfForm(name)
	return form{name, first, formats, make([]oddity, len(formats))}
}

// formatsOfForm returns the formats of dates whose texts can have the form. It tries dates of that form, with the year
// in any place.
func formatsOfForm(text string) (formats []int) {
	for year := range 4 { // 3: it has two digits
		for _, i := range formatsOf(sampleOf(text, year)) {
			if !slices.Contains(formats, i) {
				formats = append(formats, i)
			}
		}
	}
	slices.Sort(formats)
	return formats
}

// sampleOf replaces each run of digits of a form by 01, that of the year by 2001, and a fraction of a second by 001.
func sampleOf(text string, year int) string {
	var b strings.Builder
	run, clock := 0, false
	for i := range len(text) {
		switch {
		case text[i] != '0':
			b.WriteByte(text[i])
			clock = clock || text[i] == ':'
			continue
		case run == year:
			b.WriteString("2001")
		case clock && text[i-1] == '.':
			b.WriteString("001")
		default:
			b.WriteString("01")
		}
		run++
	}
	return b.String()
}

// check notes the text of a row if it is no date in a format that fitted all texts before.
func (f *form) check(text string, row int, place func(row int) string) {
	for i, format := range f.formats {
		if f.odd[i].place != "" {
			continue
		}
		if _, ok := dateFormats[format].parse(strings.TrimSpace(text)); !ok {
			f.odd[i] = oddity{strings.Clone(text), place(row)}
		}
	}
}

// merge adds the odd texts of later rows.
func (f *form) merge(o form) {
	for i := range f.odd {
		if f.odd[i].place == "" {
			f.odd[i] = o.odd[i]
		}
	}
}

// oddDate returns one of the texts that a format of dates does not fit, with its place. It is empty if no place is
// known.
func (f *forms) oddDate(format int, texts []string) oddity {
	for _, text := range texts {
		at := f.find(text)
		if at < 0 {
			continue
		}
		odd := f.all[at].first
		if i := slices.Index(f.all[at].formats, format); i >= 0 {
			odd = f.all[at].odd[i]
		}
		if odd.text == text {
			return odd
		}
	}
	return oddity{}
}
