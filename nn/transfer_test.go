package nn

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

func trainedNet(t *testing.T) *MultiLayer {
	net := newNet(t, Configuration{Activation: activation.TanH{}, Updater: updater.NewAdam(),
		InputType: inputtype.FeedForward(4),
		Layers: []layer.Layer{layer.Dense{NOut: 5}, layer.Dense{NOut: 6}, layer.NewBatchNormalization(), layer.Dense{NOut: 4},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	for range 3 {
		if _, err := net.Fit(examples(6, 4, 3), Key{}); err != nil {
			t.Fatal(err)
		}
	}
	return net
}

// sameLayer reports whether a layer has the same parameters in two networks.
func sameLayer(a, b *MultiLayer, i int) bool {
	x, n := a.layout.nodeRange(i)
	y, m := b.layout.nodeRange(i)
	return n == m && equalBits(a.params[x:x+n], b.params[y:y+m])
}

func TestTransfer(t *testing.T) {
	net := trainedNet(t)
	before := append([]float32(nil), net.Params()...)
	seed := int64(9)
	out := layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	made, err := Transfer{FineTune: FineTune{Updater: updater.Sgd{LearningRate: 0.1}, Seed: &seed}, Freeze: 1, Remove: 1,
		Add: []layer.Layer{layer.Dense{NOut: 7}, out}}.New(net, 3)
	if err != nil {
		t.Fatal(err)
	}
	if c := made.Config(); c.Seed != 9 || len(c.Layers) != 6 ||
		c.Layers[1].(layer.Dense).Updater != (updater.Sgd{LearningRate: 0.1}) {
		t.Errorf("the configuration is %+v", c)
	}
	if made.Iteration() != 0 || made.NumStates() != 0 { // new layers have Sgd, too
		t.Errorf("iteration %d, %d elements of state", made.Iteration(), made.NumStates())
	}
	for i := range 4 {
		if !sameLayer(made, net, i) {
			t.Errorf("layer %d has other parameters", i)
		}
	}
	if _, err := made.Fit(examples(6, 4, 2), Key{}); err != nil {
		t.Fatal(err)
	}
	if !sameLayer(made, net, 0) || sameLayer(made, net, 1) {
		t.Error("the first layer moves, or the second one does not")
	}
	if !equalBits(before, net.Params()) {
		t.Error("the trained network has changed")
	}
	// It is a normal network: its files can be read again.
	text, err := made.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LoadConfiguration(text); err != nil {
		t.Error(err)
	}
}

func TestTransferToOtherSizes(t *testing.T) {
	net := trainedNet(t)
	made, err := Transfer{NOut: map[int]int{1: 9, 4: 8}}.New(net, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]int{{4, 5}, {5, 9}, {9, 9}, {9, 4}, {4, 8}} {
		if in, out := made.nodes[i].layer.(layer.Sized).Sizes(); in != want[0] || out != want[1] {
			t.Errorf("layer %d has the sizes %d and %d, want %v", i, in, out, want)
		}
	}
	if !sameLayer(made, net, 0) {
		t.Error("layer 0 has other parameters")
	}
	if _, err := made.Fit(examples(6, 4, 8), Key{}); err != nil {
		t.Error(err)
	}
}

func TestTransferThatCannotBe(t *testing.T) {
	net := trainedNet(t)
	for want, x := range map[string]Transfer{
		"6 layers to be removed": {Remove: 6},
		"5 to be frozen":         {Freeze: 5, Remove: 1},
		"output layers cannot":   {Freeze: 5},
		"layer 0 cannot have":    {Freeze: 1, NOut: map[int]int{0: 3}},
		"layer 4 cannot have":    {Remove: 1, NOut: map[int]int{4: 3}},
		"nOut is 0":              {NOut: map[int]int{3: 0}},
		"layer 7 cannot have":    {NOut: map[int]int{7: 3}},
	} {
		if _, err := x.New(net, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", x, err, want)
		}
	}
}
