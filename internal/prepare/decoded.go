package prepare

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// encodes reports whether a step turns the class of a label into a number, or scales a label.
func encodes(s pipeline.Step, labels []string) bool {
	switch s := s.(type) {
	case pipeline.CategoricalToInteger:
		return slices.Contains(labels, s.Column)
	case pipeline.StandardizeNormalizer:
		return slices.Contains(labels, s.Column)
	}
	return false
}

// decoded returns a given pipeline without the last steps of a label that make its class a number, or scale it, as a
// proposed one: so the model knows the names of the classes, and answers in the unit of the label. A label that other
// steps use after that stays as it is. So do classes that are to be numbers, or one of several labels.
func decoded(p *pipeline.Pipeline, labels []string, regression bool) (*pipeline.Pipeline, error) {
	short := &pipeline.Pipeline{Initial: p.Initial}
	used := false
	for _, s := range slices.Backward(p.Steps) {
		_, numbers := s.(pipeline.CategoricalToInteger)
		if encodes(s, labels) && !(numbers && (regression || len(labels) > 1)) && !used {
			continue
		}
		short.Steps = append(short.Steps, s)
		switch s.(type) {
		case pipeline.ReorderColumns, pipeline.RemoveColumns:
			continue
		}
		text, err := dl4j.Marshal(s)
		if err != nil {
			return nil, err
		}
		for _, label := range labels {
			used = used || bytes.Contains(text, []byte(strconv.Quote(label)))
		}
	}
	slices.Reverse(short.Steps)
	if _, err := short.Bind(); err != nil {
		return p, nil // a step needs the number
	}
	return short, nil
}

// arranged returns the classes of a given pipeline in the order that a person asks for. The order of one-hot columns
// can't be changed, nor can names. A mere number of classes says nothing about them.
func arranged(classes, asked []string, oneColumn bool, word string) ([]string, error) {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	switch {
	case asked == nil, slices.Equal(asked, data.ClassNumbers(len(classes))):
		return classes, nil
	case slices.Equal(asked, classes), oneColumn && slices.Equal(sorted(asked), sorted(classes)):
		return asked, nil
	}
	return nil, fmt.Errorf("%s: the pipeline gives the label the classes %s; leave the option out, or name these", word,
		data.ShortList(classes))
}
