package threshold

import "slices"

// The search for a sparse message takes two passes. In the first, every block counts its hits and writes them to its
// own part of the scratch memory, which has room for one element in eight. The counts give the place of each block's
// hits in the message, and show if there are too many. The second pass copies the hits there. It searches the few
// blocks again whose hits had no room. The sent values are subtracted at the end, so a discarded message has not
// changed the residual.

// room is the number of hits for which a block has scratch memory.
const room = block / 8

// find counts the elements of x with |x[i]| ≥ t, after x += u if u is not nil. x[0] is element base. Call take, for a
// base of 0, or collect to get their entries.
func (c *Coder) find(x, u []float32, t float32, base int) (hits int) {
	n := blocksOf(len(x))
	c.starts, c.found, c.seen = grow(c.starts, n+1), grow(c.found, n), grow(c.seen, n)
	c.scratch = grow(c.scratch, n*room)
	c.do(n, task{x: x, u: u, t: t, base: base, run: func(c *Coder, i int) {
		w := &c.work
		from, to := part(i, len(w.x))
		x, dst := w.x[from:to], c.scratch[i*room:(i+1)*room]
		var found, seen int
		if w.u != nil {
			c.add(x, w.u[from:to], 1)
		}
		found, seen = c.set.Find(dst, x, w.t, w.base+from)
		c.found[i], c.seen[i], c.starts[i] = int32(found), int32(seen), found
		if seen < len(x) {
			c.starts[i] += c.set.Count(x[seen:], w.t)
		}
	}})
	for i, h := range c.starts[:n] {
		c.starts[i] = hits
		hits += h
	}
	c.starts[n] = hits
	return hits
}

// take sets the message to the first limit hits of the last find in x, and subtracts them from x.
func (c *Coder) take(m *Message, x []float32, t float32, limit int) {
	n := blocksOf(len(x))
	m.Reset(len(x))
	m.Form, m.Threshold, m.Count = Sparse, t, min(c.starts[n], limit)
	m.Entries = grow(m.Entries, m.Count)
	c.do(n, task{x: x, entries: m.Entries, t: t, run: func(c *Coder, i int) {
		w := &c.work
		dst := w.entries[min(c.starts[i], len(w.entries)):min(c.starts[i+1], len(w.entries))]
		from, to := part(i, len(w.x))
		if found := int(c.found[i]); copy(dst, c.scratch[i*room:i*room+found]) < len(dst) {
			seen := int(c.seen[i])
			c.set.Find(dst[found:], w.x[from+seen:to], w.t, from+seen)
		}
		c.set.AddEntries(w.x, dst, -w.t)
	}})
}

// collect appends the entries of the last find, in x with the same t and base, to those of a message. It returns them.
func (c *Coder) collect(m *Message, x []float32, t float32, base int) []int32 {
	n, before := blocksOf(len(x)), len(m.Entries)
	hits := c.starts[n]
	m.Entries = slices.Grow(m.Entries, hits)[:before+hits]
	own := m.Entries[before:]
	for i := range n {
		dst := own[c.starts[i]:c.starts[i+1]]
		if found := int(c.found[i]); copy(dst, c.scratch[i*room:i*room+found]) < len(dst) {
			from, to := part(i, len(x))
			from += int(c.seen[i])
			c.set.Find(dst[found:], x[from:to], t, base+from)
		}
	}
	return own
}

// bitmap sets the message to the bitmap of x, after x += u if u is not nil, and subtracts it from x.
func (c *Coder) bitmap(m *Message, x, u []float32, t float32) {
	n := blocksOf(len(x))
	m.Reset(len(x))
	m.Form, m.Threshold = Bitmap, t
	m.Words = grow(m.Words, (len(x)+15)/16)
	c.found = grow(c.found, n)
	c.do(n, task{x: x, u: u, words: m.Words, t: t, run: func(c *Coder, i int) {
		w := &c.work
		from, to := part(i, len(w.x))
		if w.u != nil {
			c.add(w.x[from:to], w.u[from:to], 1)
		}
		c.found[i] = int32(c.set.EncodeBitmap(w.words[from/16:(to+15)/16], w.x[from:to], w.t))
	}})
	for _, k := range c.found {
		m.Count += int(k)
	}
}
