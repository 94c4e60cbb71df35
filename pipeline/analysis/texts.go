package analysis

import (
	"cmp"
	"slices"
)

// textBytes bounds the bytes of distinct texts that a column keeps. Beyond it, only their number is estimated.
const textBytes = 16 << 20

// texts counts texts. If there are too many, it forgets them and estimates the number of distinct ones.
type texts struct {
	limit  int
	bytes  int // of the texts
	counts textTable
	many   *distinct
}

func newTexts(limit, bytes int) *texts { return &texts{limit: limit, bytes: bytes} }

// add adds a text n times. It returns the text's count, which is valid until the next call, or nil if texts are no
// longer counted.
func (c *texts) add(s string, n int64, label uint64) *textCount {
	if c.many != nil {
		c.many.add(hashText(s))
		return nil
	}
	at := c.counts.at(s)
	at.add(n, label)
	return at
}

// full reports whether there are too many texts to count them.
func (c *texts) full() bool {
	return c.many == nil && (c.counts.used > c.limit || c.counts.bytes > c.bytes)
}

// forget switches to an estimate.
func (c *texts) forget() {
	c.many = newDistinct()
	c.each(c.many.add)
	c.counts = textTable{}
}

func (c *texts) each(do func(uint64)) {
	for e := range c.counts.each {
		do(hashText(e.text))
	}
}

func (c *texts) merge(o *texts) {
	if c.many != nil || o.many != nil {
		c.many = mergeDistinct(c.many, o.many, c.each, o.each)
		c.counts = textTable{}
		return
	}
	for v := range o.counts.each {
		if at := c.add(v.text, v.n, v.label); at != nil {
			at.seen = true
		}
		if c.full() {
			c.forget()
		}
	}
}

func (c *texts) exact() bool { return c.many == nil }

func (c *texts) distinct() int64 {
	if c.many != nil {
		return c.many.estimate()
	}
	return int64(c.counts.used)
}

// Category is a text with the number of rows that have it.
type Category struct {
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

// frequent lists the texts by frequency, the most frequent first, and equally frequent ones in their order.
func (c *texts) frequent() []Category {
	all := make([]Category, 0, c.counts.used)
	for e := range c.counts.each {
		all = append(all, Category{e.text, e.n})
	}
	slices.SortFunc(all, func(a, b Category) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return all
}
