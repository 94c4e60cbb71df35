// Package spelling finds the word that a user may have meant.
package spelling

import "strings"

// DidYouMean names what the word may have meant; empty if nothing is near.
func DidYouMean(word string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		if d := levenshtein(strings.ToLower(word), strings.ToLower(k)); d < distance || d == distance && best == "" {
			best, distance = k, d
		}
	}
	if best == "" || distance >= len(strings.TrimLeft(word, "-")) {
		return ""
	}
	return "; did you mean " + best + "?"
}

// levenshtein is the number of letters to insert, remove or replace.
func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
