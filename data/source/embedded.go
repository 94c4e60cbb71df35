package source

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// embeds finds the columns that a network embeds among the features.
func (b *prepared) embeds() error {
	columns, at := b.plan.Out().Columns, 0
	for _, i := range b.features {
		c := columns[i]
		if n, ok := c.(pipeline.IntegerColumn); ok && slices.Contains(b.Embed, c.Title()) {
			if n.Min == nil || *n.Min != 0 || n.Max == nil || *n.Max < 0 {
				return fmt.Errorf("column %q: the number of its categories is not known; CategoricalToIntegerTransform "+
					"makes numbers of categories", c.Title())
			}
			b.embedded = append(b.embedded, Category{c.Title(), at, int(*n.Max) + 1})
		}
		n, err := featureWidth(c)
		if err != nil {
			return err
		}
		at += n
	}
	for _, name := range b.Embed {
		if !slices.ContainsFunc(b.embedded, func(c Category) bool { return c.Name == name }) {
			return fmt.Errorf("column %q can't be embedded: it does not hold category numbers; these columns do: %s", name,
				data.ShortList(CategoryNumbers(b.Pipeline, b.Outputs)))
		}
	}
	return nil
}

// CategoryNumbers returns the columns of a pipeline's result that hold category numbers, made by a
// CategoricalToIntegerTransform, except for the labels.
func CategoryNumbers(p *pipeline.Pipeline, labels []string) (names []string) {
	for _, step := range p.Steps {
		switch s := step.(type) {
		case pipeline.CategoricalToInteger:
			names = append(names, s.Column)
		case pipeline.RenameColumns:
			for i, name := range names {
				if k := slices.Index(s.OldNames, name); k >= 0 {
					names[i] = s.NewNames[k]
				}
			}
		}
	}
	plan, err := p.Bind()
	return slices.DeleteFunc(names, func(name string) bool {
		return err != nil || plan.Out().Index(name) < 0 || slices.Contains(labels, name)
	})
}
