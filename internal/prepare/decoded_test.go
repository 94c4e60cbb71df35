package prepare

import (
	"reflect"
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
