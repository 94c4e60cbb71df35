package source

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// LibSVM holds the settings of a file in LIBSVM's format. Each line is an example, LABEL INDEX:VALUE …, with indices
// from 1 in ascending order. Missing features are 0. A # begins a comment, and qid:N after the label is ignored. The
// zero value reads the labels as classes.
type LibSVM struct {
	// Features is the number of features; 0 means the largest index in the file.
	Features int `json:",omitempty"`
	// Classes is the number of classes. If it is not 0, labels are 0 … Classes-1. With 0 the classes are the different
	// labels of the file, in numeric order.
	Classes int `json:",omitempty"`
	// Labels lists the labels in the order of the classes, if they are not 0, 1, …: -1 and 1, for example.
	Labels []float64 `json:",omitempty"`
	// Regression takes the label as a number, not as a class.
	Regression bool `json:",omitempty"`
}

// maxFound limits the number of features that the indices in a file may determine.
const maxFound = 1 << 20

// OpenLibSVM reads a file in LIBSVM's format, as MLlib's loadLibSVMFile does: features [Features], labels [classes]
// one-hot or, for regression, [1]. The file is kept in memory in its sparse form. Errors name the file and the line.
func OpenLibSVM(ctx context.Context, path string, o LibSVM) (Table, error) {
	t, err := openLibSVM(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// sparse holds the rows of a file.
type sparse struct {
	labels  []float64
	lines   []int
	ends    []int // index after each row's features
	indices []int32
	values  []float32
}

func openLibSVM(ctx context.Context, path string, o LibSVM) (*table, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	f, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var s sparse
	largest := int32(-1)
	err = eachPoint(path, f, o, func(p point) error {
		s.labels, s.lines = append(s.labels, p.label), append(s.lines, p.line)
		s.indices, s.values = append(s.indices, p.indices...), append(s.values, p.values...)
		s.ends = append(s.ends, len(s.indices))
		if n := len(p.indices); n > 0 {
			largest = max(largest, p.indices[n-1])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.labels) == 0 {
		return nil, &LibSVMError{path, 0, "there are no examples in it"}
	}
	if o.Features == 0 {
		if o.Features = int(largest) + 1; o.Features == 0 || o.Features > maxFound {
			return nil, &LibSVMError{path, 0,
				fmt.Sprintf("its largest index is %d: say with features=N how many features there are", o.Features)}
		}
	}
	if err := checkup.Fits(4 * int64(o.Features)); err != nil {
		return nil, &LibSVMError{path, 0, fmt.Sprintf("rows are dense, and one of %d features: %v", o.Features, err)}
	}
	info := Info{Name: "libsvm:" + path, Examples: len(s.labels), Features: []tensor.Shape{{o.Features}},
		Labels: []tensor.Shape{{1}}}
	class := make([]int, len(s.labels))
	if !o.Regression {
		if o.Classes == 0 && o.Labels == nil {
			o.Labels = different(s.labels)
			if len(o.Labels) > maxNumbers {
				return nil, &LibSVMError{path, 0,
					fmt.Sprintf("the label is one of %d different numbers: say regression=true if it is a number to be predicted; "+
						"say classes=N if it is one of the classes 0 to N-1, or list them with labels=…", len(o.Labels))}
			}
			info.ClassesFound = true
			for i, l := range s.labels {
				if l != math.Trunc(l) {
					return nil, &LibSVMError{path, s.lines[i],
						fmt.Sprintf("the label %v is not a class: say regression=true if it is a "+
							"number to be predicted", l)}
				}
			}
		}
		for i, l := range s.labels {
			if class[i], err = o.class(l); err != nil {
				return nil, &LibSVMError{path, s.lines[i], err.Error()}
			}
		}
		info.Classes, info.LabelNames = o.classes(), o.names()
		info.Labels = []tensor.Shape{{info.Classes}}
		info.Schema = &data.Schema{Classes: classNames(info.LabelNames, info.Classes)}
	}
	return &table{info: info, fill: func(i int, x, y []float32) {
		from := 0
		if i > 0 {
			from = s.ends[i-1]
		}
		for k := from; k < s.ends[i]; k++ {
			x[s.indices[k]] = s.values[k]
		}
		if o.Regression {
			y[0] = float32(s.labels[i])
		} else {
			y[class[i]] = 1
		}
	}}, nil
}

func different(labels []float64) []float64 {
	known := map[float64]bool{}
	for _, l := range labels {
		if known[l] = true; len(known) > maxClasses {
			break
		}
	}
	var all []float64
	for l := range known {
		all = append(all, l)
	}
	slices.Sort(all)
	return all
}

// ReadLibSVM calls each with the examples of a file in LIBSVM's format, one by one. Features must be set, and Classes
// or Labels unless Regression is. Each example belongs to the callee.
func ReadLibSVM(path string, r io.Reader, o LibSVM, each func(*data.MultiDataSet) error) error {
	if err := o.Complete(); err != nil {
		return err
	}
	return eachPoint(path, r, o, func(p point) error {
		m, err := o.example(path, p)
		if err != nil {
			return err
		}
		return each(m)
	})
}

// example returns the example of a line.
func (o LibSVM) example(path string, p point) (*data.MultiDataSet, error) {
	dense := data.LabeledPoint{Label: p.label, Features: make([]float32, o.Features)}
	for k, i := range p.indices {
		dense.Features[i] = p.values[k]
	}
	classes := 0
	if !o.Regression {
		c, err := o.class(p.label)
		if err != nil {
			return nil, &LibSVMError{path, p.line, err.Error()}
		}
		dense.Label, classes = float64(c), o.classes()
	}
	m, err := dense.Example(classes)
	if err != nil {
		return nil, &LibSVMError{path, p.line, err.Error()}
	}
	m.LabelNames = o.names()
	return m, nil
}

// Complete returns an error if a setting is missing that ReadLibSVM needs. ReadLibSVM needs them because it does not
// look ahead.
func (o LibSVM) Complete() error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Features == 0 {
		return specf("features=N is needed: one file's largest index need not be that of all")
	}
	if !o.Regression && o.classes() == 0 {
		return specf("classes=N or labels=… is needed, or regression=true: one file need not have all classes")
	}
	return nil
}

func (o LibSVM) check() error {
	switch {
	case o.Features < 0 || o.Features > math.MaxInt32:
		return specf("features=%d: a number of features should be here", o.Features)
	case o.Classes < 0:
		return specf("classes=%d: a number of classes should be here", o.Classes)
	case o.Regression && (o.Classes > 0 || o.Labels != nil):
		return specf("regression=true takes labels as numbers: classes and labels are for classification")
	case o.Classes > 0 && o.Labels != nil && o.Classes != len(o.Labels):
		return specf("classes=%d, but labels lists %d", o.Classes, len(o.Labels))
	}
	return nil
}

func (o LibSVM) classes() int { return max(o.Classes, len(o.Labels)) }

// names returns the names of the classes if they are not 0, 1, ….
func (o LibSVM) names() (names []string) {
	for _, l := range o.Labels {
		names = append(names, strconv.FormatFloat(l, 'g', -1, 64))
	}
	return names
}

// class returns the class of a label.
func (o LibSVM) class(label float64) (int, error) {
	if o.Labels != nil {
		if i := slices.Index(o.Labels, label); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("the label %v is none of labels=%s", label, strings.Join(o.names(), ","))
	}
	if c := int(label); float64(c) == label && c >= 0 && c < o.Classes {
		return c, nil
	}
	return 0, fmt.Errorf("the label %v is out of range: classes=%d allows 0 to %d; labels=… lists others", label,
		o.Classes, o.Classes-1)
}
