package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
)

// isHeader reports whether a table's first record names its columns.
func (o CSV) isHeader(record []string) bool {
	if o.Header != nil {
		return *o.Header
	}
	for _, s := range record {
		if _, err := strconv.ParseFloat(strings.TrimSpace(s), 32); err == nil {
			return false
		}
	}
	return true
}

// column finds a column by its name or by its index from 0; negative indices count from the end.
func (r *choice) column(what, name string, n int) (int, error) {
	if at := slices.Index(r.columns, name); at >= 0 {
		return at, nil
	}
	i, err := strconv.Atoi(name)
	if i < 0 {
		i += n
	}
	if err != nil || i < 0 || i >= n {
		if r.columns == nil {
			return 0, r.errorf(place{line: 1, column: 1},
				"there is no %s column %q: there are %d columns, counted from 0, and no header", what, name, n)
		}
		return 0, r.errorf(place{line: 1, column: 1},
			"there is no %s column %q: there are %s", what, name, data.ShortList(r.columns))
	}
	return i, nil
}

// findLabels finds the columns of the key, the weights and the labels.
func (r *choice) findLabels(n int) error {
	r.isLabel, r.key, r.weight = make([]bool, n), -1, -1
	if r.options.Key != "" {
		var err error
		if r.key, err = r.column("key", r.options.Key, n); err != nil {
			return err
		}
	}
	if err := r.findWeight(n); err != nil {
		return err
	}
	named, err := r.named()
	if err != nil {
		return err
	}
	wanted, err := r.labelColumns(n, named)
	if err != nil {
		return err
	}
	for _, w := range wanted {
		if w == "none" && len(wanted) == 1 && !slices.Contains(r.columns, w) {
			break
		}
		at, err := r.column("label", w, n)
		if err != nil {
			return err
		}
		if at == r.key {
			return r.errorf(place{line: 1, column: 1}, "column %s is both the key and a label", r.columnName(at))
		}
		if at == r.weight {
			return r.errorf(place{line: 1, column: 1}, "column %s is both the weight and a label", r.columnName(at))
		}
		if !r.isLabel[at] {
			r.isLabel[at] = true
			r.targets++
		}
	}
	if err := r.findSlots(n, named); err != nil {
		return err
	}
	if r.features == 0 {
		hint := ""
		if r.options.Delimiter == 0 && n == 1 {
			hint = "; delimiter=… tells what separates columns if it is not a comma"
		}
		return r.errorf(place{line: 1, column: 1}, "all columns are labels or the key: none is left for features%s", hint)
	}
	if o := r.options; o.Height > 0 && o.Height*o.Width != r.features {
		return r.errorf(place{line: 1, column: 1},
			"an image of %dx%d has %d pixels, and there are %d columns of features", o.Height, o.Width,
			o.Height*o.Width, r.features)
	}
	return nil
}

func (r *choice) columnName(i int) string {
	if r.columns != nil {
		return strconv.Quote(r.columns[i])
	}
	return strconv.Itoa(i)
}
