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
func textsOf(list []string) *texts {
	t := &texts{}
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

// pick returns the texts of some rows.
func (t *texts) pick(rows []uint32) *texts {
	some := &texts{all: t.all}
	for _, row := range rows {
		if t.at == nil {
			some.few = append(some.few, t.few[row])
		} else {
			some.at = append(some.at, t.at[row])
		}
	}
	return some
}

// groups returns the rows of each text, in the order of the texts' first rows. They take four bytes for each row.
func (t *texts) groups() [][]uint32 {
	same := make([]int, len(t.all)) // for each text, the first of those that are equal: see maxInterned
	first := map[string]int{}
	for at, s := range t.all {
		if _, ok := first[s]; !ok {
			first[s] = at
		}
		same[at] = first[s]
	}
	sizes, order := make([]int, len(t.all)), []int(nil)
	for row := range t.rows() {
		of := same[t.number(row)]
		if sizes[of] == 0 {
			order = append(order, of)
		}
		sizes[of]++
	}
	rows, groups := make([]uint32, t.rows()), make([][]uint32, len(t.all))
	for _, of := range order {
		groups[of], rows = rows[:0:sizes[of]], rows[sizes[of]:]
	}
	for row := range t.rows() {
		of := same[t.number(row)]
		groups[of] = append(groups[of], uint32(row))
	}
	sorted := make([][]uint32, len(order))
	for k, of := range order {
		sorted[k] = groups[of]
	}
	return sorted
}

// number returns the index of a row's text.
func (t *texts) number(row int) int {
	if t.at == nil {
		return int(t.few[row])
	}
	return int(t.at[row])
}

// rows returns the number of rows.
func (t *texts) rows() int { return len(t.few) + len(t.at) }

// get returns the text of a row.
func (t *texts) get(row int) string { return t.all[t.number(row)] }

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
