package source

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
)

func init() { Register("libsvm", libSVMKind{}) }

// libSVMKind is libsvm:FILE?features=…&classes=…&labels=…&regression=….
type libSVMKind struct{}

func (libSVMKind) About() About {
	return About{
		Form:    "libsvm:FILE?features=N&classes=N",
		Text:    "LIBSVM's format",
		More:    "labels=-1,1 names labels that are not 0, 1, …; regression=true takes them as numbers.",
		Endings: []string{".libsvm", ".svm"},
		Settings: []Setting{
			{Name: "features", Value: "N", Text: "how many features", List: true},
			{Name: "classes", Value: "N", Text: "number of classes"},
			{Name: "labels", Flag: "names", Value: "LIST", Text: "the classes, in order", List: true},
			{Name: "regression", Text: "labels are numbers, not classes", Switch: true},
		},
	}
}

func (libSVMKind) Check(n Name, o Options) error {
	_, err := libSVMOf(n, o.labels())
	return err
}

func (libSVMKind) Open(ctx context.Context, n Name, o Options) (Source, error) {
	svm, err := libSVMOf(n, o)
	if err != nil {
		return nil, err
	}
	t, err := openLibSVM(ctx, n.Place, svm)
	if err != nil {
		return nil, err
	}
	t.info.Name = n.String()
	return t, nil
}

func (libSVMKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	svm, err := libSVMOf(n, o.labels())
	if err != nil {
		return nil, err
	}
	rows, err := newLibSVMStream(n.Place, svm, !o.Unlabelled)
	if err != nil {
		return nil, err
	}
	return openFiles(ctx, rows, n.Place)
}

// Streams is false if only all lines together tell the columns or the classes.
func (libSVMKind) Streams(n Name, o Options) bool {
	svm, err := libSVMOf(n, Options{})
	if err == nil {
		_, err = newLibSVMStream(n.Place, svm, !o.Unlabelled)
	}
	return err == nil
}

// ByWorkers is true for URLs if the settings say everything that a single file, or a worker's part of it, does not
// tell. Other files are on the driver's machine.
func (libSVMKind) ByWorkers(n Name) bool {
	svm, err := libSVMOf(n, Options{})
	return err == nil && strings.Contains(n.Place, "://") && svm.Complete() == nil
}

func (libSVMKind) ReadFile(n Name, o Options, path string, content Content,
	each func(*data.MultiDataSet) error) error {
	svm, err := libSVMOf(n, o.labels())
	if err != nil {
		return err
	}
	return ReadLibSVM(path, content, svm, each)
}

// Name returns the name of data with these settings. The place may be a file or a directory.
func (o LibSVM) Name(place string) Name {
	n := Name{Kind: "libsvm", Place: place, Settings: map[string]string{}}
	if o.Features > 0 {
		n.Settings["features"] = strconv.Itoa(o.Features)
	}
	if o.Classes > 0 {
		n.Settings["classes"] = strconv.Itoa(o.Classes)
	}
	if o.Labels != nil {
		n.Settings["labels"] = strings.Join(o.names(), ",")
	}
	if o.Regression {
		n.Settings["regression"] = "true"
	}
	return n
}

// labels removes the classes of the model if labels are not wanted.
func (o Options) labels() Options {
	if o.Unlabelled {
		o.As = nil
	}
	return o
}

// libSVMOf returns the settings of a libsvm: name. Its labels are the classes of the model that it is opened for.
func libSVMOf(n Name, to Options) (o LibSVM, err error) {
	if n.Place == "" {
		return o, specf("a file is needed: libsvm:FILE?features=N&classes=N")
	}
	if o.Features, err = n.count("features", "a number of features should be here"); err != nil {
		return o, err
	}
	if o.Classes, err = n.count("classes", noClasses); err != nil {
		return o, err
	}
	if v, ok := n.Settings["labels"]; ok {
		for _, s := range Values(v) {
			l, err := number(strings.TrimSpace(s))
			if err != nil || slices.Contains(o.Labels, l) {
				return o, &SettingError{"labels", v, "the different labels should be here, as numbers, in the order of the classes"}
			}
			o.Labels = append(o.Labels, l)
		}
	}
	regression, err := n.flag("regression")
	if err != nil {
		return o, err
	}
	o.Regression = regression != nil && *regression
	if err := o.check(); err != nil {
		return o, err
	}
	return o.as(to.As)
}

// as returns the options with the classes of a schema as labels. It returns a MismatchError if the options name other
// classes.
func (o LibSVM) as(s *data.Schema) (LibSVM, error) {
	if s == nil || s.Classes == nil || o.Regression {
		return o, nil
	}
	mismatch := func(format string, args ...any) (LibSVM, error) {
		return o, &MismatchError{fmt.Errorf(format+", and the model's classes are %s",
			append(args, data.ShortList(s.Classes))...)}
	}
	if o.Classes > 0 && o.Classes != len(s.Classes) {
		return mismatch("classes=%d", o.Classes)
	}
	find := s.ClassFinder()
	for _, name := range o.names() {
		if find(name) < 0 {
			return mismatch("labels has %s", name)
		}
	}
	if s.Numbered() {
		o.Classes, o.Labels = len(s.Classes), nil
		return o, nil
	}
	var labels []float64
	for _, name := range s.Classes {
		l, err := number(name)
		if err != nil && o.Classes == 0 {
			return mismatch("labels are numbers; classes=%d says that they are those of classes", len(s.Classes))
		}
		if err != nil {
			return o, nil
		}
		labels = append(labels, l)
	}
	if o.Classes > 0 {
		return mismatch("classes=%d takes labels as 0 to %d", o.Classes, o.Classes-1)
	}
	o.Labels = labels
	return o, nil
}
