package distributed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// Survey is what files of saved DataSets hold, as the workers have found by reading them.
type Survey struct {
	Info source.Info
	// Samples are examples, one of each kind: of two kinds are those whose arrays have other shapes, but for the lengths
	// of time series.
	Samples []*data.MultiDataSet
	// From are the files that the samples are from.
	From []string
	// Files is how many there are, and Bytes what they hold.
	Files int
	Bytes int64
}

// SurveyFiles has the workers look through files of saved DataSets, which the rows are, for what they hold and for
// numbers that are not finite. It fails where some can't be used, and names them (see source.Foreign), and where their
// examples don't go together.
func SurveyFiles(ctx context.Context, name string, rows *engine.Dataset) (*Survey, error) {
	var all Survey
	var foreign []error
	first := ""
	known := make(map[string]bool)
	err := rows.Map(survey.With(struct{}{})).Collect(ctx, func(_ int, row engine.Row) error {
		var f surveyed
		if err := json.Unmarshal(row.Bytes, &f); err != nil {
			return err
		}
		if all.Files++; all.Files == 1 {
			first = f.Path
		}
		all.Bytes += f.Bytes
		if f.Problem != "" {
			foreign = append(foreign, fmt.Errorf("%s", f.Problem))
			return nil
		}
		if len(foreign) > 0 || f.Shape[0] == 0 {
			return nil
		}
		if all.Info.Features == nil {
			all.Info = *f.Info
			all.Info.Name, all.Info.Examples = name, 0
		}
		if f.Sample != nil && !known[f.Kind] {
			m, err := data.DecodeRow(f.Sample)
			if err != nil {
				return err
			}
			known[f.Kind] = true
			all.Samples, all.From = append(all.Samples, m), append(all.From, f.Path)
		}
		return all.Info.Add(f.Path, f.Shape, first)
	})
	if err == nil {
		err = source.Foreign(all.Files, foreign)
	}
	if err == nil && all.Info.Examples == 0 {
		err = fmt.Errorf("there are no examples in %s", name)
	}
	return &all, err
}

// surveyed is what a worker says of a file. Info and Sample are there where its kind is the first of its partition.
type surveyed struct {
	Path    string       `json:"path"`
	Bytes   int64        `json:"bytes"`
	Problem string       `json:"problem,omitempty"`
	Kind    string       `json:"kind,omitempty"`
	Shape   tensor.Shape `json:"shape,omitempty"`
	Info    *source.Info `json:"info,omitempty"`
	Sample  []byte       `json:"sample,omitempty"`
}

var survey = engine.Register("distributed.survey", func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	known := make(map[string]bool)
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		file, err := engine.FileOf(row)
		if err != nil {
			return err
		}
		s := surveyFile(file, known)
		b, err := json.Marshal(s)
		if err == nil {
			err = out.Write(engine.Unindexed(b))
		}
		if err != nil {
			return err
		}
	}
	return nil
})

func surveyFile(file engine.File, known map[string]bool) surveyed {
	s := surveyed{Path: file.Path, Bytes: int64(len(file.Content))}
	m, err := data.Read(bytes.NewReader(file.Content), int64(len(file.Content)))
	if err = dl4j.In(err, file.Path, ""); err == nil {
		if err = m.Validate(); err == nil {
			err = m.CheckFinite()
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", file.Path, err)
		}
	}
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Kind, s.Shape = kindOf(m), m.Features[0].Shape
	if known[s.Kind] || m.Examples() == 0 {
		return s
	}
	known[s.Kind] = true
	info := source.InfoOf("", m)
	s.Info, s.Sample = &info, data.AppendRow(nil, m.Slice(0, 1))
	return s
}

// kindOf says what an example's arrays are like.
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
