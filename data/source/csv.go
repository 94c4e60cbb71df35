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

	csv        *csv.Reader
	begun      bool
	columns    []string // the header; nil if there is none
	isLabel    []bool
	key        int  // its column; -1 if there is none
	unlabelled bool // labels are not read
	features   int  // columns of features
	targets    int  // columns of labels

	rows    int
	values  []float32 // features, row by row
	keys    []string  // of the rows
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

// open prepares to read.
func (r *csvReader) open(file io.Reader) {
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
}

// read reads all rows.
func (r *csvReader) read(file io.Reader) error {
	r.open(file)
	for {
		if err := r.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// next reads a row. It fails with io.EOF after the last one, and where there is none at all with another error.
func (r *csvReader) next() error {
	for {
		record, err := r.csv.Read()
		var p *csv.ParseError
		switch {
		case err == io.EOF:
			if r.rows == 0 {
				return r.errorf(place{}, "there are no examples in it")
			}
			return io.EOF
		case errors.As(err, &p) && errors.Is(err, csv.ErrFieldCount):
			return r.errorf(place{p.Line, 1}, "this line has %d fields, the first line has %d", len(record), r.csv.FieldsPerRecord)
		case errors.As(err, &p):
			return r.errorf(place{p.Line, p.Column}, "%v", p.Err)
		case err != nil:
			return fmt.Errorf("%s: %w", r.path, err)
		}
		if !r.begun {
			r.begun = true
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
		return r.record(record)
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

// column finds a column by its name, or by its index from 0, or from the end if it is negative.
func (r *csvReader) column(what, name string, n int) (int, error) {
	if at := slices.Index(r.columns, name); at >= 0 {
		return at, nil
	}
	i, err := strconv.Atoi(name)
	if i < 0 {
		i += n
	}
	if err != nil || i < 0 || i >= n {
		if r.columns == nil {
			return 0, r.errorf(place{1, 1}, "there is no %s column %q: there are %d columns, counted from 0, and no header", what, name, n)
		}
		return 0, r.errorf(place{1, 1}, "there is no %s column %q: there are %s", what, name, shortList(r.columns))
	}
	return i, nil
}

// findLabels decides which columns are the key and labels.
func (r *csvReader) findLabels(n int) error {
	r.isLabel, r.key = make([]bool, n), -1
	if r.options.Key != "" {
		var err error
		if r.key, err = r.column("key", r.options.Key, n); err != nil {
			return err
		}
	}
	label := r.options.Label
	if label == "" {
		label = "-1"
		if r.key == n-1 {
			label = "-2"
		}
	}
	wanted := []string{label}
	if r.options.Regression {
		wanted = strings.Split(label, ",")
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
			return r.errorf(place{1, 1}, "column %s is both the key and a label", r.columnName(at))
		}
		if !r.isLabel[at] {
			r.isLabel[at] = true
			r.targets++
		}
	}
	r.features = n - r.targets
	if r.key >= 0 {
		r.features--
	}
	if r.features == 0 {
		hint := ""
		if r.options.Delimiter == 0 && n == 1 {
			hint = "; delimiter=… tells what separates columns if it is not a comma"
		}
		return r.errorf(place{1, 1}, "all columns are labels or the key: none is left for features%s", hint)
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
		if i == r.key {
			if s == "" {
				return r.errorf(r.at(i), "column %s: the key is missing", r.columnName(i))
			}
			r.keys = append(r.keys, strings.Clone(s))
			continue
		}
		if r.isLabel[i] && r.unlabelled {
			continue
		}
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

func (r *csvReader) info() Info {
	info := Info{Name: "csv:" + r.path, Examples: r.rows, Features: []tensor.Shape{{r.features}}}
	if r.options.Height > 0 {
		info.Image = &Image{r.options.Height, r.options.Width, 1}
	}
	return info
}

// table orders the classes.
func (r *csvReader) table() (*table, error) {
	info := r.info()
	features := func(i int, x []float32) { copy(x, r.values[i*r.features:]) }
	if r.targets == 0 {
		return &table{info, r.keys, func(i int, x, _ []float32) { features(i, x) }}, nil
	}
	if r.options.Regression {
		info.Labels = []tensor.Shape{{r.targets}}
		return &table{info, r.keys, func(i int, x, y []float32) {
			features(i, x)
			copy(y, r.targetV[i*r.targets:])
		}}, nil
	}
	position, names, classes, err := r.classes()
	if err != nil {
		return nil, err
	}
	info.Classes, info.LabelNames, info.Labels = classes, names, []tensor.Shape{{classes}}
	return &table{info, r.keys, func(i int, x, y []float32) {
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
