package source

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// gather adds the rows that the reader has read.
func (r *typedRows) gather(rows int) error {
	at, target := len(r.values), len(r.targetV)
	r.values = slices.Grow(r.values, rows*r.features)[:at+rows*r.features]
	if r.options.Regression {
		r.targetV = slices.Grow(r.targetV, rows*r.targets)[:target+rows*r.targets]
	}
	for k, c := range r.wanted {
		if err := r.gatherColumn(k, c, rows, at, target); err != nil {
			return err
		}
	}
	for _, c := range r.parts {
		if err := r.part(c, rows, at, target); err != nil {
			return err
		}
	}
	r.rows += rows
	return nil
}

// gatherColumn adds the values of one column.
func (r *typedRows) gatherColumn(k int, c wantedColumn, rows, at, target int) error {
	if c.at == r.key {
		return r.texts(k, c.at, rows, func(s string, _ place) error {
			r.keys = append(r.keys, s)
			return nil
		})
	}
	if c.at == r.weight {
		return r.texts(k, c.at, rows, func(s string, p place) error { return r.weighs(s, c.at, p) })
	}
	if r.isLabel[c.at] && !r.options.Regression {
		if r.unlabelled {
			return nil
		}
		return r.texts(k, c.at, rows, func(s string, p place) error { return r.label(s, c.at, p) })
	}
	if slices.Contains(r.isLabel[c.at:c.at+c.width], true) && !r.unlabelled {
		if err := r.numbers(k, c, rows, true, r.targetV[target:], r.targets); err != nil {
			return err
		}
	}
	if slices.Contains(r.isLabel[c.at:c.at+c.width], false) {
		return r.numbers(k, c, rows, false, r.values[at:], r.features)
	}
	return nil
}

// texts calls each with the texts of a column.
func (r *typedRows) texts(k, at, rows int, each func(s string, p place) error) error {
	for row := range rows {
		s, ok, err := r.reader.Text(k, row)
		p := r.at(row)
		if err == nil && (!ok || s == "") {
			what := "label"
			if at == r.key {
				what = "key"
			} else if at == r.weight {
				what = "weight"
			}
			err = r.errorf(p, "column %q: the %s is missing", r.columns[at], what)
		}
		if err == nil {
			err = each(strings.TrimSpace(s), p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// at returns the place of a row.
func (r *typedRows) at(row int) place {
	return place{line: int(r.reader.First()) + row + 1, file: r.file.path}
}

// numbers writes a column's features or labels into rows of to that are stride numbers long. The numbers of an array
// may go to scattered columns, and some of them may be unwanted.
func (r *typedRows) numbers(k int, c wantedColumn, rows int, label bool, to []float32, stride int) error {
	slots := slices.Clone(r.slots[c.at : c.at+c.width])
	together := true
	for i := range slots {
		if r.isLabel[c.at+i] != label {
			slots[i] = -1
		}
		together = together && slots[i] >= 0 && slots[i] == slots[0]+i
	}
	if together {
		return r.reader.Float32s(k, c.width, to[slots[0]:], stride)
	}
	r.spare = slices.Grow(r.spare[:0], rows*c.width)[:rows*c.width]
	if err := r.reader.Float32s(k, c.width, r.spare, c.width); err != nil {
		return err
	}
	for row := range rows {
		for i, slot := range slots {
			if slot >= 0 {
				to[row*stride+slot] = r.spare[row*c.width+i]
			}
		}
	}
	return nil
}

// part adds the values of a column whose value is in the name of a directory.
func (r *typedRows) part(c wantedColumn, rows, at, target int) error {
	value := r.file.part(c.name)
	text := r.aside(c.at) || r.isLabel[c.at] && !r.options.Regression
	x, err := strconv.ParseFloat(value, 32)
	if text && value == "" {
		return r.errorf(place{file: r.file.path}, "column %q has no value in the directory's name, and a key, a "+
			"weight or a class needs one", c.name)
	}
	if !text && (err != nil || x-x != 0) {
		return r.errorf(place{file: r.file.path}, "column %q: %q in the directory's name is not a finite number", c.name,
			value)
	}
	for row := range rows {
		switch slot := r.slots[c.at]; {
		case c.at == r.key:
			r.keys = append(r.keys, value)
		case c.at == r.weight:
			if err := r.weighs(value, c.at, r.at(row)); err != nil {
				return err
			}
		case r.isLabel[c.at] && !r.options.Regression:
			if err := r.label(value, c.at, r.at(row)); err != nil {
				return err
			}
		case r.isLabel[c.at]:
			r.targetV[target+row*r.targets+slot] = float32(x)
		default:
			r.values[at+row*r.features+slot] = float32(x)
		}
	}
	return nil
}

// readAll gathers all rows.
func (r *typedRows) readAll() error {
	for {
		if err := r.more(typedBatch); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
}

// typedBatch is the number of rows that are read at once.
const typedBatch = 1024
