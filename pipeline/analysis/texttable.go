package analysis

import (
	"hash/maphash"
	"strings"
)

// textTable counts texts, with open addressing.
type textTable struct {
	slots []uint64 // a power of two: the upper half of a text's hash, and its index in all plus 1; 0 is free
	all   []textCount
	bytes int // of all texts
	seed  maphash.Seed
	chunk strings.Builder // holds the latest texts
}

// textCount is the number of times that a text occurs in a column.
type textCount struct {
	count
	text    string
	hash    uint64
	waiting int64   // number of occurrences that were only counted: see profile.settle
	read    bool    // the following fields are known
	number  bool    // the text is a number
	x       float64 // that number
	seen    bool    // the column has processed the text
}

// chunkBytes is the size of memory blocks that texts share.
const chunkBytes = 32 << 10

// at returns the count of a text, which the caller must make positive. It is valid until the next call.
func (t *textTable) at(s string) *textCount {
	if 4*len(t.all) >= 3*len(t.slots) {
		t.grow()
	}
	hash := maphash.String(t.seed, s)
	mask := uint64(len(t.slots) - 1)
	for i := hash; ; i++ {
		slot := &t.slots[i&mask]
		if *slot == 0 {
			*slot = hash&^(1<<32-1) | uint64(len(t.all)+1)
			t.all = append(t.all, textCount{text: t.keep(s), hash: hash})
			return &t.all[len(t.all)-1]
		}
		if *slot>>32 == hash>>32 {
			if c := &t.all[uint32(*slot)-1]; c.text == s {
				return c
			}
		}
	}
}

// find returns the count of a text; nil if there is none.
func (t *textTable) find(s string) *textCount {
	if len(t.all) == 0 {
		return nil
	}
	hash := maphash.String(t.seed, s)
	mask := uint64(len(t.slots) - 1)
	for i := hash; ; i++ {
		slot := t.slots[i&mask]
		if slot == 0 {
			return nil
		}
		if slot>>32 == hash>>32 {
			if c := &t.all[uint32(slot)-1]; c.text == s {
				return c
			}
		}
	}
}

// each yields all counts, in the order of their first occurrence.
func (t *textTable) each(yield func(*textCount) bool) {
	for i := range t.all {
		if !yield(&t.all[i]) {
			return
		}
	}
}

func (t *textTable) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint64, max(64, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n := range t.all {
		hash := t.all[n].hash
		i := hash & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = hash&^(1<<32-1) | uint64(n+1)
	}
}

// keep copies a text to shared memory.
func (t *textTable) keep(s string) string {
	t.bytes += len(s)
	if t.chunk.Cap()-t.chunk.Len() < len(s) {
		t.chunk = strings.Builder{}
		t.chunk.Grow(max(chunkBytes, len(s)))
	}
	from := t.chunk.Len()
	t.chunk.WriteString(s)
	return t.chunk.String()[from:]
}
