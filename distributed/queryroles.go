package distributed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/engine"
)

// roles are the meanings of a query's columns.
type roles struct{ keys, features, labels []engine.Column }

// labelNames are the default names of a column of labels.
var labelNames = []string{"label", "labels", "y"}

// chooseRoles determines the meanings of the columns, and refuses columns that don't fit.
func chooseRoles(columns []engine.Column, o QueryOptions) (r roles, err error) {
	for i, c := range columns {
		for _, other := range columns[:i] {
			if strings.EqualFold(c.Name, other.Name) {
				return r, fmt.Errorf("two have the name %s: rename one (AS)", c.Name)
			}
		}
	}
	for _, list := range []struct {
		role  string
		names []string
		to    *[]engine.Column
	}{{"key", o.Keys, &r.keys}, {"label", o.Labels, &r.labels}, {"feature", o.Features, &r.features}} {
		for _, name := range list.names {
			c, err := columnNamed(columns, list.role, name)
			if err != nil {
				return r, err
			}
			*list.to = append(*list.to, c)
		}
	}
	if o.Labels == nil {
		r.labels, err = defaultLabels(columns, append(slices.Clone(r.keys), r.features...))
	}
	if err == nil && o.Features == nil {
		taken := append(slices.Clone(r.keys), r.labels...)
		for _, c := range columns {
			if !slices.Contains(taken, c) {
				r.features = append(r.features, c)
			}
		}
	}
	if o.Unlabelled {
		r.labels = nil
	}
	if err == nil {
		err = r.check(columns, o)
	}
	return r, err
}

func columnNamed(columns []engine.Column, role, name string) (engine.Column, error) {
	for _, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return c, nil
		}
	}
	return engine.Column{}, fmt.Errorf("there is no column %s, the %s that was asked for: it has %s", name, role,
		described(columns))
}

func defaultLabels(columns, taken []engine.Column) (labels []engine.Column, err error) {
	for _, c := range columns {
		if slices.Contains(labelNames, strings.ToLower(c.Name)) && !slices.Contains(taken, c) {
			labels = append(labels, c)
		}
	}
	if len(labels) > 1 {
		return nil, fmt.Errorf("%s could be the label: say which", strings.Join(names(labels), " or "))
	}
	return labels, nil
}

// check refuses columns of wrong types, and columns with two meanings.
func (r roles) check(columns []engine.Column, o QueryOptions) error {
	if len(r.features) == 0 {
		return fmt.Errorf("none is left for the features: it has %s", described(columns))
	}
	if o.Classes < 0 || o.Classes == 1 {
		return fmt.Errorf("%d classes were asked for", o.Classes)
	}
	for _, n := range o.Shape {
		if n < 1 {
			return fmt.Errorf("the shape %v was asked for the features: its extents are at least 1", o.Shape)
		}
	}
	for i, c := range r.features {
		switch {
		case c.Rank() < 0:
			return fmt.Errorf("%s has the type %s, which is not a number: leave it out of the query or of the features, make "+
				"it a key, or turn it into a number",
				c.Name, c.Type)
		case slices.Contains(r.features[:i], c):
			return fmt.Errorf("%s is named twice among the features", c.Name)
		case slices.Contains(r.labels, c):
			return fmt.Errorf("%s is both a feature and the label: a network would learn nothing", c.Name)
		}
	}
	for _, c := range r.keys {
		if !c.Plain() {
			return fmt.Errorf("%s has the type %s, which can't be a key: numbers, strings, bytes, dates and times can", c.Name,
				c.Type)
		}
	}
	if o.Classes > 0 && len(r.labels) > 1 {
		return fmt.Errorf("%s are labels: with classes, there is one column of class indices",
			strings.Join(names(r.labels), ", "))
	}
	for _, c := range r.labels {
		if rank := c.Rank(); rank < 0 || o.Classes > 0 && rank != 0 {
			if o.Classes > 0 {
				return fmt.Errorf("the label %s has the type %s, wanted a class index: a whole number (for names of classes, "+
					"dense_rank() OVER (ORDER BY %s) - 1 numbers them)",
					c.Name, c.Type, c.Name)
			}
			return fmt.Errorf("the label %s has the type %s, which is not a number: turn it into one (for names of classes, "+
				"dense_rank() OVER (ORDER BY %s) - 1 numbers them)",
				c.Name, c.Type, c.Name)
		}
	}
	return nil
}

func names(columns []engine.Column) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

func described(columns []engine.Column) string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name+" "+c.Type)
	}
	if len(all) > 40 {
		all = append(all[:40], "…")
	}
	return strings.Join(all, ", ")
}

// DefaultLabel returns the column that is the label by default: label, labels or y, in any case of letters. ok is false
// unless exactly one column has such a name.
func DefaultLabel(names []string) (name string, ok bool) {
	for _, n := range names {
		if slices.Contains(labelNames, strings.ToLower(n)) {
			if ok {
				return "", false
			}
			name, ok = n, true
		}
	}
	return name, ok
}
