package console

import (
	"strings"
	"unicode"
)

// Printable returns a text of a file on one line of a terminal, cut to the given number of characters.
func Printable(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(r) {
			r = '·'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Name is Printable for the name of a column, which may be empty.
func Name(s string, most int) string {
	if s == "" {
		return `""`
	}
	return Printable(s, most)
}
