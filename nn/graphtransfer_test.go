package nn

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/tensor"
)

func twoBranches(t *testing.T) *Graph {
	t.Helper()
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	g, err := NewGraph(GraphConfiguration{Defaults: Configuration{Activation: activation.TanH{},
		Updater: updater.NewAdam()},
		Inputs: []string{"x", "y"}, InputTypes: []inputtype.Type{inputtype.FeedForward(4), inputtype.FeedForward(4)},
		Outputs: []string{"out"},
		Vertices: []GraphVertex{
			{Name: "a", Layer: layer.Dense{NOut: 5}, Inputs: []string{"x"}},
			{Name: "b", Layer: layer.Dense{NOut: 5}, Inputs: []string{"y"}},
			{Name: "norm", Layer: layer.NewBatchNormalization(), Inputs: []string{"a"}},
			{Name: "sum", Vertex: vertex.ElementWise{Op: vertex.Add}, Inputs: []string{"norm", "b"}},
			{Name: "c", Layer: layer.Dense{NOut: 6}, Inputs: []string{"sum", "b"}},
			{Name: "out", Layer: out, Inputs: []string{"c"}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	g.Init(5)
	return g
}

func twoInputs(classes int) *data.MultiDataSet {
	return &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 6, 4), normals(4, 6, 4)},
		Labels: examples(6, 1, classes).Labels}
}

// sameNode reports whether a vertex has the same parameters in two graphs.
func sameNode(a, b *Graph, name string) bool {
	of := func(g *Graph) (x []float32) {
		for i, n := range g.nodes {
			if n.name == name {
				at, size := g.layout.nodeRange(i)
				x = g.params[at : at+size]
			}
		}
		return x
	}
	x, y := of(a), of(b)
	return len(x) > 0 && len(x) == len(y) && equalBits(x, y)
}

func TestGraphTransfer(t *testing.T) {
	g := twoBranches(t)
	if _, err := g.Fit(twoInputs(3), Key{}); err != nil {
		t.Fatal(err)
	}
	before := append([]float32(nil), g.Params()...)
	head := layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	made, err := GraphTransfer{Freeze: []string{"sum"}, Replace: []GraphVertex{{Name: "out", Layer: head}}}.New(g, 9)
	if err != nil {
		t.Fatal(err)
	}
	start := made.Clone()
	for range 3 {
		if _, err := made.Fit(twoInputs(2), Key{}); err != nil {
			t.Fatal(err)
		}
	}
	for name, moves := range map[string]bool{"a": false, "b": false, "norm": false, "c": true} {
		if !sameNode(start, g, name) || sameNode(made, start, name) == moves {
			t.Errorf("%s: taken over %t, moves %t, want %t", name, sameNode(start, g, name), !sameNode(made, start, name), moves)
		}
	}
	if !equalBits(before, g.Params()) {
		t.Error("the trained graph has changed")
	}

	// A new size passes through batch normalisation and vertices, and the layers behind them are drawn again.
	if made, err = (GraphTransfer{NOut: map[string]int{"a": 8, "b": 8}}).New(g, 9); err != nil {
		t.Fatal(err)
	}
	if _, err := made.Fit(twoInputs(3), Key{}); err != nil {
		t.Fatal(err)
	}
	if text := made.Summary(); !strings.Contains(text, "16,6") {
		t.Errorf("layer c should have 16 inputs:\n%s", text)
	}
	if made, err = (GraphTransfer{NIn: map[string]int{"a": 7},
		InputTypes: []inputtype.Type{inputtype.FeedForward(7), inputtype.FeedForward(4)}}).New(g, 9); err != nil {
		t.Fatal(err)
	}
	if !sameNode(made, g, "c") || sameNode(made, g, "a") {
		t.Error("with more inputs of a, c is drawn, or a is not")
	}

	// One branch is removed, together with its input.
	made, err = GraphTransfer{Remove: []string{"sum", "b"},
		Replace: []GraphVertex{{Name: "c", Layer: layer.Dense{NOut: 6}, Inputs: []string{"norm"}}},
		Inputs:  []string{"x"}}.New(g, 9)
	if err != nil {
		t.Fatal(err)
	}
	m := twoInputs(3)
	m.Features = m.Features[:1]
	if _, err := made.Fit(m, Key{}); err != nil || !sameNode(made, g, "c") == false {
		t.Errorf("one branch: %v", err)
	}
}

func TestGraphTransferThatCannotBe(t *testing.T) {
	g := twoBranches(t)
	for want, x := range map[string]GraphTransfer{
		`no vertex "d"`:        {Remove: []string{"d"}},
		`no vertex "e"`:        {Freeze: []string{"e"}},
		`no vertex "f"`:        {NOut: map[string]int{"f": 2}},
		`no vertex "g"`:        {Replace: []GraphVertex{{Name: "g", Layer: layer.Dense{NOut: 1}}}},
		"is not a layer":       {NOut: map[string]int{"sum": 2}},
		"output layers cannot": {Freeze: []string{"out"}},
		"nOut is 0":            {NOut: map[string]int{"c": 0}},
		"no outputs":           {Remove: []string{"out"}},
		"named \"a\"":          {Add: []GraphVertex{{Name: "a", Layer: layer.Dense{NOut: 5}, Inputs: []string{"x"}}}},
		"vectors of 10": {Remove: []string{"norm"}, Replace: []GraphVertex{
			{Name: "sum", Vertex: vertex.Scale{Factor: 2}, Inputs: []string{"x"}}}},
	} {
		if _, err := x.New(g, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", x, err, want)
		}
	}
}

// TestFineTuneWithin: settings reach the inner layer of another, and do not change frozen layers.
func TestFineTuneWithin(t *testing.T) {
	f := FineTune{Updater: updater.Sgd{LearningRate: 0.5}}
	net := newNet(t, Configuration{InputType: inputtype.Recurrent(2, 3), Layers: []layer.Layer{
		layer.NewBidirectional(layer.BidirectionalConcat, layer.NewLSTM(3)),
		layer.RnnOutput{NOut: 2, Loss: loss.NewMCXENT()}}})
	made, err := Transfer{FineTune: f}.New(net, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := made.Config().Layers[0].(layer.Bidirectional)
	if b.Fwd.(layer.LSTM).Updater != f.Updater || b.Bwd.(layer.LSTM).Updater != f.Updater {
		t.Errorf("the layers within are %+v", b)
	}
	still := layer.Frozen{Layer: layer.Dense{NOut: 3}}
	if l, err := f.apply(still); err != nil || l.(layer.Frozen).Layer.(layer.Dense).Updater != nil {
		t.Errorf("the frozen layer is %+v (%v)", l, err)
	}
}
