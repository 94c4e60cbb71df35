package prepare

import (
	"math"
	"slices"
	"strings"
)

// maxInterned is the number of distinct texts of which only one copy is kept.
const maxInterned = 10_000

// texts holds a text for each row, in a few bytes a row if there are few distinct texts.
type texts struct {
	all   []string
	few   []uint8  // index in all, for each row, while there are at most 256 texts
	at    []uint32 // the same if there are more
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
	switch {
	case t.at != nil:
		t.at = append(t.at, at)
	case at <= math.MaxUint8:
		t.few = append(t.few, uint8(at))
	default:
		for _, of := range t.few {
			t.at = append(t.at, uint32(of))
		}
		t.few, t.at = nil, append(t.at, at)
	}
}

// rows returns the number of rows.
func (t *texts) rows() int { return len(t.few) + len(t.at) }

// get returns the text of a row.
func (t *texts) get(row int) string {
	if t.at == nil {
		return t.all[t.few[row]]
	}
	return t.all[t.at[row]]
}

// index returns the first row with a text, or -1.
func (t *texts) index(s string) int {
	at := slices.Index(t.all, s)
	switch {
	case at < 0:
		return -1
	case t.at == nil:
		return slices.Index(t.few, uint8(at))
	}
	return slices.Index(t.at, uint32(at))
}

// list returns the text of each row.
func (t *texts) list() []string {
	list := make([]string, t.rows())
	for row := range list {
		list[row] = t.get(row)
	}
	return list
}
