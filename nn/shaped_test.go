package nn

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// shapedNet is a network with matrices, kernels, vectors and an embedding.
func shapedNet(t *testing.T, u updater.Updater) (*MultiLayer, *data.MultiDataSet) {
	t.Helper()
	net := newNet(t, Configuration{Updater: u, Activation: activation.TanH{}, Layers: []layer.Layer{
		layer.NewEmbeddingSequence(9, 4),
		layer.Convolution1D{NOut: 6, Kernel: [2]int{2, 1}},
		layer.LSTM{NOut: 3},
		layer.RnnOutput{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}},
		InputType: inputtype.Recurrent(1, 5)})
	x, y := tensor.New(4, 1, 5), tensor.New(4, 2, 4)
	for i := range x.Data {
		x.Data[i] = float32(i * 7 % 9)
	}
	for i := range 4 {
		for k := range 4 {
			y.Data[i*8+(i+k)%2*4+k] = 1
		}
	}
	return net, &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}
}

// TestShapedStates: the states of each parameter have the lengths of its rows and columns, and errors find them.
func TestShapedStates(t *testing.T) {
	for _, c := range []struct {
		u    updater.Updater
		want map[string][]int
	}{
		{updater.NewAdafactor(), map[string][]int{"0_W": {9, 4}, "1_W": {8, 12}, "1_b": {6}, "2_W": {6, 12}, "2_RW": {3, 12},
			"2_b": {12}, "3_W": {3, 2}, "3_b": {2}}},
		{updater.NewMuon(), map[string][]int{"0_W": {36, 36}, "1_W": {48, 48}, "1_b": {6, 6}, "2_W": {72}, "2_RW": {36},
			"2_b": {12, 12}, "3_W": {6}, "3_b": {2, 2}}},
		{updater.Muon{Tables: true, Except: []string{"RW"}}, map[string][]int{"0_W": {36}, "1_W": {48, 48}, "1_b": {6, 6},
			"2_W": {72}, "2_RW": {36, 36}, "2_b": {12, 12}, "3_W": {6}, "3_b": {2, 2}}},
	} {
		net, _ := shapedNet(t, c.u)
		states, total := net.ParamStates(), 0
		for key, want := range c.want {
			var got []int
			for _, s := range states[key] {
				got = append(got, len(s))
				total += len(s)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%T: the states of %s have the lengths %v, want %v", c.u, key, got, want)
			}
		}
		if total != net.NumStates() || len(states) != len(c.want) {
			t.Errorf("%T: %d elements of state for %d parameters, want %d for %d", c.u, net.NumStates(), len(states), total,
				len(c.want))
		}
		for key, of := range states {
			for _, s := range of {
				s[len(s)-1] = float32(math.NaN())
				var e *DivergedError
				if err := net.CheckState(); !errors.As(err, &e) || e.What != "the updater state of its parameter "+key[2:]+
					" holds NaN" || e.Layer[len("layer "):][:1] != key[:1] {
					t.Errorf("%T: %s: %v", c.u, key, err)
				}
				s[len(s)-1] = 0
			}
		}
	}
}

// TestShapedTraining: training lowers the score, and goes on with the same bits after saving.
func TestShapedTraining(t *testing.T) {
	for _, u := range []updater.Updater{updater.Adafactor{LearningRate: 0.5, Epsilon2: 0.1},
		updater.Muon{LearningRate: 0.3}} {
		net, m := shapedNet(t, u)
		var first, last float64
		fit := func(net *Network, n int) {
			for range n {
				score, err := net.Fit(m, Key{})
				if err != nil {
					t.Fatal(err)
				}
				if last = score; first == 0 {
					first = score
				}
			}
		}
		fit(&net.Network, 3)
		var b bytes.Buffer
		if err := net.Write(&b, SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		again, err := UnmarshalNetwork(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		fit(&net.Network, 20)
		fit(again, 20)
		if !equalBits(net.Params(), again.Params()) || !equalBits(net.UpdaterState(), again.UpdaterState()) {
			t.Errorf("%T: training goes on otherwise after saving", u)
		}
		if !(last < 0.7*first) {
			t.Errorf("%T: the score falls from %g to %g", u, first, last)
		}
	}
}

// TestShapedWithoutGradient: rows and columns without a gradient, whose means have a product of 0 in float32, give
// finite steps.
func TestShapedWithoutGradient(t *testing.T) {
	for _, u := range []updater.Updater{updater.NewAdafactor(), updater.NewMuon()} {
		net := newNet(t, Configuration{Updater: u, InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
			layer.Dense{NOut: 4, Activation: activation.ReLU{}},
			layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		m := examples(6, 3, 2)
		for i := 0; i < len(m.Features[0].Data); i += 3 {
			m.Features[0].Data[i] = 0
		}
		net.Params()[12] = -100 // the bias of a unit, which is never active
		for range 5 {
			if _, err := net.Fit(m, Key{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(net.CheckParams(), net.CheckState()); err != nil {
			t.Errorf("%T: %v", u, err)
		}
	}
}
