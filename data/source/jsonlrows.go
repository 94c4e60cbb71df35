package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// jsonAhead is the number of lines that are read to find the columns. Of a live stream, only one line is read.
const jsonAhead = 100

// jsonRows reads raw rows of JSON lines.
type jsonRows struct {
	fileTexts
	as     *pipeline.Schema // the wanted columns; nil if none are given
	table  *pipeline.Schema // the columns of the table that the file belongs to; nil if they have to be found
	text   *csvParser       // of the current file; nil before it is opened
	arrays bool             // lines are arrays of values, not objects
	schema *pipeline.Schema
	column map[string]int // index of the column for each path in an object

	most   int        // the number of lines that are looked at
	looked int        // of them, those that were
	ahead  []jsonLine // lines that were read to find the columns
	err    error      // error after these lines; nil if none yet
	last   place      // the last row's
}

// jsonLine is a line of the file, or its error.
type jsonLine struct {
	tree any
	err  error // the line's error
	at   place
}

// open opens the first file and finds the columns.
func (r *jsonRows) open(ctx context.Context, path string) error {
	if err := r.find(ctx, path, ""); err != nil {
		return err
	}
	return r.begin(path)
}

// begin finds the columns in the first lines.
func (r *jsonRows) begin(path string) error {
	for r.err == nil && len(r.ahead) < cmp.Or(r.most, jsonAhead) && (len(r.ahead) == 0 || !r.live) {
		var line jsonLine
		if line, r.err = r.line(); r.err == nil {
			r.ahead = append(r.ahead, line)
		}
	}
	if r.err != nil && r.err != io.EOF {
		return r.err
	}
	r.looked = len(r.ahead)
	first := slices.IndexFunc(r.ahead, func(l jsonLine) bool {
		list, ok := l.tree.([]any)
		return l.err == nil && (!ok || len(list) > 0)
	})
	if first < 0 { // only empty sequences
		first = slices.IndexFunc(r.ahead, func(l jsonLine) bool { return l.err == nil })
	}
	if first < 0 {
		for _, l := range r.ahead {
			return l.err
		}
		if r.table != nil {
			r.schema = r.table
			return nil
		}
		if r.as == nil && r.most > 0 { // the files before it have lines
			r.schema = &pipeline.Schema{}
			return nil
		}
		if r.as == nil {
			return &CSVError{Path: streamName(path), Problem: "there are no examples in it"}
		}
		r.schema = r.as
		return nil
	}
	r.last = r.ahead[first].at
	return r.findColumns(r.ahead[first].tree)
}

// Looks returns how many more lines of the next files tell the columns of the table.
func (r *jsonRows) Looks() int {
	if r.arrays {
		return 0
	}
	return cmp.Or(r.most, jsonAhead) - r.looked
}

// line reads the next line.
func (r *jsonRows) line() (jsonLine, error) {
	for {
		if r.text == nil {
			if len(r.files) == 0 {
				return jsonLine{}, io.EOF
			}
			path, file, err := r.next()
			if err != nil {
				return jsonLine{}, err
			}
			text, err := r.fileTexts.text(path, file)
			if err != nil {
				return jsonLine{}, err
			}
			r.text = newCSVParser(path, text, 0, 0)
		}
		text, err := r.text.textLine()
		if err == io.EOF {
			r.text = nil
			if err := r.close(); err != nil {
				return jsonLine{}, err
			}
			continue
		}
		if err != nil {
			err = rowError(err)
			if row := (*RowError)(nil); errors.As(err, &row) {
				return jsonLine{err: err}, nil
			}
			return jsonLine{}, err
		}
		l := jsonLine{at: place{line: r.text.begins, column: 1, file: r.text.path}}
		if l.tree, err = dl4j.Parse(text); err != nil {
			l.err = jsonError(l.at, err)
		}
		return l, nil
	}
}

// jsonError returns the error of a line. The parser counts bytes from 0, the error columns from 1.
func jsonError(at place, err error) error {
	var f *dl4j.FormatError
	if errors.As(err, &f) && f.Offset >= 0 {
		at.column, err = int(f.Offset)+1, f.Err
	}
	return &RowError{Err: &CSVError{Path: at.file, Line: at.line, Column: at.column, Problem: err.Error()}}
}

// errorf returns an error of the last row.
func (r *jsonRows) errorf(format string, args ...any) error {
	return &CSVError{Path: r.last.file, Line: r.last.line, Column: 1, Problem: fmt.Sprintf(format, args...)}
}

// findColumns finds the columns and, by the first line, the form of the lines.
func (r *jsonRows) findColumns(first any) error {
	list, isList := first.([]any)
	sequence := isList && r.isSequence(list)
	if sequence {
		isList = false
		for _, row := range list {
			_, isList = row.([]any)
		}
		isList = isList || len(list) == 0
		if isList && len(list) > 0 {
			list = list[0].([]any)
		}
	}
	r.arrays = isList
	switch {
	case !isList:
		r.objectColumns(sequence)
	case r.table != nil:
		r.schema = r.table.With(r.table.Columns)
		r.schema.Sequence = sequence
	case r.as != nil && r.as.Sequence == sequence:
		r.schema = r.as
	case r.as != nil:
		r.schema = &pipeline.Schema{Sequence: sequence, Columns: r.as.Columns} // the caller checks the columns
	default:
		r.schema = &pipeline.Schema{Sequence: sequence}
		for i := range list {
			r.schema.Columns = append(r.schema.Columns, jsonColumn(strconv.Itoa(i), list[i]))
		}
	}
	if len(r.schema.Columns) == 0 && r.as == nil {
		return r.errorf("there are no columns in the first line")
	}
	return nil
}

// isSequence reports whether a list is a sequence of rows, not a row. An empty list is a sequence if one is wanted. A
// list of lists is a row if the first wanted column holds arrays.
func (r *jsonRows) isSequence(list []any) bool {
	if len(list) == 0 || r.as != nil && r.as.Sequence {
		return r.as != nil && r.as.Sequence
	}
	if r.as != nil && r.as.Columns[0].Type() == pipeline.ArrayType {
		return false
	}
	for _, v := range list {
		switch v := v.(type) {
		case []any:
		case dl4j.Object:
			if isArray(v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// objectColumns sets the columns: first the wanted ones, then other members of the first lines.
func (r *jsonRows) objectColumns(sequence bool) {
	r.schema = &pipeline.Schema{Sequence: sequence}
	r.column = map[string]int{}
	if r.table != nil {
		r.schema = r.table.With(r.table.Columns)
		r.schema.Sequence = sequence
		for i, c := range r.table.Columns {
			r.column[c.Title()] = i
		}
		return
	}
	add := func(c pipeline.Column) {
		if _, known := r.column[c.Title()]; !known {
			r.column[c.Title()] = len(r.schema.Columns)
			r.schema.Columns = append(r.schema.Columns, c)
		}
	}
	found := map[string]bool{}
	var others []pipeline.Column
	for _, l := range r.ahead {
		rows := []any{l.tree}
		if list, ok := l.tree.([]any); ok {
			rows = list
		}
		for _, row := range rows {
			if o, ok := row.(dl4j.Object); ok {
				r.members("", o, func(path string, v any) error {
					found[path] = true
					others = append(others, jsonColumn(path, v))
					return nil
				})
			}
		}
	}
	if r.as != nil {
		for _, c := range r.as.Columns {
			if found[c.Title()] { // a wanted column that no line has is left out
				add(c)
			}
		}
	}
	for _, c := range others {
		add(c)
	}
}

// jsonColumn returns a column for a value: an array column for arrays, otherwise a String column.
func jsonColumn(name string, v any) pipeline.Column {
	if a, err := arrayOf(v); err == nil {
		c := pipeline.ArrayColumn{Name: name}
		for _, n := range a.Shape {
			c.Shape = append(c.Shape, int64(n))
		}
		return c
	}
	return pipeline.StringColumn{Name: name}
}

// members visits the members of an object with their paths: a.b is the member b of the member a. It does not descend
// into the value of a wanted column.
func (r *jsonRows) members(prefix string, o dl4j.Object, visit func(path string, v any) error) error {
	for _, m := range o {
		path := prefix + m.Name
		if inner, ok := m.Value.(dl4j.Object); ok && !isArray(inner) && (r.as == nil || r.as.Index(path) < 0) {
			if err := r.members(path+".", inner, visit); err != nil {
				return err
			}
			continue
		}
		if err := visit(path, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// Schema returns the columns.
func (r *jsonRows) Schema() *pipeline.Schema { return r.schema }

// Next returns the next row or sequence.
func (r *jsonRows) Next() (pipeline.Item, error) {
	var l jsonLine
	switch {
	case len(r.ahead) > 0:
		l, r.ahead = r.ahead[0], r.ahead[1:]
	case r.err != nil:
		return pipeline.Item{}, r.err
	default:
		if l, r.err = r.line(); r.err != nil {
			return pipeline.Item{}, r.err
		}
	}
	if l.err != nil {
		return pipeline.Item{}, l.err
	}
	r.last = l.at
	item, err := r.item(l.tree)
	if err != nil {
		return pipeline.Item{}, &RowError{Err: r.errorf("%v", err), Ragged: isRagged(err) && !r.schema.Sequence}
	}
	return item, nil
}

func (r *jsonRows) item(tree any) (item pipeline.Item, err error) {
	if !r.schema.Sequence {
		item.Row, err = r.row(tree)
		return item, err
	}
	list, ok := tree.([]any)
	if !ok {
		return item, errors.New("a sequence should be here, an array of rows, as in the first line")
	}
	item.Sequence = make([]pipeline.Row, len(list))
	for i, row := range list {
		if item.Sequence[i], err = r.row(row); err != nil {
			return item, fmt.Errorf("step %d of the sequence: %w", i+1, err)
		}
	}
	return item, nil
}

func (r *jsonRows) row(tree any) (pipeline.Row, error) {
	if r.arrays {
		list, ok := tree.([]any)
		if !ok {
			return nil, errors.New("an array should be here, as in the first line")
		}
		if len(list) != len(r.schema.Columns) {
			return nil, &raggedError{fmt.Errorf("there are %d values, and the columns are %s", len(list),
				data.ShortList(r.schema.Names()))}
		}
		row := make(pipeline.Row, len(list))
		for i, v := range list {
			if err := r.set(row, i, v); err != nil {
				return nil, err
			}
		}
		return row, nil
	}
	o, ok := tree.(dl4j.Object)
	if !ok {
		return nil, errors.New("an object should be here, as in the first line")
	}
	row := make(pipeline.Row, len(r.schema.Columns))
	return row, r.members("", o, func(path string, v any) error {
		i, known := r.column[path]
		switch {
		case known && !row[i].IsNull():
			return fmt.Errorf("column %q is there twice", path)
		case known:
			return r.set(row, i, v)
		case r.as == nil:
			return fmt.Errorf("there is no column %q in the first %d lines", path, jsonAhead)
		}
		return nil
	})
}

// set sets a value of a row.
func (r *jsonRows) set(row pipeline.Row, i int, v any) (err error) {
	c := r.schema.Columns[i]
	if row[i], err = jsonValue(v, c, r.as != nil); err != nil {
		return fmt.Errorf("column %q: %w", c.Title(), err)
	}
	return nil
}

// Place returns the line of the last row.
func (r *jsonRows) Place() string { return r.last.file + ":" + strconv.Itoa(r.last.line) }

// Close closes the files.
func (r *jsonRows) Close() error { return r.close() }
