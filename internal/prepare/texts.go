package prepare

import (
	"slices"
	"strings"
)

// maxInterned is how many texts have one copy, however often they stand in the table.
const maxInterned = 10_000

// texts are one for each row, in a few bytes a row where few are different.
type texts struct {
	all   []string
	at    []uint32 // in all, of each row
	known map[string]uint32
}

// textsOf are given texts.
func textsOf(list []string) (t texts) {
	for _, s := range list {
		t.add(s)
	}
	return t
}

// add appends a row's text, of which it keeps a copy.
func (t *texts) add(s string) {
	at, ok := t.known[s]
	if !ok {
		at = uint32(len(t.all))
		s = strings.Clone(s)
		if t.all = append(t.all, s); len(t.known) < maxInterned {
			if t.known == nil {
				t.known = map[string]uint32{}
			}
			t.known[s] = at
		}
	}
	t.at = append(t.at, at)
}

// get is the text of a row.
func (t *texts) get(row int) string { return t.all[t.at[row]] }

// index is the first row with a text; -1 if there is none.
func (t *texts) index(s string) int {
	if at := slices.Index(t.all, s); at >= 0 {
		return slices.Index(t.at, uint32(at))
	}
	return -1
}

// list has the text of each row.
func (t *texts) list() []string {
	list := make([]string, len(t.at))
	for row := range list {
		list[row] = t.get(row)
	}
	return list
}
