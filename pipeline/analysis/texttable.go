package analysis

import (
	"hash/maphash"
	"strings"
)

// textTable counts texts, with open addressing.
type textTable struct {
	slots  []uint64      // a power of two: the upper half of a text's hash, and its index plus 1; 0 is free
	blocks [][]textCount // all counts, blockLength in each block but the last one
	used   int           // number of counts
	bytes  int           // of all texts
	seed   maphash.Seed
	chunk  strings.Builder // holds the latest texts
}

// blockLength is the number of counts of a block. Blocks stay where they are, so a large table leaves no old copies
// behind when it grows.
const blockLength = 1024

// textCount is the number of times that a text occurs in a column. There may be millions, so it is kept small.
type textCount struct {
	count
	text    string
	x       float64 // the number that the text is
	waiting uint32  // number of occurrences that were only counted: see profile.settle
	read    bool    // number and x are known
	number  bool    // the text is a number
	seen    bool    // the column has processed the text
}

// chunkBytes is the size of memory blocks that texts share.
const chunkBytes = 32 << 10

// at returns the count of a text, which the caller must make positive. It is valid until the next call.
func (t *textTable) at(s string) *textCount {
	if 4*t.used >= 3*len(t.slots) {
		t.grow()
	}
	half := maphash.String(t.seed, s) >> 32
	mask := uint64(len(t.slots) - 1)
	for i := half; ; i++ {
		slot := &t.slots[i&mask]
		if *slot == 0 {
			c := t.next()
			*slot = half<<32 | uint64(t.used)
			c.text = t.keep(s)
			return c
		}
		if *slot>>32 == half {
			if c := t.of(*slot); c.text == s {
				return c
			}
		}
	}
}

// of returns the count of a slot that is not free.
func (t *textTable) of(slot uint64) *textCount {
	i := uint32(slot) - 1
	return &t.blocks[i/blockLength][i%blockLength]
}

// next returns a new count. The first block grows to its length, because most columns have few texts.
func (t *textTable) next() *textCount {
	last := len(t.blocks) - 1
	if t.used%blockLength == 0 {
		var b []textCount
		if last++; last > 0 {
			b = make([]textCount, 0, blockLength)
		}
		t.blocks = append(t.blocks, b)
	}
	t.used++
	b := append(t.blocks[last], textCount{})
	t.blocks[last] = b
	return &b[len(b)-1]
}

// find returns the count of a text; nil if there is none.
func (t *textTable) find(s string) *textCount {
	if t.used == 0 {
		return nil
	}
	half := maphash.String(t.seed, s) >> 32
	mask := uint64(len(t.slots) - 1)
	for i := half; ; i++ {
		slot := t.slots[i&mask]
		if slot == 0 {
			return nil
		}
		if slot>>32 == half {
			if c := t.of(slot); c.text == s {
				return c
			}
		}
	}
}

// each yields all counts, in the order of their first occurrence.
func (t *textTable) each(yield func(*textCount) bool) {
	for _, b := range t.blocks {
		for i := range b {
			if !yield(&b[i]) {
				return
			}
		}
	}
}

func (t *textTable) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]uint64, max(64, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := slot >> 32 & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot
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
