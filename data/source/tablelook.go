package source

import (
	"errors"
	"io"
	"slices"

	"github.com/dl4go/dl4go/data"
)

// TableFiles is a [FileReader] of tables without a pipeline. Before workers read the files, one of them looks at the
// first file, which tells the columns of the table: see [Look]. If no setting says the classes, the workers look for
// them in all files: see [FoundLabels]. The results are in Options.Table and Options.As when the files are read.
type TableFiles interface {
	FileReader
	// settings returns the settings of the named data.
	settings(n Name, o Options) (CSV, error)
	// openFile begins to read a file.
	openFile(n Name, o Options, path string, content Content) (tableFile, error)
}

// tableFile is an open file of a table.
type tableFile interface {
	// look reads the columns. Width is 0 if the file tells nothing.
	look() (TableLook, error)
	// labels reads all rows for the different labels.
	labels() ([]FoundLabel, error)
	close() error
}

// Look returns what the first file of a table tells of it. Its Width is 0 if the file tells nothing.
func Look(k TableFiles, n Name, o Options, path string, content Content) (TableLook, error) {
	f, err := k.openFile(n, o, path, content)
	if err != nil {
		return TableLook{}, err
	}
	look, err := f.look()
	return look, errors.Join(err, f.close())
}

// FoundLabels returns the different labels of a file of a table.
func FoundLabels(k TableFiles, n Name, o Options, path string, content Content) ([]FoundLabel, error) {
	f, err := k.openFile(n, o, path, content)
	if err != nil {
		return nil, err
	}
	labels, err := f.labels()
	return labels, errors.Join(err, f.close())
}

// TableLook is what the first file of a table tells of all files.
type TableLook struct {
	Path string
	// Columns are the names of the columns, or nil if the files have none. Width is the number of columns.
	Columns []string `json:",omitempty"`
	Width   int
	// Arrays has the lengths of columns of arrays. Such a column is one of Columns for each of its numbers.
	Arrays map[string]int `json:",omitempty"`
	// Label, Key and Weights replace the settings, if Columns has names for them.
	Label, Key, Weights string `json:",omitempty"`
	// Found means that the classes were found in the files.
	Found bool `json:",omitempty"`
}

// FoundLabel is a label, and the place where it occurs first.
type FoundLabel struct {
	Text, File   string
	Line, Column int
}

// NeedsClasses reports whether the files of a table have to be read to find the classes.
func NeedsClasses(k TableFiles, n Name, o Options) bool {
	c, err := k.settings(n, o)
	return err == nil && c.asKnown().checkStream(!o.Unlabelled) != nil
}

// WithClasses returns the options with the classes among the labels that were found. There is at least one label.
func WithClasses(k TableFiles, n Name, o Options, labels []FoundLabel) (Options, error) {
	c, err := k.settings(n, o)
	if err != nil {
		return o, err
	}
	all := newChoice(n.Place, c, false, func(p place, problem string) error {
		if p.column == 0 {
			return &TableError{p.file, int64(p.line), problem}
		}
		return &CSVError{Path: p.file, Line: p.line, Column: p.column, Problem: problem}
	})
	for _, l := range labels {
		if err := all.label(l.Text, 0, place{line: l.Line, column: l.Column, file: l.File}); err != nil {
			return o, err
		}
	}
	_, names, classes, err := all.classes()
	if err != nil {
		return o, err
	}
	as := data.Schema{}
	if o.As != nil {
		as = *o.As
	}
	as.Classes = classNames(names, classes)
	table := *o.Table
	table.Found = true
	o.As, o.Table = &as, &table
	return o, nil
}

// look returns what the file that was read tells of the table.
func (r *choice) look(path string) TableLook {
	l := TableLook{Path: path, Columns: r.columns, Width: len(r.isLabel), Label: r.options.Label, Key: r.options.Key,
		Weights: r.options.Weights}
	if r.columns == nil {
		return l
	}
	var labels []string
	for i, name := range r.columns {
		switch {
		case r.isLabel[i]:
			labels = append(labels, name)
		case i == r.key:
			l.Key = name
		case i == r.weight:
			l.Weights = name
		}
	}
	if _, twice := data.Repeated(r.columns); twice {
		return l // the columns are in the same order in all files
	}
	switch {
	case labels == nil:
	case r.options.Regression:
		l.Label = JoinValues(labels)
	default:
		l.Label = labels[0]
	}
	return l
}

// ofTable makes the reader read a file of a table with these columns.
func (r *choice) ofTable(t *TableLook) error {
	r.columns = t.Columns
	r.options.Label, r.options.Key, r.options.Weights = t.Label, t.Key, t.Weights
	return r.findLabels(t.Width)
}

// found returns the labels that were read.
func (r *choice) found() (labels []FoundLabel) {
	for i, name := range r.names {
		labels = append(labels, FoundLabel{Text: name, File: r.firstAt[i].file, Line: r.firstAt[i].line,
			Column: r.firstAt[i].column})
	}
	return labels
}

// labelsOf reads all rows for the labels. more reads the next rows.
func (s *gathered) labelsOf(more func() error) ([]FoundLabel, error) {
	for {
		s.empty()
		err := more()
		if err == io.EOF {
			return slices.Clip(s.found()), nil
		}
		if err != nil {
			return nil, err
		}
	}
}
