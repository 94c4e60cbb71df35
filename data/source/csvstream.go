package source

import (
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// csvStream gives a CSV file's rows.
type csvStream struct {
	csvReader
	position []int // the class of each name that has occurred
}

func newCSVStream(path string, o CSV, labels bool) (*csvStream, error) {
	o = o.asKnown()
	if labels && !o.knowsClasses() && o.Label != "none" && !o.Regression && o.Classes == 0 && o.Names == nil {
		return nil, specf("classes=N or names=… is needed, or regression=true: the first rows of a stream need not have all classes")
	}
	return &csvStream{csvReader: newCSVReader(streamName(path), o, !labels)}, nil
}

// Live says whether rows may be a while in coming.
func (s *csvStream) Live() bool { return s.live }

// Close ends the reading.
func (s *csvStream) Close() error { return s.close() }

func (s *csvStream) labelled() bool { return !s.unlabelled && s.targets > 0 }

// Info tells what the rows are like.
func (s *csvStream) Info() Info {
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

// Next reads a row.
func (s *csvStream) Next() (*data.MultiDataSet, error) {
	s.values, s.keys, s.targetV, s.class = s.values[:0], s.keys[:0], s.targetV[:0], s.class[:0]
	if err := s.csvReader.next(); err != nil {
		return nil, err
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(slices.Clone(s.values), 1, s.features)}}
	if s.key >= 0 {
		m.Meta = []string{s.keys[0]}
	}
	if !s.labelled() {
		return m, nil
	}
	if s.options.Regression {
		m.Labels = []*tensor.Dense{tensor.MustOf(slices.Clone(s.targetV), 1, s.targets)}
		return m, nil
	}
	if len(s.position) < len(s.names) {
		position, names, _, err := s.classes()
		_, listed := s.streamClasses()
		if err == nil && listed == nil && names != nil {
			err = s.errorf(s.firstAt[len(s.names)-1], "the label %q is no number: of a stream, names=… says which classes there are", shorten(s.names[len(s.names)-1]))
		}
		if err != nil {
			return nil, err
		}
		s.position = position
	}
	classes, names := s.streamClasses()
	y := tensor.New(1, classes)
	y.Data[s.position[s.class[0]]] = 1
	m.Labels, m.LabelNames = []*tensor.Dense{y}, names
	return m, nil
}

// streamClasses are the classes that the options say.
func (s *csvStream) streamClasses() (classes int, names []string) {
	o := s.options
	if o.knowsClasses() {
		return len(o.Schema.Classes), s.knownNames()
	}
	return max(o.Classes, len(o.Names)), o.Names
}
