package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// Survey describes files that workers have read: see [SurveyFiles].
type Survey struct {
	Info source.Info
	// Samples has one example for each combination of shapes. The lengths of time series make no difference.
	Samples []*data.MultiDataSet
	// From has the file of each sample.
	From []string
	// Files is the number of files, and Bytes their total size.
	Files int
	Bytes int64

	broken map[string]*source.RowError // the files that may be skipped, by path
	blank  map[string]bool             // the files without examples
}

// SurveyFiles lets the workers read the given files, to describe them and to check that all numbers are finite. The
// kind of the name is a [source.FileReader]. It fails if some files cannot be used, and names them (see
// source.Foreign), or if their examples do not fit together.
func SurveyFiles(ctx context.Context, n source.Name, rows *engine.Dataset, o source.Options) (*Survey, error) {
	return surveyFiles(ctx, filesOf{Name: n, For: o}, rows, false)
}

// surveyFiles is SurveyFiles. With skips it notes broken files instead of failing.
func surveyFiles(ctx context.Context, by filesOf, rows *engine.Dataset, skips bool) (*Survey, error) {
	all := Survey{broken: map[string]*source.RowError{}, blank: map[string]bool{}}
	var foreign []error
	first := ""
	known := make(map[string]bool)
	err := rows.Map(survey.With(by)).Collect(ctx, func(_ int, row engine.Row) error {
		var f surveyed
		if err := json.Unmarshal(row.Bytes, &f); err != nil {
			return err
		}
		all.Files++
		all.Bytes += f.Bytes
		if f.Broken != "" && skips {
			all.Files--
			all.Bytes -= f.Bytes
			all.broken[f.Path] = &source.RowError{Err: errors.New(f.Problem), Of: f.Broken}
			return nil
		}
		if f.Problem != "" {
			foreign = append(foreign, fmt.Errorf("%s", f.Problem))
			return nil
		}
		if f.Shape[0] == 0 {
			all.blank[f.Path] = true
			return nil
		}
		if all.Info.Features == nil {
			all.Info = *f.Info
			all.Info.Name, all.Info.Examples = by.Name.String(), 0
			first = f.Path
		}
		if f.Sample != nil && !known[f.Kind] {
			m, err := data.DecodeRow(f.Sample)
			if err != nil {
				return err
			}
			known[f.Kind] = true
			all.Samples, all.From = append(all.Samples, m), append(all.From, f.Path)
		}
		if err := all.Info.Add(f.Path, f.Shape, first); err != nil {
			foreign = append(foreign, by.unlike(err))
		}
		return nil
	})
	if err == nil {
		err = source.Foreign(all.Files, foreign)
	}
	if err == nil && all.Info.Examples == 0 && len(all.broken) == 0 {
		err = noExamples(by.Name)
	}
	return &all, err
}

func noExamples(n source.Name) error { return fmt.Errorf("there are no examples in %s", n) }

// unlike adds to the error of a file whose examples differ from others what to do about it.
func (f filesOf) unlike(err error) error {
	k, _ := source.KindOf(f.Name.Kind)
	if of, ok := k.(source.UnlikeReader); ok {
		return fmt.Errorf("%w (%s)", err, of.Unlike())
	}
	return err
}

// surveyed is a worker's result for a file. Info and Sample are only there for the first file of its kind in the
// partition.
type surveyed struct {
	Path    string       `json:"path"`
	Bytes   int64        `json:"bytes"`
	Problem string       `json:"problem,omitempty"`
	Broken  string       `json:"broken,omitempty"` // source.RowError.Of, if Problem is the text of a RowError
	Kind    string       `json:"kind,omitempty"`
	Shape   tensor.Shape `json:"shape,omitempty"`
	Info    *source.Info `json:"info,omitempty"`
	Sample  []byte       `json:"sample,omitempty"`
}

var survey = engine.Register("distributed.survey", func(t *engine.Task, files filesOf, in engine.Rows,
	out engine.Writer) error {
	known := make(map[string]bool)
	return files.each(t, in, func(files filesOf, path string, content source.Content) error {
		b, err := json.Marshal(files.survey(path, content, known))
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(b))
	})
})

func (f filesOf) survey(path string, content source.Content, known map[string]bool) surveyed {
	s := surveyed{Path: path, Bytes: content.Size()}
	m, examples, err := f.look(path, content)
	if err != nil {
		s.Problem = err.Error()
		if broken := (*source.RowError)(nil); errors.As(err, &broken) {
			s.Broken = broken.Of
		}
		return s
	}
	if m == nil {
		s.Shape = tensor.Shape{0}
		return s
	}
	s.Kind, s.Shape = kindOf(m), append(tensor.Shape{examples}, m.Features[0].Shape[1:]...)
	if known[s.Kind] || examples == 0 {
		return s
	}
	known[s.Kind] = true
	info := source.InfoOf("", m)
	k, _ := source.KindOf(f.Name.Kind)
	if named, ok := k.(source.NamedReader); ok {
		found, err := named.FileInfo(f.Name, f.For, path, content)
		if err != nil {
			s.Problem = err.Error()
			return s
		}
		info.Schema, info.Image, info.Unused, info.Weighted = found.Schema, found.Image, found.Unused, found.Weighted
	}
	s.Info, s.Sample = &info, data.AppendRow(nil, m.Slice(0, 1))
	return s
}

// look reads a whole file. It returns some of its examples, nil if there is none, and their number.
func (f filesOf) look(path string, content source.Content) (some *data.MultiDataSet, examples int, err error) {
	err = f.read(path, content, func(m *data.MultiDataSet) error {
		if examples += m.Examples(); some == nil {
			some = m
		}
		if err := m.CheckFinite(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	return some, examples, err
}

// kindOf describes the shapes of an example's arrays.
func kindOf(m *data.MultiDataSet) string {
	kind := ""
	for _, list := range [][]*tensor.Dense{m.Features, m.Labels, m.FeatureMasks, m.LabelMasks} {
		for _, a := range list {
			switch {
			case a == nil:
				kind += "-"
			case len(a.Shape) == 3:
				kind += fmt.Sprint(a.Shape[1])
			default:
				kind += fmt.Sprint(a.Shape[1:])
			}
		}
		kind += ";"
	}
	return kind
}
