package analysis

import (
	"cmp"
	"slices"
	"strings"
)

// textBytes is how many bytes of distinct texts a column keeps: beyond it they are only estimated in number.
const textBytes = 16 << 20

// texts counts texts. When there are too many, it forgets them and estimates how many are distinct.
type texts struct {
	limit  int
	bytes  int
	counts map[string]*count
	many   *distinct
}

func newTexts(limit int) *texts { return &texts{limit: limit, counts: map[string]*count{}} }

// add takes n times a text. again says that it was there before: what is not said may have been, too.
func (c *texts) add(s string, n int64, label uint64) (again bool) {
	if c.many != nil {
		c.many.add(hashText(s))
		return false
	}
	if at := c.counts[s]; at != nil {
		at.add(n, label)
		return true
	}
	c.counts[strings.Clone(s)] = &count{n, label}
	if c.bytes += len(s); len(c.counts) > c.limit || c.bytes > textBytes {
		c.many = newDistinct()
		c.each(c.many.add)
		c.counts = nil
	}
	return false
}

func (c *texts) each(do func(uint64)) {
	for s := range c.counts {
		do(hashText(s))
	}
}

func (c *texts) merge(o *texts) {
	if c.many != nil || o.many != nil {
		c.many = mergeDistinct(c.many, o.many, c.each, o.each)
		c.counts = nil
		return
	}
	for s, v := range o.counts {
		c.add(s, v.n, v.label)
	}
}

func (c *texts) exact() bool { return c.many == nil }

func (c *texts) distinct() int64 {
	if c.many != nil {
		return c.many.estimate()
	}
	return int64(len(c.counts))
}

// Category is a text with the number of rows that have it.
type Category struct {
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

// frequent lists the texts, the most frequent ones first, and in their order where they are equally frequent.
func (c *texts) frequent() []Category {
	all := make([]Category, 0, len(c.counts))
	for s, v := range c.counts {
		all = append(all, Category{s, v.n})
	}
	slices.SortFunc(all, func(a, b Category) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return all
}
