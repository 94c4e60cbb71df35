package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// Embed says which columns become category numbers, for a network that learns a vector for each category.
type Embed struct {
	// All selects every column that looks like categories.
	All bool
	// Columns are selected whatever they look like.
	Columns []string
}

// DefaultEmbedded is the number of categories of an embedded column that are distinguished.
const DefaultEmbedded = 10_000

// embeds reports whether a column becomes category numbers.
func (o Options) embeds(c *Column) bool {
	return o.Embed.All && c.Kind == Categories || slices.Contains(o.Embed.Columns, c.Name)
}

// embed plans a column whose categories become numbers from 0, in their order as texts. Categories with one row are
// rare: they share the number of "other" with unknown ones. If there are no rare ones, unknown ones count as the most
// frequent category, because the vector of "other" would never be trained.
func (b *proposer) embed(c *Column) {
	if c.texts == nil {
		b.leave(c, Refuse,
			fmt.Sprintf("about %d different values are too many to learn a vector for each; leave the column out",
				c.Distinct))
		return
	}
	all := c.texts.frequent()
	most := cmp.Or(b.options.MaxCategories, DefaultEmbedded)
	var names []string
	for _, f := range all[:min(most, len(all))] {
		if f.Count > 1 {
			names = append(names, f.Text)
		}
	}
	if len(names) == 0 {
		b.leave(c, Refuse, "no value is in two rows, so there is nothing to learn of it; leave the column out")
		return
	}
	frequent := names[0]
	slices.Sort(names)
	reason := fmt.Sprintf("%d categories, embedded", len(names))
	rare := len(all) - len(names)
	other := unused("other", names)
	var steps []any
	if n := c.gaps(); n > 0 && b.options.Missing != MissingDrop {
		missing := unused("missing", names)
		steps = append(steps, replace(c.Name, missing, c.isGap(b.table)))
		names = append(names, missing)
		reason += fmt.Sprintf("; %s as a category", counted(n, "gap"))
	}
	unknown := other
	if rare == 0 {
		unknown = frequent
	}
	steps = append(steps, transform("string.MapAllStringsExceptListTransform", "columnName", c.Name, "newValue", unknown,
		"exceptions", list(names)))
	if rare == 0 {
		reason += fmt.Sprintf("; unknown ones as the most frequent one, %.40q", frequent)
	} else {
		names = append(names, other)
		reason += fmt.Sprintf("; %s and unknown ones as %q", counted(int64(rare), "rare one"), other)
	}
	steps = append(steps, states(c.Name, names),
		transform("categorical.CategoricalToIntegerTransform", "columnName", c.Name))
	b.use(c, pipeline.StringColumn{Name: c.Name}, reason, []string{c.Name}, steps)
	b.seen(c, names, c.gaps() > 0 || b.options.Missing == MissingDrop, fmt.Sprintf("%.40q", unknown))
	p := b.plans[c.Name]
	p.embedded = true
	b.plans[c.Name] = p
}
