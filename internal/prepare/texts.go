package prepare

import (
	"slices"
	"strings"
)

// maxInterned is the number of distinct texts of which only one copy is kept.
const maxInterned = 10_000

// texts holds a text for each row, in a few bytes a row if there are few distinct texts.
type texts struct {
	all   []string
	at    []uint32 // index in all, for each row
	known map[string]uint32
}

// textsOf returns texts with the texts of a list.
func textsOf(list []string) (t texts) {
	for _, s := range list {
		t.add(s)
	}
	return t
}

// add appends a row's text, and keeps a copy of it.
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

// get returns the text of a row.
func (t *texts) get(row int) string { return t.all[t.at[row]] }

// index returns the first row with a text, or -1.
func (t *texts) index(s string) int {
	if at := slices.Index(t.all, s); at >= 0 {
		return slices.Index(t.at, uint32(at))
	}
	return -1
}

// list returns the text of each row.
func (t *texts) list() []string {
	list := make([]string, len(t.at))
	for row := range list {
		list[row] = t.get(row)
	}
	return list
}
