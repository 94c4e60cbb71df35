package nn

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// TestRowsOfAnExample: if a network makes several rows of an example, their loss is the same alone and in a minibatch.
func TestRowsOfAnExample(t *testing.T) {
	in := inputtype.Convolutional(4, 6, 1)
	net := newNet(t, Configuration{Activation: activation.TanH{}, InputType: in, Layers: []layer.Layer{
		layer.SpaceToBatch{Blocks: [2]int{2, 3}}, layer.Output{NOut: 2, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	if times := net.OutputRows(); !slices.Equal(times, []int{6}) {
		t.Fatalf("%v rows of output for an example, want 6", times)
	}
	const rows = 5
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, in.Shape(rows)...)},
		Labels: examples(6*rows, 1, 2).Labels}
	losses, err := net.ScoreExamples(m, false)
	if err != nil || len(losses) != rows {
		t.Fatalf("%d losses of %d examples: %v", len(losses), rows, err)
	}
	mean := 0.0
	for i, want := range losses {
		mean += want / rows
		one := m.Slice(i, i+1)
		alone, err := net.Score(one, false)
		if err != nil {
			t.Fatal(err)
		}
		oracleScore(t, "the loss of an example alone", alone, want)
	}
	score, err := net.Score(m, false)
	if err != nil {
		t.Fatal(err)
	}
	oracleScore(t, "the mean of the examples' losses", mean, score)
	m.Labels[0] = examples(rows, 1, 2).Labels[0]
	if err := net.Check(m); err == nil || !strings.Contains(err.Error(), "[30, 2]") {
		t.Errorf("labels of one row for each example: %v", err)
	}
}
