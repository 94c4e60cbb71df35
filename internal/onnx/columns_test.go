package onnx

import (
	"bytes"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// TestPipelineScaling: the model includes the scalings at the end of the pipeline, except those whose result another
// step reads.
func TestPipelineScaling(t *testing.T) {
	prepared := &source.Preparation{Task: source.Classification, Labels: []string{"kind"}, Outputs: []string{"kind"},
		Classes: []string{"x", "y"}, Absent: []string{"x"},
		Pipeline: &pipeline.Pipeline{
			Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "a"},
				pipeline.DoubleColumn{Name: "b"},
				pipeline.DoubleColumn{Name: "c"}, pipeline.DoubleColumn{Name: "d"}, pipeline.StringColumn{Name: "kind"}}},
			Steps: []pipeline.Step{
				pipeline.StandardizeNormalizer{Column: "b", Mean: 5, Stdev: 3},
				pipeline.DoubleMath{Column: "b", Op: pipeline.Add, Scalar: 1}, // so that b is scaled before another step
				pipeline.StandardizeNormalizer{Column: "a", Mean: 2, Stdev: 4},
				pipeline.MinMaxNormalizer{Column: "c", Min: -1, Max: 3, NewMin: 2, NewMax: 4},
				pipeline.StringToCategorical{Column: "kind", States: []string{"x", "y"}},
				pipeline.ReorderColumns{Columns: []string{"c", "a", "b", "d", "kind"}},
			}}}
	steps, labels, err := prepared.Encode()
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{layer.Output{NOut: 2, Loss: loss.MSE{}}},
		InputType: inputtype.FeedForward(4), AnyOutput: true})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	if err := net.SetPipeline(steps, labels); err != nil {
		t.Fatal(err)
	}
	if err := net.SetSchema(&data.Schema{Features: []string{"c", "a", "b", "d"}, Classes: []string{"x",
		"y"}}); err != nil {
		t.Fatal(err)
	}
	row := func(x ...float32) *data.MultiDataSet {
		return &data.MultiDataSet{Features: []*tensor.Dense{{Shape: tensor.Shape{1, 4}, Data: x}}}
	}
	want, err := net.Output(row((1+1)*0.5+2, (10-2)/4.0, 7, 8), false)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, net, Options{}); err != nil {
		t.Fatal(err)
	}
	again, err := Read(b.Bytes(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	compare(t, "scaled in the model", predicted(t, again, row(1, 10, 7, 8)), want)
	if s := again.Schema(); s == nil || s.Features[0] != "c" || s.Classes[1] != "y" {
		t.Errorf("the names are %v", s)
	}
	b.Reset()
	if err := Write(&b, net, Options{NoNormalizer: true}); err != nil {
		t.Fatal(err)
	}
	plain, err := Read(b.Bytes(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	compare(t, "not scaled", predicted(t, plain, row(3, 2, 7, 8)), want)
}
