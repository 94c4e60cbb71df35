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
	return c.many == nil && (len(c.counts.all) > c.limit || c.counts.bytes > c.bytes)
}

// forget switches to an estimate.
func (c *texts) forget() {
	c.many = newDistinct()
	c.each(c.many.add)
	c.counts = textTable{}
}

func (c *texts) each(do func(uint64)) {
	for i := range c.counts.all {
		do(hashText(c.counts.all[i].text))
	}
}

func (c *texts) merge(o *texts) {
	if c.many != nil || o.many != nil {
		c.many = mergeDistinct(c.many, o.many, c.each, o.each)
		c.counts = textTable{}
		return
	}
	for i := range o.counts.all {
		v := &o.counts.all[i]
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
	return int64(len(c.counts.all))
}

// Category is a text with the number of rows that have it.
type Category struct {
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

// frequent lists the texts by frequency, the most frequent first, and equally frequent ones in their order.
func (c *texts) frequent() []Category {
	all := make([]Category, 0, len(c.counts.all))
	for i := range c.counts.all {
		all = append(all, Category{c.counts.all[i].text, c.counts.all[i].n})
	}
	slices.SortFunc(all, func(a, b Category) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return all
}
