package threshold

import (
	"sort"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// addend is what a message moves in a section: by words, or by entries with multiples. Entries count the parameters of
// the network.
type addend struct {
	magnitude          float32
	words              []uint32
	entries, multiples []int32
}

// alike returns how many of the first messages have the same sections, so that addAlike can add them. They have words,
// or are outliers of such messages. It returns 0 if none has words.
func alike(all []*Message) (n int) {
	words := false
	for _, m := range all {
		if m.Form != Scaled || !(scaled{m}).marked() && len(m.Multiples) == 0 || len(m.Sections) != len(all[0].Sections) {
			break
		}
		for i, s := range m.Sections {
			if s.End != all[0].Sections[i].End {
				return known(n, words)
			}
		}
		words = words || (scaled{m}).marked()
		n++
	}
	return known(n, words)
}

func known(n int, words bool) int {
	if !words {
		return 0
	}
	return n
}

// addAlike adds messages that are alike, times sign, to a vector. Each parameter moves in their order. It reads each
// part of the vector once.
func (c *Coder) addAlike(all []*Message, target []float32, sign float32) {
	c.cursors = grow(c.cursors, len(all))
	clear(c.cursors)
	from := 0
	for i, s := range all[0].Sections {
		n := kernels.WordsOf(s.End - from)
		c.addends = c.addends[:0]
		for k, m := range all {
			own, at := m.Sections[i], c.cursors[k]
			if own.Count == 0 {
				continue
			}
			a := addend{magnitude: sign * own.Magnitude}
			if (scaled{m}).marked() {
				a.words = m.Words[at : at+n]
				c.cursors[k] += n
			} else {
				a.entries, a.multiples = m.Entries[at:at+own.Count], m.Multiples[at:at+own.Count]
				c.cursors[k] += own.Count
			}
			c.addends = append(c.addends, a)
		}
		if blocks := blocksOf(s.End - from); len(c.addends) > 0 {
			c.places = grow(c.places, blocks*len(c.addends))
			c.do(blocks, task{x: target[from:s.End], base: from, run: (*Coder).addBlock})
		}
		from = s.End
	}
}

// piece is the number of elements of a block that stay in a first-level cache while several kernels use them.
const piece = 1 << 11

// addBlock adds the addends to a block.
func (c *Coder) addBlock(i int) {
	x, base := c.work.x, c.work.base
	from, end := part(i, len(x))
	next := c.places[i*len(c.addends):][:len(c.addends)] // entries, of each addend
	for k, a := range c.addends {
		next[k] = sort.Search(len(a.entries), func(j int) bool { return int(abs(a.entries[j])) > base+from })
	}
	for ; from < end; from += piece {
		to := min(from+piece, end)
		for k := range c.addends {
			a := &c.addends[k]
			if a.entries == nil {
				c.set.AddBitmap(x[from:to], a.words[from/16:kernels.WordsOf(to)], a.magnitude)
			} else {
				next[k] = a.addEntries(x[:to], base, next[k])
			}
		}
	}
}

// addEntries adds the entries, beginning with number from, that are in x. x begins with element base. It returns the
// number of the first entry after x.
func (a *addend) addEntries(x []float32, base, from int) int {
	for k := from; k < len(a.entries); k++ {
		e := a.entries[k]
		at := int(abs(e)) - 1 - base
		if at >= len(x) {
			return k
		}
		x[at] += a.by(k)
	}
	return len(a.entries)
}

// by returns how far an entry moves its parameter.
func (a *addend) by(k int) float32 {
	by := float32(float32(a.multiples[k]) * a.magnitude)
	if a.entries[k] < 0 {
		return -by
	}
	return by
}
