package source

import (
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// gathered holds the rows of a table as numbers.
type gathered struct {
	choice
	kind     string
	rows     int       // number of rows read
	values   []float32 // features, row by row
	keys     []string  // of the rows
	weights  []float32 // of the rows
	targetV  []float32 // labels of a regression, row by row
	position []int     // the class of each name so far, where it is known before the last row
}

func newGathered(kind, path string, o CSV, unlabelled bool, fail func(p place, problem string) error) gathered {
	return gathered{kind: kind, choice: newChoice(path, o, unlabelled, fail)}
}

func (r *gathered) info() Info {
	info := Info{Name: r.kind + ":" + r.path, Examples: r.rows, Features: []tensor.Shape{{r.features}}, Unused: r.unused,
		Weighted: r.weight >= 0 && !r.unlabelled}
	if r.options.Height > 0 {
		info.Image = &Image{r.options.Height, r.options.Width, 1}
	}
	return info
}

// table returns the rows as a table, and puts the classes in order.
func (r *gathered) table() (*table, error) {
	info := r.info()
	features := func(i int, x []float32) { copy(x, r.values[i*r.features:]) }
	if r.targets == 0 {
		info.Schema = r.schema(nil)
		return &table{info: info, keys: r.keys, weights: r.weights,
			fill: func(i int, x, _ []float32) { features(i, x) }}, nil
	}
	if r.options.Regression {
		info.Labels, info.Schema = []tensor.Shape{{r.targets}}, r.schema(nil)
		return &table{info: info, keys: r.keys, weights: r.weights, fill: func(i int, x, y []float32) {
			features(i, x)
			copy(y, r.targetV[i*r.targets:])
		}}, nil
	}
	position, names, classes, err := r.classes()
	if err != nil {
		return nil, err
	}
	info.Classes, info.LabelNames, info.Labels = classes, names, []tensor.Shape{{classes}}
	info.Schema = r.schema(classNames(names, classes))
	info.ClassesFound = r.options.Classes == 0 && r.options.Names == nil && !r.options.knowsClasses()
	return &table{info: info, keys: r.keys, weights: r.weights, fill: func(i int, x, y []float32) {
		features(i, x)
		y[position[r.class[i]]] = 1
	}}, nil
}

// empty removes the rows. It keeps the known classes.
func (s *gathered) empty() {
	s.values, s.keys, s.targetV, s.class = s.values[:0], s.keys[:0], s.targetV[:0], s.class[:0]
	s.weights = s.weights[:0]
}

// lengths are the lengths of gathered's slices.
type lengths struct{ values, targets, keys, weights, class int }

func (s *gathered) lengths() lengths {
	return lengths{len(s.values), len(s.targetV), len(s.keys), len(s.weights), len(s.class)}
}

// cut drops what was added since these lengths were taken.
func (s *gathered) cut(to lengths) {
	s.values, s.targetV, s.keys = s.values[:to.values], s.targetV[:to.targets], s.keys[:to.keys]
	s.weights, s.class = s.weights[:to.weights], s.class[:to.class]
}

func (s *gathered) labelled() bool { return !s.unlabelled && s.targets > 0 }

// streamInfo describes the rows of a stream.
func (s *gathered) streamInfo() Info {
	info := s.info()
	info.Name, info.Examples = "", 0
	switch o := s.options; {
	case !s.labelled():
		info.Schema = s.schema(nil)
	case o.Regression:
		info.Labels, info.Schema = []tensor.Shape{{s.targets}}, s.schema(nil)
	default:
		info.Classes, info.LabelNames = s.streamClasses()
		info.Labels = []tensor.Shape{{info.Classes}}
		info.Schema = s.schema(classNames(info.LabelNames, info.Classes))
	}
	return info
}

// minibatch returns the gathered rows of a stream, and hands their memory over to the minibatch.
func (s *gathered) minibatch() (*data.MultiDataSet, error) {
	n := len(s.values) / s.features
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(handed(&s.values), n, s.features)}}
	if s.key >= 0 {
		m.Meta = handed(&s.keys)
	}
	if len(s.weights) > 0 {
		m.Weights = tensor.MustOf(handed(&s.weights), n, 1)
	}
	if !s.labelled() {
		return m, nil
	}
	if s.options.Regression {
		m.Labels = []*tensor.Dense{tensor.MustOf(handed(&s.targetV), n, s.targets)}
		return m, nil
	}
	if len(s.position) < len(s.names) {
		position, names, _, err := s.classes()
		_, listed := s.streamClasses()
		if err == nil && listed == nil && names != nil {
			err = s.errorf(s.firstAt[len(s.names)-1], "the label %q is not a number: "+
				"of a stream, names=… says which classes there are",
				shorten(s.names[len(s.names)-1]))
		}
		if err != nil {
			return nil, err
		}
		s.position = position
	}
	classes, names := s.streamClasses()
	y := tensor.New(n, classes)
	for i, class := range s.class {
		y.Data[i*classes+s.position[class]] = 1
	}
	m.Labels, m.LabelNames = []*tensor.Dense{y}, names
	return m, nil
}

// handed returns a slice, and sets the original to nil.
func handed[T any](s *[]T) []T {
	given := slices.Clip(*s)
	*s = nil
	return given
}

// streamClasses returns the number and the names of the classes in the options.
func (s *gathered) streamClasses() (classes int, names []string) {
	o := s.options
	if o.knowsClasses() {
		return len(o.Schema.Classes), s.knownNames()
	}
	return max(o.Classes, len(o.Names)), o.Names
}

// checkStream reports an error if the options don't tell the classes, as the first rows of a stream don't tell them.
func (o CSV) checkStream(labels bool) error {
	if labels && !o.knowsClasses() && o.Label != "none" && !o.Regression && o.Classes == 0 && o.Names == nil {
		return specf("classes=N or names=… is needed, or regression=true: " +
			"the first rows of a stream need not have all classes")
	}
	return nil
}
