package distributed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// queryFeatures returns the feature columns of a query: those that the flag names, or those of the schema. It returns
// nil for all columns.
func queryFeatures(ctx context.Context, e engine.Engine, query string, given []string, as *data.Schema) ([]string,
	error) {
	if as == nil || as.Features == nil {
		return given, nil
	}
	same := func(name string) func(string) bool { return func(s string) bool { return strings.EqualFold(s, name) } }
	if given != nil {
		for _, name := range given {
			if !slices.ContainsFunc(as.Features, same(name)) || len(given) != len(as.Features) {
				return nil, &source.MismatchError{Err: fmt.Errorf("features=%s: the model's features are %s",
					strings.Join(given, ","),
					data.ShortList(as.Features))}
			}
		}
		return as.Features, nil
	}
	tables, err := engine.TablesOf(e)
	if err != nil {
		return nil, err
	}
	columns, err := tables.QueryColumns(ctx, query)
	if err != nil {
		return nil, err
	}
	var names, missing []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	for _, name := range as.Features {
		if !slices.ContainsFunc(names, same(name)) {
			missing = append(missing, name)
		}
	}
	arrays := slices.ContainsFunc(columns, func(c engine.Column) bool { return c.Rank() > 0 })
	switch {
	case missing == nil:
		return as.Features, nil
	case len(missing) == len(as.Features) && arrays:
		return nil, nil // elements of arrays have no names
	}
	return nil,
		&source.MismatchError{Err: fmt.Errorf("the query has no column %s, which the model's features are: it has %s",
			data.ShortList(missing), data.ShortList(names))}
}

// querySchema has the names of a query's columns, if each is one number.
func querySchema(q *Query, classes int) *data.Schema {
	scalars := func(columns []engine.Column) (names []string) {
		for _, c := range columns {
			if c.Rank() != 0 {
				return nil
			}
			names = append(names, c.Name)
		}
		return names
	}
	s := &data.Schema{Features: scalars(q.Features), Labels: scalars(q.Labels)}
	if classes > 0 && classes <= maxNumbered {
		s.Classes = data.ClassNumbers(classes)
	}
	return s
}

// maxNumbered is the maximum number of classes whose numbers are stored as their names.
const maxNumbered = 10_000
