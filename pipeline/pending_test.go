package pipeline_test

import "strings"

// pending names the cases whose steps are still to come: all but those of done.
func pending(name string) bool {
	for _, prefix := range done {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

var done = []string{"columns-", "categorical-", "convert-", "filter-", "function-", "integer-to-", "math-", "ndarray-",
	"normalize-", "replace-", "sequence-filter-", "string-", "types-", "rows-wrong-width"}
