package joda

import (
	_ "embed" // the names
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// namesTable has a locale per line: "cldr" or "compat", its name, and tab-separated lists of names.
// testdata/Names.java prints it.
//
//go:embed names.txt
var namesTable string

// names are the names of one locale.
type names struct{ months, shortMonths, days, shortDays, halves, eras []string }

// locale has the names that Java prints today (Unicode's CLDR), and those up to Java 8, which are also read.
type locale struct{ now, old names }

// findLocale finds a locale such as "de" or "de_AT". A country without its own table has the table of its language.
func findLocale(id string) (*locale, error) {
	if id == "" {
		id = "en_US"
	}
	id = strings.ReplaceAll(id, "-", "_")
	language, _, _ := strings.Cut(id, "_")
	now, ok := findNames("cldr", id, language)
	if !ok {
		return nil, fmt.Errorf("there are no names of months and days for the locale %q: there are those of %s", id,
			strings.Join(languages(), ", "))
	}
	old, ok := findNames("compat", id, language)
	if !ok {
		old = now
	}
	return &locale{now, old}, nil
}

func findNames(table, id, language string) (names, bool) {
	for _, l := range []string{id, language} {
		prefix := table + "\t" + l + "\t"
		for line := range strings.Lines(namesTable) {
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				var lists [6][]string
				for i, list := range strings.Split(strings.TrimSuffix(rest, "\n"), "\t") {
					lists[i] = strings.Split(list, "|")
				}
				return names{lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]}, true
			}
		}
	}
	return names{}, false
}

func languages() (all []string) {
	for line := range strings.Lines(namesTable) {
		if parts := strings.SplitN(line, "\t", 3); parts[0] == "cldr" && !strings.Contains(parts[1], "_") {
			all = append(all, parts[1])
		}
	}
	return slices.Compact(all)
}

// foldPrefix returns the length of the beginning of text that equals name, regardless of case, or -1. All kinds of
// spaces are equal.
func foldPrefix(text, name string) int {
	n := 0
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || !sameLetter(r, want) {
			return -1
		}
		n += size
	}
	return n
}

func sameLetter(a, b rune) bool {
	return a == b || unicode.ToUpper(a) == unicode.ToUpper(b) || unicode.ToLower(a) == unicode.ToLower(b) ||
		unicode.IsSpace(a) && unicode.IsSpace(b) || isNarrow(a) && unicode.IsSpace(b) || isNarrow(b) && unicode.IsSpace(a)
}

// isNarrow reports whether r is the narrow no-break space, as in "a. m.".
func isNarrow(r rune) bool { return r == '\u202f' }
