package onnx

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// columnScaling is the last step of a pipeline for one column: (x − first)/width + shift.
type columnScaling struct{ first, width, shift float64 }

// pipelineScaling returns the scalings at the end of the network's pipeline, by the columns of the features; nil if
// there are none. The inputs of the model are these columns before scaling.
func (e *exporter) pipelineScaling() ([]columnScaling, error) {
	steps, labels := e.net.Pipeline()
	schema := e.net.Schema()
	if steps == nil || schema == nil || e.options.NoNormalizer {
		return nil, nil
	}
	p, err := source.DecodePreparation(steps, labels)
	if err != nil {
		return nil, fmt.Errorf("the network's pipeline: %w", err)
	}
	return lastScalings(p.Pipeline.Steps, schema.Features), nil
}

// lastScalings walks back through the steps. The last step that names a column decides whether the column ends with a
// scaling.
func lastScalings(steps []pipeline.Step, columns []string) []columnScaling {
	out := make([]columnScaling, len(columns))
	for i := range out {
		out[i].width = 1
	}
	done := make([]bool, len(columns))
	some := false
	for i := len(steps) - 1; i >= 0; i-- {
		column, s, scales := scalingOf(steps[i])
		named := textsOf(reflect.ValueOf(steps[i]))
		if movesColumns(steps[i]) {
			continue
		}
		for k, name := range columns {
			switch {
			case scales && name == column && !done[k]:
				out[k], done[k], some = s, true, true
			case len(named) == 0 || slices.Contains(named, name):
				done[k] = true
			}
		}
	}
	if !some {
		return nil
	}
	return out
}

// scalingOf returns the scaling of a step.
func scalingOf(step any) (column string, s columnScaling, ok bool) {
	switch t := step.(type) {
	case pipeline.StandardizeNormalizer:
		return t.Column, columnScaling{t.Mean, t.Stdev, 0}, t.Stdev != 0
	case pipeline.SubtractMeanNormalizer:
		return t.Column, columnScaling{t.Mean, 1, 0}, true
	case pipeline.MinMaxNormalizer:
		width := (t.Max - t.Min) / (t.NewMax - t.NewMin)
		return t.Column, columnScaling{t.Min, width, t.NewMin}, width != 0 && width-width == 0
	}
	return "", s, false
}

// movesColumns reports whether a step does not change any values.
func movesColumns(step any) bool {
	switch step.(type) {
	case pipeline.ReorderColumns, pipeline.KeepColumns, pipeline.RemoveColumns:
		return true
	}
	return false
}

// textsOf lists all texts in a step, which include the names of its columns.
func textsOf(v reflect.Value) (texts []string) {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			return textsOf(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			texts = append(texts, textsOf(v.Field(i))...)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			texts = append(texts, textsOf(v.Index(i))...)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			texts = append(append(texts, textsOf(k)...), textsOf(v.MapIndex(k))...)
		}
	}
	return texts
}

// scaleColumns writes the pipeline's scaling of an input's columns.
func (e *exporter) scaleColumns(i int, f *flow, x input) error {
	list, err := e.pipelineScaling()
	if err != nil || list == nil || i > 0 {
		return err
	}
	if at := 0; len(x.shape) > 2 || x.timeAxis == 1 || x.shape[at] != len(list) {
		return nil // these are not a table's columns
	}
	var first, width, shift []float32
	shifts := false
	for _, s := range list {
		first, width, shift = append(first, float32(s.first)), append(width, float32(s.width)), append(shift,
			float32(s.shift))
		shifts = shifts || s.shift != 0
	}
	e.scope = "pipeline"
	scalings := []scaling{{"Sub", first}, {"Div", width}}
	if shifts {
		scalings = append(scalings, scaling{"Add", shift})
	}
	f.name = e.linear(f.name, scalings, len(x.shape))
	return nil
}
