package source

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// classes returns the class of each name, the names of the classes, and their number.
func (r *choice) classes() (position []int, names []string, classes int, err error) {
	position = make([]int, len(r.names))
	o := r.options
	if known, err := r.knownClasses(position); known || err != nil {
		return position, r.knownNames(), len(o.Schema.Classes), err
	}
	if o.Names != nil {
		if o.Classes != 0 && o.Classes != len(o.Names) {
			return nil, nil, 0, fmt.Errorf("classes=%d, but names lists %d", o.Classes, len(o.Names))
		}
		for i, s := range r.names {
			if position[i] = slices.Index(o.Names, s); position[i] < 0 {
				return nil, nil, 0, r.errorf(r.firstAt[i], "the label %q is none of names=%s", shorten(s),
					strings.Join(o.Names, ","))
			}
		}
		return position, o.Names, len(o.Names), nil
	}
	numbers := make([]float64, len(r.names))
	numeric := true
	for i, s := range r.names {
		if numbers[i], err = strconv.ParseFloat(s, 64); err != nil {
			numeric = false
			if _, err := strconv.ParseFloat(r.names[0], 64); err == nil && o.Classes > 0 {
				return nil, nil, 0, r.errorf(r.firstAt[i], "the label %q is not a number, as the first one is", shorten(s))
			}
			continue
		}
		if o.Classes == 0 && numbers[i] != math.Trunc(numbers[i]) {
			return nil, nil, 0, r.errorf(r.firstAt[i],
				"the label %s is not a class: say regression=true if it is a number to be predicted", s)
		}
		if c := numbers[i]; o.Classes > 0 && numeric && !(c >= 0 && c < float64(o.Classes) && c == math.Trunc(c)) {
			return nil, nil, 0, r.errorf(r.firstAt[i], "the label %s is out of range: classes=%d allows 0 to %d", s, o.Classes,
				o.Classes-1)
		}
	}
	if numeric && o.Classes > 0 {
		for i, c := range numbers {
			position[i] = int(c)
		}
		return position, nil, o.Classes, nil
	}
	if o.Classes > 0 && len(r.names) > o.Classes {
		return nil, nil, 0, r.errorf(r.firstAt[o.Classes], "the label %q is one too many: classes=%d",
			shorten(r.names[o.Classes]), o.Classes)
	}
	order := make([]int, len(r.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if numeric && numbers[a] != numbers[b] {
			if numbers[a] < numbers[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(r.names[a], r.names[b])
	})
	for n, i := range order {
		if n == 0 || !numeric || numbers[i] != numbers[order[n-1]] { // 1 and 1.0 are one class
			names = append(names, r.names[i])
		}
		position[i] = len(names) - 1
	}
	if numeric && o.Classes == 0 && len(names) > maxNumbers {
		return nil, nil, 0, r.errorf(r.firstAt[maxNumbers],
			"the label is one of %d different numbers: say regression=true if it is a number to be predicted; "+
				"say classes=N if it is one of the classes 0 to N-1, or list them with names=…", len(names))
	}
	return position, names, max(o.Classes, len(names)), nil
}
