package source

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// csvSequences reads CSV files, each as one sequence.
type csvSequences struct {
	ctx    context.Context
	csv    CSV
	as     *pipeline.Schema
	files  []string
	labels []string // for each file, the file of its labels; nil if files hold their labels
	align  string
	// ofLabels holds the settings for reading files of labels.
	ofLabels CSV
	// content, unless nil, opens a file instead of the storage.
	content func(path string) (io.Reader, io.Closer, error)
	told    *bool // whether files of labels have a header, if another reader found that out

	schema *pipeline.Schema
	width  int               // number of feature columns; label columns follow
	apart  []pipeline.Column // columns of the files of labels
	pick   []int             // those of them that are labels
	at     int
	places []string // of the current sequence's steps
}

// findLabels finds the files of labels: those of the same names.
func (r *csvSequences) findLabels(place string) error {
	files, err := placeFiles(r.ctx, place)
	if err == nil {
		r.labels, err = PairLabels(r.files, files, place)
	}
	return err
}

// PairLabels returns the file of labels of each file: that of the same name. files are all those in the place.
func PairLabels(of, files []string, place string) (labels []string, err error) {
	known := map[string]string{}
	for _, f := range files {
		known[sequenceName(f)] = f
	}
	for _, f := range of {
		name := sequenceName(f)
		if known[name] == "" {
			return nil, fmt.Errorf("%s: there is no file of this name in labels=%s", f, place)
		}
		labels = append(labels, known[name])
		delete(known, name)
	}
	for _, f := range files {
		if _, left := known[sequenceName(f)]; left {
			return nil, fmt.Errorf("%s: there are labels, and no file of this name beside %s", f, of[0])
		}
	}
	return labels, nil
}

// sequenceName returns a file's name without its endings.
func sequenceName(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

// begin finds the columns of the first files.
func (r *csvSequences) begin() error {
	var labels []pipeline.Column
	r.ofLabels = r.csv
	if r.labels != nil {
		header, err := r.labelHeader()
		if err != nil {
			return err
		}
		r.ofLabels.Header = &header
		found, _, err := r.columns(r.labels[0], r.ofLabels, nil, false)
		if err != nil {
			return err
		}
		r.apart = labelColumns(found.Names())
		if labels, err = r.pickLabels(); err != nil {
			return err
		}
		if r.as != nil { // labels are not in the files of features
			r.as = r.as.With(slices.DeleteFunc(slices.Clone(r.as.Columns), func(c pipeline.Column) bool {
				return slices.ContainsFunc(r.apart, func(l pipeline.Column) bool { return l.Title() == c.Title() })
			}))
		}
	}
	first, _, err := r.columns(r.files[0], r.csv, r.as, false)
	if err != nil {
		return err
	}
	r.width = len(first.Columns)
	r.schema = &pipeline.Schema{Columns: slices.Concat(first.Columns, labels), Sequence: true}
	if name, twice := data.Repeated(r.schema.Names()); twice {
		return fmt.Errorf("%s: the column %q is there, and in %s, too; rename one of them", r.labels[0], name, r.files[0])
	}
	return nil
}

// pickLabels chooses the labels among the columns of the files of labels: those that a model or the setting names, or
// the only one. Other columns must not become features.
func (r *csvSequences) pickLabels() (labels []pipeline.Column, err error) {
	named := Values(r.csv.Label)
	for i, c := range r.apart {
		back := strconv.Itoa(i - len(r.apart))
		wanted := slices.Contains(named, c.Title()) || slices.Contains(named, back)
		if r.as != nil {
			wanted = r.as.Index(c.Title()) >= 0
		}
		if wanted {
			labels, r.pick = append(labels, c), append(r.pick, i)
		}
	}
	if labels != nil {
		return labels, nil
	}
	names := (&pipeline.Schema{Columns: r.apart}).Names()
	switch {
	case r.as == nil && r.csv.Label != "":
		return nil, fmt.Errorf("%s: there is no label column %s: there are %s", r.labels[0], data.ShortList(named),
			data.ShortList(names))
	case r.as == nil && len(r.apart) > 1:
		return nil, specf("the files of labels have the columns %s; label=COLUMNS says which are labels",
			data.ShortList(names))
	}
	for i := range r.apart {
		r.pick = append(r.pick, i)
	}
	return r.apart, nil
}

// labelHeader reports whether files of labels have a header. If no setting says so, they have one if the first line of
// the first file has no number, and if that file has one line more than there are steps, or two lines: a header and the
// label of the whole sequence. With align=, the numbers of lines prove nothing: files of labels have a header if files
// of features have one, unless a later line of the first file is the same: then the first one is a label, too.
func (r *csvSequences) labelHeader() (bool, error) {
	if r.told != nil {
		return *r.told, nil
	}
	if r.csv.Header != nil {
		return *r.csv.Header, nil
	}
	features, steps, err := r.columns(r.files[0], r.csv, nil, true)
	if err != nil {
		return false, err
	}
	none := r.csv
	none.Header = new(bool)
	_, lines, err := r.columns(r.labels[0], none, nil, true)
	if err != nil || len(lines) < 2 {
		return false, err
	}
	var first []string
	for _, v := range lines[0].row {
		first = append(first, v.String())
	}
	switch {
	case !r.csv.isHeader(first):
		return false, nil
	case r.align != "":
		again := slices.ContainsFunc(lines[1:], func(l placedRow) bool {
			return slices.EqualFunc(l.row, first, func(v pipeline.Value, s string) bool { return v.String() == s })
		})
		return features.Names()[0] != "0" && !again, nil
	}
	return len(lines) == len(steps)+1 || len(lines) == 2 && len(steps) != 2, nil
}

// labelColumns returns the columns of files of labels. Without a header, a single column is called "label".
func labelColumns(names []string) (columns []pipeline.Column) {
	for i, name := range names {
		if name == fmt.Sprint(i) {
			if name = "label"; len(names) > 1 {
				name += fmt.Sprint(i)
			}
		}
		columns = append(columns, pipeline.StringColumn{Name: name})
	}
	return columns
}

// columns returns the columns of a file and, if all is set, its rows with their places.
func (r *csvSequences) columns(path string, c CSV, as *pipeline.Schema, all bool) (*pipeline.Schema, []placedRow,
	error) {
	open := r.content
	if open == nil {
		open = func(path string) (io.Reader, io.Closer, error) {
			f, err := storage.OpenWatched(r.ctx, path)
			return f, f, err
		}
	}
	in, closer, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	if r.content == nil {
		defer closer.Close()
	}
	rows := &csvRows{as: as}
	defer rows.Close()
	rows.ctx = r.ctx
	rows.format = c.format()
	rows.header = func(record []string) (bool, error) { return c.isRawHeader(record, as), nil }
	if err := rows.openText(path, in, rows.format); err != nil {
		return nil, nil, err
	}
	if err := rows.begin(path); err != nil {
		return nil, nil, err
	}
	var list []placedRow
	for all {
		item, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, placedRow{item.Row, rows.Place()})
	}
	return rows.schema, list, nil
}

type placedRow struct {
	row   pipeline.Row
	place string
}

// Schema returns the columns of the steps: first those of features, then those of labels.
func (r *csvSequences) Schema() *pipeline.Schema { return r.schema }

// Next reads the next file.
func (r *csvSequences) Next() (pipeline.Item, error) {
	if r.at == len(r.files) {
		return pipeline.Item{}, io.EOF
	}
	r.at++
	file := r.files[r.at-1]
	steps, err := r.read(file, r.files[0], r.schema.Columns[:r.width], r.csv, r.as)
	if err != nil {
		return pipeline.Item{}, err
	}
	if len(steps) == 0 {
		return pipeline.Item{}, &RowError{Err: fmt.Errorf("%s: the sequence has no steps; leave the file out", file)}
	}
	rows := make([]pipeline.Row, len(steps))
	r.places = r.places[:0]
	for i, s := range steps {
		rows[i], r.places = s.row, append(r.places, s.place)
	}
	if r.labels != nil {
		err = r.addLabels(rows)
	}
	return pipeline.Item{Sequence: rows}, err
}

// read reads a file. Its columns may be in another order than those of the first file, which want has.
func (r *csvSequences) read(file, firstFile string, want []pipeline.Column, c CSV,
	as *pipeline.Schema) ([]placedRow, error) {
	found, steps, err := r.columns(file, c, as, true)
	if err != nil {
		return nil, err
	}
	if len(found.Columns) != len(want) {
		return nil, fmt.Errorf("%s: there are %d columns, and %d in %s: all files need the same", file,
			len(found.Columns), len(want), firstFile)
	}
	order := make([]int, len(want))
	moved := false
	for i, c := range want {
		order[i] = found.Index(c.Title())
		moved = moved || order[i] != i
	}
	switch {
	case !moved, !slices.ContainsFunc(order, func(i int) bool { return i >= 0 }) && found.Index("0") == 0:
		return steps, nil
	case slices.Contains(order, -1):
		return nil, fmt.Errorf("%s: the columns are %s, and those of %s are %s: all files need the same", file,
			data.ShortList(found.Names()), firstFile, data.ShortList((&pipeline.Schema{Columns: want}).Names()))
	}
	for k, s := range steps {
		row := make(pipeline.Row, len(order))
		for i, at := range order {
			row[i] = s.row[at]
		}
		steps[k].row = row
	}
	return steps, nil
}

// addLabels adds the labels to the steps of the current sequence. A single label is repeated for all steps. If there
// are fewer labels than steps, the other steps' labels are null.
func (r *csvSequences) addLabels(rows []pipeline.Row) error {
	file := r.labels[r.at-1]
	labels, err := r.read(file, r.labels[0], r.apart, r.ofLabels, nil)
	if err != nil {
		return err
	}
	from, fewer := 0, len(labels) < len(rows)
	switch {
	case len(labels) == 1 && r.align == "":
		for range rows[1:] {
			labels = append(labels, labels[0])
		}
	case len(labels) > len(rows) && r.align != "":
		return &RowError{Err: fmt.Errorf("%s: there are %d labels, and only %d steps in %s; remove labels, or add steps",
			file, len(labels), len(rows), r.files[r.at-1])}
	case len(labels) > len(rows), fewer && r.align != "start" && r.align != "end":
		return &RowError{Err: fmt.Errorf("%s: there are %d labels, and %d steps in %s; align=start or align=end says where "+
			"fewer labels stand", file, len(labels), len(rows), r.files[r.at-1])}
	case r.align == "end":
		from = len(rows) - len(labels)
	}
	for i, row := range rows {
		of := make(pipeline.Row, len(r.pick))
		if k := i - from; k >= 0 && k < len(labels) {
			for n, at := range r.pick {
				of[n] = labels[k].row[at]
			}
		}
		rows[i] = slices.Concat(row, of)
	}
	return nil
}

// Key returns the name of the current sequence: that of its file.
func (r *csvSequences) Key() string { return sequenceName(r.files[max(r.at-1, 0)]) }

// Place returns the file's path.
func (r *csvSequences) Place() string { return r.files[max(r.at-1, 0)] }

// StepPlace returns the line of a step.
func (r *csvSequences) StepPlace(step int) string { return r.places[step] }

// Close does nothing, as each file is closed when it was read.
func (r *csvSequences) Close() error { return nil }
