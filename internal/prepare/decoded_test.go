package prepare

import (
	"reflect"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestDecoded: a given pipeline loses the steps that number or scale the label, unless another step uses the result.
func TestDecoded(t *testing.T) {
	initial := pipeline.Schema{Columns: []pipeline.Column{
		pipeline.StringColumn{Name: "kind"}, pipeline.DoubleColumn{Name: "size"}}}
	named := pipeline.StringToCategorical{Column: "kind", States: []string{"a", "b"}}
	number := pipeline.CategoricalToInteger{Column: "kind"}
	scaled := pipeline.StandardizeNormalizer{Column: "size", Mean: 1, Stdev: 2}
	last := pipeline.ReorderColumns{Columns: []string{"size", "kind"}}
	uses := pipeline.ConvertToDouble{Column: "kind"}
	type steps = []pipeline.Step
	for name, c := range map[string]struct {
		label       string
		regression  bool
		steps, want steps
	}{
		"a class":             {"kind", false, steps{named, number, scaled, last}, steps{named, scaled, last}},
		"a number":            {"size", true, steps{named, number, scaled, last}, steps{named, number, last}},
		"used afterwards":     {"kind", false, steps{named, number, uses}, steps{named, number, uses}},
		"a class as a number": {"kind", true, steps{named, number}, steps{named, number}},
	} {
		got, err := decoded(&pipeline.Pipeline{Initial: initial, Steps: c.steps}, []string{c.label}, c.regression)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Steps, c.want) {
			t.Errorf("%s: the steps are %v", name, got.Steps)
		}
	}
}

// TestNamesOfAPipeline: names that a person gives are those of the pipeline's classes, in an order of their own.
func TestNamesOfAPipeline(t *testing.T) {
	classes := []string{"a", "b", "c"}
	for _, c := range []struct {
		asked     []string
		oneColumn bool
		want      []string
	}{
		{nil, true, classes},
		{[]string{"0", "1", "2"}, true, classes},
		{[]string{"c", "a", "b"}, true, []string{"c", "a", "b"}},
		{[]string{"c", "a", "b"}, false, nil},
		{[]string{"a", "b", "c"}, false, classes},
		{[]string{"a", "b", "x"}, true, nil},
	} {
		got, err := arranged(classes, c.asked, c.oneColumn, "--names")
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%v: %v, %v", c.asked, got, err)
		}
	}
}
