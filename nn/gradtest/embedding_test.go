package gradtest_test

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/gradtest"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// TestEmbeddings checks networks with category columns, between columns of numbers and at the ends.
func TestEmbeddings(t *testing.T) {
	categories := []nn.Category{{Name: "a", Count: 3, Size: 2}, {Name: "b", Column: 2, Count: 4}}
	rows := tensor.MustOf([]float32{2, 0.5, 3, -1, 0, 0.1, 0, 2}, 2, 4)
	steps := tensor.MustOf([]float32{2, 0, 0.5, 0.1, 3, 1, 1, 1, 0, -1, 0, 2}, 2, 3, 2)
	for name, d := range map[string]nn.BuiltInData{
		"mlp":     {Input: inputtype.FeedForward(4), Classes: 2, Task: nn.Regression},
		"softmax": {Input: inputtype.FeedForward(4), Classes: 2, Task: nn.Regression},
		"gru":     {Input: inputtype.Recurrent(3, 2), Classes: 2, Task: nn.Regression},
	} {
		t.Run(name, func(t *testing.T) {
			d.Categories = categories
			s := nn.Shape{Hidden: []int{3}, Activation: activation.TanH{}}
			if name == "softmax" {
				s = nn.Shape{}
			}
			net, err := nn.NewBuiltIn(name, d, s, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer net.Close()
			x := rows
			if d.Input.Kind == inputtype.RecurrentKind {
				x = steps
			}
			m := &data.MultiDataSet{Features: []*tensor.Dense{x},
				Labels: []*tensor.Dense{tensor.MustOf([]float32{1, 0, 0.5, 2}, 2, 2)}}
			gradtest.Check(t, net, m)

			bad := &data.MultiDataSet{Features: []*tensor.Dense{x.Clone()}}
			at := 2
			if d.Input.Kind == inputtype.RecurrentKind {
				at = 4
			}
			bad.Features[0].Data[at] = 4
			if _, err := net.Output(bad, false); err == nil || !strings.Contains(err.Error(), "row 0, column 2: ") {
				t.Errorf("a category that the network lacks: %v", err)
			}
		})
	}
	for name, d := range map[string]nn.BuiltInData{
		"it takes images":           {Input: inputtype.FeedForward(4), Categories: categories},
		"the data has":              {Input: inputtype.ConvolutionalFlat(4, 4, 1), Categories: categories},
		"must be in their order":    {Input: inputtype.FeedForward(2), Categories: categories},
		"column a has 0 categories": {Input: inputtype.FeedForward(4), Categories: []nn.Category{{Name: "a"}}},
	} {
		d.Classes = 2
		if _, err := nn.NewBuiltIn("resnet", d, nn.Shape{}, 1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
