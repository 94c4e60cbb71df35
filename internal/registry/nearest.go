package registry

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is the maximum length of names that are compared and shown: a name may come from a damaged file.
const longest = 200

func shorten(name string) string {
	if len(name) <= longest {
		return name
	}
	end := longest
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// Suggest returns "; did you mean X?" for the known name that is nearest to an unknown one, or an empty text if none
// is near. A name is near if at most a third of its letters differ, regardless of case.
func Suggest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	best, least := "", 0
	for _, k := range known {
		if len(k) > longest {
			continue
		}
		a, b := lasts(strings.ToLower(name), strings.ToLower(k))
		d := distance(a, b)
		if d <= max(len(a), len(b))/3 && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// SuggestWord is Suggest for a word that a user typed: up to three letters may differ, but not all of them.
func SuggestWord(word string, known []string) string {
	best, least := "", 4
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); len(word) <= longest && d < least {
			best, least = k, d
		}
	}
	if best == "" || least >= len(strings.TrimLeft(word, "-")) {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// lasts removes the Java package that two names have in common.
func lasts(a, b string) (string, string) {
	if i := strings.LastIndexByte(a, '.') + 1; strings.HasPrefix(b, a[:i]) {
		return a[i:], b[i:]
	}
	return a, b
}

// distance returns the number of edits that turn one text into the other: bytes inserted, removed or replaced, and
// neighbours swapped (Levenshtein, Damerau).
func distance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		older, old, row = old, row, older
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(old[j], row[j], old[j+1]) + 1
			if a[i] == b[j] {
				row[j+1] = old[j]
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
