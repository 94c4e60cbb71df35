package analysis

import (
	"slices"
	"strings"
)

// forms holds the forms of a column's texts, while there are few. Texts that differ in their digits only have one form:
// "12 kg" and "7 kg".
type forms struct {
	broken bool // there were too many
	all    []form
}

// mostForms is the largest number of forms, and longestForm that of the bytes of a text with one.
const (
	mostForms   = 16
	longestForm = 64
)

// formOf replaces each run of digits of a text.
func formOf(s string) string {
	var b strings.Builder
	digits := false
	for _, c := range []byte(strings.TrimSpace(s)) {
		if digit := c >= '0' && c <= '9'; !digit {
			b.WriteByte(c)
			digits = false
		} else if !digits {
			b.WriteByte('0')
			digits = true
		}
	}
	return b.String()
}

// add adds the text of a row. counted says that the column's texts are counted, so that odd dates matter.
func (f *forms) add(text string, counted bool, row int, place func(row int) string) {
	if f.broken || place == nil {
		return
	}
	if len(text) > longestForm {
		*f = forms{broken: true}
		return
	}
	at := f.find(text)
	if at < 0 {
		at = len(f.all)
		f.note(newForm(formOf(text), oddity{strings.Clone(text), place(row)}))
	}
	if counted && !f.broken {
		f.all[at].check(text, row, place)
	}
}

// find returns the index of the form of a text, or of a form itself; -1 if it is unknown.
func (f *forms) find(text string) int {
	return slices.IndexFunc(f.all, func(o form) bool { return hasForm(text, o.form) })
}

// hasForm reports whether formOf(s) is the form, without making it.
func hasForm(s, form string) bool {
	s = strings.TrimSpace(s)
	at := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= '0' && c <= '9' {
			if i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
				continue
			}
			c = '0'
		}
		if at == len(form) || form[at] != c {
			return false
		}
		at++
	}
	return at == len(form)
}

func (f *forms) note(o form) {
	if f.all = append(f.all, o); len(f.all) > mostForms {
		*f = forms{broken: true}
	}
}

// merge adds the forms of later rows.
func (f *forms) merge(o *forms) {
	if o.broken {
		*f = forms{broken: true}
	}
	for i := 0; i < len(o.all) && !f.broken; i++ {
		if at := f.find(o.all[i].form); at >= 0 {
			f.all[at].merge(o.all[i])
		} else {
			f.note(o.all[i])
		}
	}
}

// place returns the first place of a text's form; empty if it is unknown.
func (f *forms) place(text string) string {
	if at := f.find(text); at >= 0 {
		return f.all[at].first.place
	}
	return ""
}
