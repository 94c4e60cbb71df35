package eval

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	register("EvaluationCalibration", func() Evaluator { return NewEvaluationCalibration() })
}

// binPredictions is the name of the only array that is not of counts.
const binPredictions = "rDiagBinSumPredictions"

// calibrationArrays are the arrays in the file's order, with the type of their numbers, and whether they are text or
// binary.
var calibrationArrays = []struct {
	name string
	kind dl4j.DataType
	text bool
}{
	{"rDiagBinPosCount", dl4j.Long, false},
	{"rDiagBinTotalCount", dl4j.Long, false},
	{binPredictions, dl4j.Double, false},
	{"labelCountsEachClass", dl4j.Long, true},
	{"predictionCountsEachClass", dl4j.Long, true},
	{"residualPlotOverall", dl4j.Double, true},
	{"residualPlotByLabelClass", dl4j.Double, false},
	{"probHistogramOverall", dl4j.Double, true},
	{"probHistogramByLabelClass", dl4j.Double, false},
}

// MarshalTree returns the members in Deeplearning4j's order.
func (e *EvaluationCalibration) MarshalTree() (any, error) {
	o := dl4j.Object{
		{Name: "reliabilityDiagNumBins", Value: e.ReliabilityBins},
		{Name: "histogramNumBins", Value: e.HistogramBins},
		{Name: "excludeEmptyBins", Value: !e.KeepEmptyBins},
		{Name: "axis", Value: e.Axis},
	}
	for _, a := range calibrationArrays {
		var value any
		if e.classes > 0 {
			shape, data := e.array(a.name)
			var err error
			if value, err = numbersTree(shape, data, a.kind, a.text); err != nil {
				return nil, err
			}
		}
		o = append(o, dl4j.Member{Name: a.name, Value: value})
	}
	return o, nil
}

// array returns the shape and the numbers of an array.
func (e *EvaluationCalibration) array(name string) (tensor.Shape, []float64) {
	if name == binPredictions {
		return tensor.Shape{e.ReliabilityBins, e.classes}, e.binPredictions
	}
	for _, a := range e.counts() {
		if a.name == name {
			data := make([]float64, len(*a.counts))
			for i, n := range *a.counts {
				data[i] = float64(n)
			}
			return a.shape, data
		}
	}
	return nil, nil
}

// numbersTree returns an array in the form of Deeplearning4j's text serializer, or of its binary one: base64, in
// lines.
func numbersTree(shape tensor.Shape, data []float64, kind dl4j.DataType, text bool) (any, error) {
	if text {
		values := list(data)
		for i, x := range data {
			if kind == dl4j.Long {
				values[i] = int64(x)
			}
		}
		return dl4j.Object{{Name: "dataType", Value: string(kind)}, {Name: "shape", Value: list(shape)},
			{Name: "data", Value: values}}, nil
	}
	var b bytes.Buffer
	w := dl4j.NewWriter(&b)
	w.Numbers(shape, data, kind)
	if err := w.Err(); err != nil {
		return nil, err
	}
	const line = 76
	var lines strings.Builder
	for s := base64.StdEncoding.EncodeToString(b.Bytes()); s != ""; s = s[min(line, len(s)):] {
		lines.WriteString(s[:min(line, len(s))] + "\r\n")
	}
	return dl4j.Object{{Name: "array", Value: lines.String()}}, nil
}

// numbers reads either form.
func numbers(tree any) (tensor.Shape, []float64, error) {
	var f struct {
		Array    string    `dl4j:"array"`
		DataType string    `dl4j:"dataType"`
		Shape    []int     `dl4j:"shape"`
		Data     []float64 `dl4j:"data"`
	}
	if err := dl4j.FromTree(tree, &f); err != nil {
		return nil, nil, err
	}
	if f.Array == "" {
		return f.Shape, f.Data, nil
	}
	b, err := base64.StdEncoding.DecodeString(f.Array) // it accepts line breaks
	if err != nil {
		return nil, nil, err
	}
	r := dl4j.NewReader(bytes.NewReader(b), int64(len(b)))
	shape, data, _, err := r.Numbers()
	if err != nil {
		return nil, nil, err
	}
	return shape, data, r.End()
}

// UnmarshalTree reads the members. Counts that contradict each other are an error.
func (e *EvaluationCalibration) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an evaluation should be an object")
	}
	f := struct {
		Reliability int  `dl4j:"reliabilityDiagNumBins"`
		Histogram   int  `dl4j:"histogramNumBins"`
		Exclude     bool `dl4j:"excludeEmptyBins"`
		Axis        int  `dl4j:"axis"`
	}{10, 50, true, 1}
	rest := o.Without("@class")
	arrays := map[string][]float64{}
	classes := 0
	for _, a := range calibrationArrays {
		tree, _ := o.Get(a.name)
		rest = rest.Without(a.name)
		if tree == nil {
			continue
		}
		shape, data, err := numbers(tree)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if a.name == "labelCountsEachClass" {
			classes = len(data)
		}
		if n, err := shape.CheckedSize(len(data)); err != nil || n != len(data) {
			return fmt.Errorf("%s has %d numbers of the shape %v", a.name, len(data), shape)
		}
		arrays[a.name] = data
	}
	if err := dl4j.FromTree(rest, &f); err != nil {
		return err
	}
	n := &EvaluationCalibration{ReliabilityBins: f.Reliability, HistogramBins: f.Histogram,
		KeepEmptyBins: !f.Exclude, Axis: f.Axis}
	if reason := n.invalid(); reason != "" {
		return errors.New(reason)
	}
	if len(arrays) == 0 {
		*e = *n
		return nil
	}
	n.classes = classes
	for _, a := range calibrationArrays {
		shape, _ := n.array(a.name)
		if want, err := shape.CheckedSize(maxBins * 16); err != nil || want != len(arrays[a.name]) || want == 0 {
			return fmt.Errorf("%s has %d numbers, and should be of the shape %v", a.name, len(arrays[a.name]), shape)
		}
	}
	n.binPredictions = arrays[binPredictions]
	for _, a := range n.counts() {
		*a.counts = make([]int64, len(arrays[a.name]))
		for i, x := range arrays[a.name] {
			if !(x >= 0 && x <= maxCount) || x != math.Trunc(x) {
				return fmt.Errorf("%s has the count %v", a.name, x)
			}
			(*a.counts)[i] = int64(x)
		}
	}
	for i, positives := range n.binPositives {
		if positives > n.binTotals[i] {
			return fmt.Errorf("a bin has %d positive examples of %d", positives, n.binTotals[i])
		}
	}
	*e = *n
	return nil
}
