package modelfile

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// TestFitNormalizer: a network returns the normalizer that was fitted for it.
func TestFitNormalizer(t *testing.T) {
	info := source.Info{Name: "rows", Examples: 2, Features: []tensor.Shape{{1}}, Labels: []tensor.Shape{{2}}, Classes: 2}
	rows, err := source.InMemory(info, &data.MultiDataSet{
		Features: []*tensor.Dense{{Shape: tensor.Shape{2, 1}, Data: []float32{2, 6}}},
		Labels:   []*tensor.Dense{{Shape: tensor.Shape{2, 2}, Data: []float32{1, 0, 0, 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	net, err := Open(t.Context(), "softmax", info, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := NormalizerOf(net.Network); n != nil || err != nil {
		t.Fatalf("a new network has the normalizer %v, %v", n, err)
	}
	if err := FitNormalizer(net.Network, data.NewMinMax(0, 1, false), rows); err != nil {
		t.Fatal(err)
	}
	n, err := NormalizerOf(net.Network)
	if err != nil {
		t.Fatal(err)
	}
	four := &data.MultiDataSet{Features: []*tensor.Dense{{Shape: tensor.Shape{1, 1}, Data: []float32{4}}}}
	if err := n.Transform(four); err != nil {
		t.Fatal(err)
	}
	if got := four.Features[0].Data[0]; got != 0.5 {
		t.Errorf("4 in the range from 2 to 6 became %v, not 0.5", got)
	}
}

// TestDataOf: the first features determine the input, and the first labels the number of outputs.
func TestDataOf(t *testing.T) {
	image := &source.Image{Height: 4, Width: 3, Channels: 2}
	for _, c := range []struct {
		info    source.Info
		input   inputtype.Type
		classes int
	}{
		{source.Info{}, inputtype.Type{}, 0},
		{source.Info{Features: []tensor.Shape{{5}}, Labels: []tensor.Shape{{7}}}, inputtype.FeedForward(5), 7},
		{source.Info{Features: []tensor.Shape{{24}}, Image: image, Classes: 3}, inputtype.ConvolutionalFlat(4, 3, 2), 3},
		{source.Info{Features: []tensor.Shape{{5, -1}}}, inputtype.Recurrent(5, 0), 0},
		{source.Info{Features: []tensor.Shape{{2, 4, 3}}}, inputtype.Convolutional(4, 3, 2), 0},
	} {
		if got := DataOf(c.info); got.Input != c.input || got.Classes != c.classes {
			t.Errorf("%v: %+v", c.info.Features, got)
		}
	}
}
