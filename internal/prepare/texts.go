package prepare

import (
	"iter"
	"math"
	"strings"
)

// texts holds a text for each row, in a few bytes a row if there are few distinct texts.
type texts struct {
	all   []string // the distinct ones, in the order of their first rows
	few   []uint8  // index in all, for each row, while there are at most 256 texts
	at    []uint32 // the same if there are more
	known map[string]uint32
	size  int64 // bytes of all and known
	limit int64 // the bytes to take; 0: any
	over  bool  // they would not have been enough: all has the texts until then, and rows have none
}

// textBytes is what a distinct text takes beside its bytes, in all and in known.
const textBytes = 64

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
	if t.over {
		return
	}
	at, ok := t.known[s]
	if !ok {
		at = uint32(len(t.all))
		s = strings.Clone(s)
		if t.known == nil {
			t.known = map[string]uint32{}
		}
		t.all, t.known[s] = append(t.all, s), at
		t.size += textBytes + int64(len(s))
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
	if t.over = t.limit > 0 && t.bytes() > t.limit; t.over {
		t.few, t.at, t.known = nil, nil, nil
	}
}

// bytes returns the memory that the texts take.
func (t *texts) bytes() int64 { return t.size + int64(len(t.few)) + 4*int64(len(t.at)) }

// pick returns the texts of some rows.
func (t *texts) pick(rows iter.Seq[int]) *texts {
	some := &texts{all: t.all}
	for row := range rows {
		if t.at == nil {
			some.few = append(some.few, t.few[row])
		} else {
			some.at = append(some.at, t.at[row])
		}
	}
	return some
}

// group is the rows with a text.
type group struct{ first, rows int }

// groups returns the groups in the order of their first rows, and the number of the group of each distinct text.
func (t *texts) groups() (all []group, of []int) {
	of = make([]int, len(t.all))
	for i := range of {
		of[i] = -1
	}
	for row := range t.rows() {
		k := &of[t.number(row)]
		if *k < 0 {
			*k, all = len(all), append(all, group{first: row})
		}
		all[*k].rows++
	}
	return all, of
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
