package pipeline

import "strings"

// textTable finds the index of a text in a list. For the short lists of steps it is faster than a map, above all if a
// text is not in the list.
type textTable struct {
	list  []string
	slots []int32        // index in list + 1; 0 is free
	all   map[string]int // instead of slots, if too many of the texts have the same hash
	first [256]bool      // marks the first bytes of all texts
	// number says that a text of the list may be the text of a finite number.
	number bool
}

// has reports whether the text of a value is in the list. Most numbers need not be formatted for that.
func (t *textTable) has(v Value) bool {
	switch v.kind {
	case IntegerKind, LongKind:
		if !t.number {
			return false
		}
	case DoubleKind, FloatKind:
		if x := v.real(); !t.number && x-x == 0 {
			return false
		}
	}
	return t.find(v.String()) >= 0
}

// may reports whether a text may be in the list. It is fast, and false for most texts that are not.
func (t *textTable) may(s string) bool { return s == "" || t.first[s[0]] }

// maxProbes is the maximum number of slots that are probed for a text.
const maxProbes = 8

// newTextTable makes a table. Of equal texts, it finds the first.
func newTextTable(list []string) *textTable {
	size := 8
	for size < 4*len(list) {
		size *= 2
	}
	t := &textTable{list: list, slots: make([]int32, size)}
	for _, s := range list {
		if s != "" {
			t.first[s[0]] = true
		}
		digits := strings.TrimPrefix(s, "-")
		t.number = t.number || digits != "" && digits[0] >= '0' && digits[0] <= '9'
	}
	for i, s := range list {
		if t.find(s) >= 0 {
			continue
		}
		at, probes := t.slot(s), 0
		for t.slots[at] != 0 {
			at = (at + 1) & (len(t.slots) - 1)
			probes++
		}
		if probes >= maxProbes {
			t.slots, t.all = nil, numbered(list)
			break
		}
		t.slots[at] = int32(i + 1)
	}
	return t
}

// slot returns the preferred slot of a text, by its length and its first, middle and last byte.
func (t *textTable) slot(s string) int {
	n := len(s)
	if n == 0 {
		return 0
	}
	h := uint32(s[0]) | uint32(s[n-1])<<8 | uint32(s[n/2])<<16 | uint32(n)<<24
	return int(h*0x9e3779b1>>8) & (len(t.slots) - 1)
}

// find returns the index of a text, or −1.
func (t *textTable) find(s string) int {
	if t.all != nil {
		if i, ok := t.all[s]; ok {
			return i
		}
		return -1
	}
	for at := t.slot(s); ; at = (at + 1) & (len(t.slots) - 1) {
		k := t.slots[at]
		if k == 0 {
			return -1
		}
		if t.list[k-1] == s {
			return int(k - 1)
		}
	}
}

// numbered maps texts to their indices in a list; for equal texts, to the first.
func numbered(list []string) map[string]int {
	number := make(map[string]int, len(list))
	for i, s := range list {
		if _, twice := number[s]; !twice {
			number[s] = i
		}
	}
	return number
}
