package source

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
)

// mismatch returns the error of a file that does not fit the schema.
func (r *choice) mismatch(p place, format string, args ...any) error {
	return &MismatchError{r.errorf(p, format, args...)}
}

// named reports whether columns are found by the schema's names.
func (r *choice) named() (bool, error) {
	s := r.options.Schema
	if s == nil || s.Features == nil {
		return false, nil
	}
	if r.columns == nil {
		return false, r.mismatch(place{line: 1, column: 1},
			"the file has no header, and the model's features have names: %s; header=true says that the first line is one",
			data.ShortList(s.Features))
	}
	return true, nil
}

// knowsClasses reports whether the classes are those of a schema.
func (o CSV) knowsClasses() bool { return o.Schema != nil && o.Schema.Classes != nil }

// asKnown makes the labels numbers if the schema's labels are, unless the options say otherwise.
func (o CSV) asKnown() CSV {
	if s := o.Schema; s != nil && s.Labels != nil && s.Classes == nil && o.Classes == 0 && o.Names == nil {
		o.Regression = true
	}
	return o
}

// labelColumns returns the names or indices of the label columns. The default is the schema's label columns, or the
// last column that is neither key nor weight.
func (r *choice) labelColumns(n int, named bool) ([]string, error) {
	if label := r.options.Label; label != "" && r.options.Regression {
		return Values(label), nil
	} else if label != "" {
		return []string{label}, nil
	}
	last := n - 1
	for last >= 0 && r.aside(last) {
		last--
	}
	if !named {
		return []string{strconv.Itoa(last - n)}, nil
	}
	known := r.options.Schema.Labels
	if known != nil && !slices.ContainsFunc(known, func(name string) bool { return !slices.Contains(r.columns, name) }) {
		return known, nil
	}
	switch feature := last < 0 || slices.Contains(r.options.Schema.Features, r.columns[last]); {
	case feature && r.unlabelled:
		return nil, nil
	case feature:
		return nil, r.mismatch(place{line: 1, column: 1}, "there is no label column: label=COLUMN names it, of %s",
			data.ShortList(r.columns))
	case len(known) > 1 && r.options.Regression && !r.unlabelled:
		return nil, r.mismatch(place{line: 1, column: 1},
			"the model's label columns are %s, of which not all are there: there are %s", data.ShortList(known),
			data.ShortList(r.columns))
	}
	return []string{strconv.Itoa(last - n)}, nil
}

// findSlots sets the slots of the columns: in the file's order, or by the schema's names.
func (r *choice) findSlots(n int, named bool) error {
	r.slots = slices.Repeat([]int{-1}, n)
	if !named {
		labels := 0
		for i := range n {
			switch {
			case r.aside(i):
			case r.isLabel[i]:
				r.slots[i] = labels
				labels++
			default:
				r.slots[i] = r.features
				r.features++
			}
		}
		return nil
	}
	s := r.options.Schema
	at := make(map[string]int, n)
	for i, name := range slices.Backward(r.columns) {
		at[name] = i
	}
	for k, name := range s.Features {
		i, ok := at[name]
		switch {
		case !ok:
			return r.mismatch(place{line: 1, column: 1}, "there is no column %q, a feature of the model: there are %s", name,
				data.ShortList(r.columns))
		case r.isLabel[i] || r.aside(i):
			return r.mismatch(place{line: 1, column: 1},
				"the column %q is a feature of the model, and can't be the label, the key or the weight", name)
		}
		r.slots[i] = k
	}
	r.features = len(s.Features)
	if err := r.findTargets(at); err != nil {
		return err
	}
	for i, name := range r.columns {
		switch first := at[name]; {
		case first != i && r.slots[first] >= 0 && !r.isLabel[first]:
			return r.mismatch(place{line: 1, column: 1}, "two columns have the name %q, of a feature of the model", name)
		case r.slots[i] < 0 && !r.aside(i) && !r.isLabel[i]:
			r.unused = append(r.unused, name)
		}
	}
	return nil
}

// findTargets sets the slots of a regression's label columns.
func (r *choice) findTargets(at map[string]int) error {
	known, labels := r.options.Schema.Labels, 0
	for i, name := range r.columns {
		if !r.isLabel[i] {
			continue
		}
		k := labels
		if r.options.Regression && !r.unlabelled && len(known) > 1 {
			if k = slices.Index(known, name); k < 0 || len(known) != r.targets {
				return r.mismatch(place{line: 1, column: 1}, "the label columns are not the model's, which are %s",
					data.ShortList(known))
			}
		}
		r.slots[i] = k
		labels++
	}
	return nil
}

// schema returns a schema with these classes and the file's column names, if it has any and they are distinct.
func (r *choice) schema(classes []string) *data.Schema {
	s := &data.Schema{Classes: classes}
	if r.columns != nil {
		s.Features, s.Labels = make([]string, r.features), make([]string, r.targets)
		for i, name := range r.columns {
			switch {
			case r.slots[i] < 0:
			case r.isLabel[i]:
				s.Labels[r.slots[i]] = name
			default:
				s.Features[r.slots[i]] = name
			}
		}
	}
	if _, twice := data.Repeated(s.Features); twice {
		s.Features = nil
	}
	if _, twice := data.Repeated(s.Labels); twice {
		s.Labels = nil
	}
	return s
}

// knownClasses sets each label's class by the schema's names. It returns false if the schema has no classes, or if
// classes=N says that the labels are numbers of classes that have other names.
func (r *choice) knownClasses(position []int) (known bool, err error) {
	s, o := r.options.Schema, r.options
	if !o.knowsClasses() {
		return false, nil
	}
	mismatch := func(format string, args ...any) (bool, error) {
		return false, &MismatchError{fmt.Errorf("%s: "+format+" the model's classes are %s",
			append(append([]any{r.path}, args...), data.ShortList(s.Classes))...)}
	}
	if o.Classes > 0 && o.Classes != len(s.Classes) {
		return mismatch("classes=%d, and", o.Classes)
	}
	if r.find == nil {
		r.find = s.ClassFinder()
	}
	for _, name := range o.Names {
		if r.find(name) < 0 {
			return mismatch("names=… has %q, and", name)
		}
	}
	if o.Classes > 0 && o.Names == nil && !s.Numbered() && len(r.names) > 0 {
		if _, err := strconv.ParseFloat(r.names[0], 64); err == nil {
			if slices.ContainsFunc(s.Classes,
				func(name string) bool { _, err := strconv.ParseFloat(name, 64); return err == nil }) {
				return mismatch("classes=%d takes labels as the numbers 0 to %d; leave it out, as", o.Classes, o.Classes-1)
			}
			return false, nil
		}
	}
	for i, name := range r.names {
		if position[i] = r.find(name); position[i] < 0 {
			return false, r.mismatch(r.firstAt[i], "the label %q is none of the model's classes: %s", shorten(name),
				data.ShortList(s.Classes))
		}
	}
	return true, nil
}

// knownNames returns the schema's classes if the labels are their names.
func (r *choice) knownNames() []string {
	s, o := r.options.Schema, r.options
	if o.Classes > 0 && o.Names == nil && s.Numbered() {
		return nil // numbers, as classes=N says
	}
	return s.Classes
}
