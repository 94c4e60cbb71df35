package source

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// maxClasses bounds the classes that are found in a file: more are a sign that the labels are no classes.
const maxClasses = 10_000

// OpenCSV reads a CSV file into memory: features [columns], labels [classes] one-hot or, for regression, the numbers
// [label columns]. Errors name the file, line and column (in characters) of the field.
func OpenCSV(path string, o CSV) (Table, error) {
	t, err := openCSV(path, o)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func openCSV(path string, o CSV) (*table, error) {
	f, err := storage.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csvReader{path: path, options: o}
	if err := r.read(f); err != nil {
		return nil, err
	}
	return r.table()
}

// CSVError says where in a CSV file something is wrong.
type CSVError struct {
	Path         string
	Line, Column int // counted from 1; 0 if the trouble has no place
	Problem      string
}

func (e *CSVError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Problem)
}

type csvReader struct {
	path    string
	options CSV

	csv      *csv.Reader
	columns  []string // the header; nil if there is none
	isLabel  []bool
	features int // columns of features
	targets  int // columns of labels

	rows    int
	values  []float32 // features, row by row
	targetV []float32 // labels of a regression, row by row
	class   []int32   // index in names, of each row
	names   []string  // different labels in order of appearance
	nameAt  map[string]int32
	firstAt []place // of each name
}

type place struct{ line, column int }

func (r *csvReader) errorf(p place, format string, args ...any) error {
	return &CSVError{r.path, p.line, p.column, fmt.Sprintf(format, args...)}
}

func (r *csvReader) at(field int) place {
	line, column := r.csv.FieldPos(field)
	return place{line, column}
}

func (r *csvReader) read(file io.Reader) error {
	in := bufio.NewReader(file)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	r.csv = csv.NewReader(in)
	r.csv.ReuseRecord = true
	if r.options.Delimiter != 0 {
		r.csv.Comma = r.options.Delimiter
	}
	r.nameAt = map[string]int32{}
	for first := true; ; first = false {
		record, err := r.csv.Read()
		var p *csv.ParseError
		switch {
		case err == io.EOF:
			if r.rows == 0 {
				return r.errorf(place{}, "there are no examples in it")
			}
			return nil
		case errors.As(err, &p) && errors.Is(err, csv.ErrFieldCount):
			return r.errorf(place{p.Line, 1}, "this line has %d fields, the first line has %d", len(record), r.csv.FieldsPerRecord)
		case errors.As(err, &p):
			return r.errorf(place{p.Line, p.Column}, "%v", p.Err)
		case err != nil:
			return fmt.Errorf("%s: %w", r.path, err)
		}
		if first {
			header := r.isHeader(record)
			if header {
				r.columns = slices.Clone(record)
			}
			if err := r.findLabels(len(record)); err != nil {
				return err
			}
			if header {
				continue
			}
		}
		if err := r.record(record); err != nil {
			return err
		}
	}
}

func (r *csvReader) isHeader(record []string) bool {
	if r.options.Header != nil {
		return *r.options.Header
	}
	for _, s := range record {
		if _, err := strconv.ParseFloat(strings.TrimSpace(s), 32); err == nil {
			return false
		}
	}
	return true
}

// findLabels decides which columns are labels.
func (r *csvReader) findLabels(n int) error {
	r.isLabel = make([]bool, n)
	label := r.options.Label
	if label == "" {
		label = "-1"
	}
	wanted := []string{label}
	if r.options.Regression {
		wanted = strings.Split(label, ",")
	}
	for _, w := range wanted {
		at := slices.Index(r.columns, w)
		if at < 0 && w == "none" && len(wanted) == 1 {
			break
		}
		if at < 0 {
			i, err := strconv.Atoi(w)
			if i < 0 {
				i += n
			}
			if err != nil || i < 0 || i >= n {
				if r.columns == nil {
					return r.errorf(place{1, 1}, "there is no label column %q: there are %d columns, counted from 0, and no header", w, n)
				}
				return r.errorf(place{1, 1}, "there is no label column %q: there are %s", w, shortList(r.columns))
			}
			at = i
		}
		if !r.isLabel[at] {
			r.isLabel[at] = true
			r.targets++
		}
	}
	r.features = n - r.targets
	if r.features == 0 {
		hint := ""
		if r.options.Delimiter == 0 && n == 1 {
			hint = "; delimiter=… tells what separates columns if it is not a comma"
		}
		return r.errorf(place{1, 1}, "all columns are labels: none is left for features%s", hint)
	}
	if o := r.options; o.Height > 0 && o.Height*o.Width != r.features {
		return r.errorf(place{1, 1}, "an image of %dx%d has %d pixels, and there are %d columns of features", o.Height, o.Width,
			o.Height*o.Width, r.features)
	}
	return nil
}

func shortList(names []string) string {
	if len(names) > 20 {
		return strings.Join(names[:20], ", ") + fmt.Sprintf(" and %d more", len(names)-20)
	}
	return strings.Join(names, ", ")
}

func (r *csvReader) columnName(i int) string {
	if r.columns != nil {
		return strconv.Quote(r.columns[i])
	}
	return strconv.Itoa(i)
}

func (r *csvReader) record(record []string) error {
	for i, s := range record {
		s = strings.TrimSpace(s)
		if r.isLabel[i] && !r.options.Regression {
			if err := r.label(s, i); err != nil {
				return err
			}
			continue
		}
		v, err := strconv.ParseFloat(s, 32)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			what := strconv.Quote(shorten(s)) + " is not a finite number"
			if s == "" {
				what = "the value is missing"
			}
			return r.errorf(r.at(i), "column %s: %s", r.columnName(i), what)
		}
		if r.isLabel[i] {
			r.targetV = append(r.targetV, float32(v))
		} else {
			r.values = append(r.values, float32(v))
		}
	}
	r.rows++
	return nil
}

func shorten(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// label takes the class of the row.
func (r *csvReader) label(s string, column int) error {
	if s == "" {
		return r.errorf(r.at(column), "column %s: the label is missing", r.columnName(column))
	}
	k, known := r.nameAt[s]
	if !known {
		if len(r.names) == maxClasses {
			return r.errorf(r.at(column), "there are more than %d different labels: say regression=true if they are numbers, "+
				"not classes", maxClasses)
		}
		k = int32(len(r.names))
		s = strings.Clone(s)
		r.nameAt[s] = k
		r.names = append(r.names, s)
		r.firstAt = append(r.firstAt, r.at(column))
	}
	r.class = append(r.class, k)
	return nil
}

// table orders the classes.
func (r *csvReader) table() (*table, error) {
	info := Info{Name: "csv:" + r.path, Examples: r.rows, Features: []tensor.Shape{{r.features}}}
	if r.options.Height > 0 {
		info.Image = &Image{r.options.Height, r.options.Width, 1}
	}
	features := func(i int, x []float32) { copy(x, r.values[i*r.features:]) }
	if r.targets == 0 {
		return &table{info, func(i int, x, _ []float32) { features(i, x) }}, nil
	}
	if r.options.Regression {
		info.Labels = []tensor.Shape{{r.targets}}
		return &table{info, func(i int, x, y []float32) {
			features(i, x)
			copy(y, r.targetV[i*r.targets:])
		}}, nil
	}
	position, names, classes, err := r.classes()
	if err != nil {
		return nil, err
	}
	info.Classes, info.LabelNames, info.Labels = classes, names, []tensor.Shape{{classes}}
	return &table{info, func(i int, x, y []float32) {
		features(i, x)
		y[position[r.class[i]]] = 1
	}}, nil
}

// classes gives each label's class, the classes' names and their number.
func (r *csvReader) classes() (position []int, names []string, classes int, err error) {
	position = make([]int, len(r.names))
	o := r.options
	if o.Names != nil {
		if o.Classes != 0 && o.Classes != len(o.Names) {
			return nil, nil, 0, fmt.Errorf("classes=%d, but names lists %d", o.Classes, len(o.Names))
		}
		for i, s := range r.names {
			if position[i] = slices.Index(o.Names, s); position[i] < 0 {
				return nil, nil, 0, r.errorf(r.firstAt[i], "the label %q is none of names=%s", shorten(s), strings.Join(o.Names, ","))
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
			return nil, nil, 0, r.errorf(r.firstAt[i], "the label %s is not a class: say regression=true if it is a number to be predicted", s)
		}
		if c := numbers[i]; o.Classes > 0 && numeric && !(c >= 0 && c < float64(o.Classes) && c == math.Trunc(c)) {
			return nil, nil, 0, r.errorf(r.firstAt[i], "the label %s is out of range: classes=%d allows 0 to %d", s, o.Classes, o.Classes-1)
		}
	}
	if numeric && o.Classes > 0 {
		for i, c := range numbers {
			position[i] = int(c)
		}
		return position, nil, o.Classes, nil
	}
	if o.Classes > 0 && len(r.names) > o.Classes {
		return nil, nil, 0, r.errorf(r.firstAt[o.Classes], "the label %q is one too many: classes=%d", shorten(r.names[o.Classes]), o.Classes)
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
	return position, names, max(o.Classes, len(names)), nil
}
