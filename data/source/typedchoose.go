package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// needs reports whether a column of the first file may be read. With a model, only the columns that it knows are.
func (r *typedRows) needs(name string) bool {
	o := r.options
	if o.Schema == nil || o.Schema.Features == nil {
		return true
	}
	lists := [][]string{o.Schema.Features, Values(o.Label), {o.Key, o.Weights}}
	if o.Label == "" {
		lists = append(lists, o.Schema.Labels)
	}
	for _, list := range lists {
		if slices.ContainsFunc(list, func(s string) bool { return s == name || strings.HasPrefix(s, name+"[") }) {
			return true
		}
	}
	return false
}

// choose decides by the first file which columns are features, labels and the key. An array makes a column for each of
// its numbers: name[0], name[1], ….
func (r *typedRows) choose(file typedFile) error {
	var arrays []int
	columns := file.columns()
	for i, c := range columns {
		if c.kind == pipeline.ArrayType && c.problem == "" && r.needs(c.name) {
			arrays = append(arrays, i)
		}
	}
	r.widths = map[string]int{}
	if len(arrays) > 0 {
		rows := 0
		reader, err := file.reader(arrays)
		if err == nil {
			rows, err = reader.Next(1)
		}
		if rows == 0 { // the file is empty and tells nothing
			return err
		}
		for k, i := range arrays {
			width := 0
			if err == nil {
				width, err = reader.Width(k)
			}
			if err != nil {
				return err
			}
			r.widths[columns[i].name] = width
		}
	}
	var names []string
	for _, c := range columns {
		names = append(names, r.expanded(c.name)...)
	}
	for _, p := range r.file.parts {
		names = append(names, p.name)
	}
	if name, twice := data.Repeated(names); twice {
		return r.errorf(place{1, 1, r.file.path}, "two columns have the name %q", name)
	}
	r.columns = names
	if label := r.options.Label; label != "" {
		var list []string
		for _, name := range Values(label) {
			list = append(list, r.expanded(name)...)
		}
		r.options.Label = JoinValues(list)
	}
	return r.findLabels(len(names))
}

// expanded returns the columns of a file's column: for an array, one for each number.
func (r *typedRows) expanded(name string) []string {
	width, array := r.widths[name]
	if !array {
		return []string{name}
	}
	names := make([]string, width)
	for i := range names {
		names[i] = name + "[" + strconv.Itoa(i) + "]"
	}
	return names
}

// read reports whether one of choice's columns is read.
func (r *typedRows) read(at int) bool {
	return at == r.key || (r.isLabel[at] || at == r.weight) && !r.unlabelled || r.slots[at] >= 0 && !r.isLabel[at]
}

// find finds the columns in a file, and starts to read the wanted ones.
func (r *typedRows) find(file typedFile) error {
	known := make(map[string]int, len(r.columns))
	for i, name := range slices.Backward(r.columns) {
		known[name] = i
	}
	var places []int
	found := map[int]bool{}
	r.wanted, r.parts = r.wanted[:0], r.parts[:0]
	for i, c := range file.columns() {
		names := r.expanded(c.name)
		if len(names) == 0 {
			continue
		}
		at, ok := known[names[0]]
		if !ok || found[at] {
			continue
		}
		if !slices.ContainsFunc(names, func(name string) bool { return r.read(known[name]) }) {
			continue
		}
		if err := r.usable(c, at); err != nil {
			return err
		}
		found[at] = true
		places = append(places, i)
		r.wanted = append(r.wanted, wantedColumn{c.name, at, len(names)})
	}
	for _, p := range r.file.parts {
		if at, ok := known[p.name]; ok && r.read(at) && !found[at] {
			found[at] = true
			r.parts = append(r.parts, wantedColumn{p.name, at, 1})
		}
	}
	for at, name := range r.columns {
		base, _, _ := strings.Cut(name, "[")
		if _, array := r.widths[base]; r.read(at) && !found[at] && !array {
			return r.errorf(place{1, 1, r.file.path}, "there is no column %q, which the files before it have", name)
		}
	}
	reader, err := file.reader(places)
	r.reader = reader
	return err
}

// usable returns an error if a column can't be read, or is not numeric where numbers are needed.
func (r *typedRows) usable(c typedColumn, at int) error {
	numeric := slices.Contains([]pipeline.ColumnType{pipeline.DoubleType, pipeline.FloatType, pipeline.IntegerType,
		pipeline.LongType, pipeline.BooleanType, pipeline.ArrayType}, c.kind)
	text := r.aside(at) || r.isLabel[at] && !r.options.Regression
	width, array := r.widths[c.name]
	for i := at; i < at+width; i++ {
		text = text || r.aside(i) || r.isLabel[i] && !r.options.Regression
	}
	switch {
	case c.problem != "":
		return r.errorf(place{1, 1, r.file.path},
			"column %q %s, which can't be read: leave it out, or write its parts as columns",
			c.name, c.problem)
	case !text && !numeric:
		return r.errorf(place{1, 1, r.file.path},
			"column %q has values of type %s, and numbers are needed: a pipeline makes some",
			c.name, c.kind)
	case (c.kind == pipeline.ArrayType) != array || array && text:
		return r.errorf(place{1, 1, r.file.path}, "column %q has values of type %s, which it can't have here", c.name, c.kind)
	}
	return nil
}
