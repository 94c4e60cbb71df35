package pipeline

import "strings"

// textTable finds the place of a text in a list. For the short lists of steps it is faster than a map, above all where
// a text is in none.
type textTable struct {
	list  []string
	slots []int32        // place in list + 1; 0 is free
	all   map[string]int // in place of slots, where too many of the texts look alike
	first [256]bool      // the first bytes of all texts
	// number says that a text of the list may be that of a finite number.
	number bool
}

// has reports whether the text of a value is in the list. Most numbers need not be printed for that.
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

// may reports whether a text may be in the list. It is fast, and false for most that are not.
func (t *textTable) may(s string) bool { return s == "" || t.first[s[0]] }

// maxProbes is how many slots are looked at for a text.
const maxProbes = 8

// newTextTable makes a table. Of equal texts, the first one is found.
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

// slot is where a text should be, by its length and its first, middle and last byte.
func (t *textTable) slot(s string) int {
	n := len(s)
	if n == 0 {
		return 0
	}
	h := uint32(s[0]) | uint32(s[n-1])<<8 | uint32(s[n/2])<<16 | uint32(n)<<24
	return int(h*0x9e3779b1>>8) & (len(t.slots) - 1)
}

// find is the place of a text, or −1.
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

// numbered are the places of texts in a list; of equal ones, the first.
func numbered(list []string) map[string]int {
	number := make(map[string]int, len(list))
	for i, s := range list {
		if _, twice := number[s]; !twice {
			number[s] = i
		}
	}
	return number
}
