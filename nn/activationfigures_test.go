package nn

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// TestActivationFigures: the shares of dead and saturated units count those of the activations. Where they would say
// nothing, they are not numbers.
func TestActivationFigures(t *testing.T) {
	dense := func(bias float64, a activation.Activation) layer.Layer {
		return layer.Dense{Base: layer.Base{BiasInit: bias}, NOut: 4, Activation: a}
	}
	net := newNet(t, Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
		dense(-100, activation.ReLU{}), dense(0, activation.Sigmoid{}), dense(-20, activation.TanH{}),
		dense(20, activation.TanH{}), layer.Loss{Loss: loss.MSE{}, Activation: activation.Identity{}}}})
	nan := math.NaN()
	for _, examples := range []int{1, 8} {
		got, err := net.ActivationFigures(&data.MultiDataSet{Features: []*tensor.Dense{tensor.New(examples, 3)},
			Labels: []*tensor.Dense{tensor.New(examples, 4)}})
		if err != nil {
			t.Fatal(err)
		}
		dead := 1.0
		if examples == 1 {
			dead = nan
		}
		want := []LayerFigures{{Dead: dead, Saturated: nan}, {Dead: dead - 1, Saturated: 0},
			{Dead: dead - 1, Saturated: 1}, {Dead: dead - 1, Saturated: nan}, {Dead: dead - 1, Saturated: nan}}
		for i, w := range want {
			if g := got[i]; !near.OrNaN(g.Dead, w.Dead, 0, 0) || !near.OrNaN(g.Saturated, w.Saturated, 0, 0) {
				t.Errorf("%d examples: layer %d has %v dead and %v saturated, want %v and %v", examples, i, g.Dead, g.Saturated,
					w.Dead, w.Saturated)
			}
		}
	}
}

// TestDeadChannels: a channel is a unit, whichever dimension the channels are in.
func TestDeadChannels(t *testing.T) {
	for name, in := range map[string]inputtype.Type{"first": inputtype.Convolutional(2, 3, 1),
		"last": inputtype.Convolutional(2, 3, 1).Last()} {
		net := newNet(t, Configuration{InputType: in, Layers: []layer.Layer{
			layer.Convolution2D{NOut: 4, Kernel: [2]int{1, 1}, Activation: activation.ReLU{}},
			layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		for _, p := range net.ParamTable() {
			if p.Key == "0_b" {
				copy(net.Params()[p.Offset:p.Offset+p.Size], []float32{1, -1, -1, -1})
			}
		}
		got, err := net.ActivationFigures(&data.MultiDataSet{Features: []*tensor.Dense{tensor.New(in.Shape(8)...)},
			Labels: []*tensor.Dense{tensor.New(8, 2)}})
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Dead != 0.75 {
			t.Errorf("channels %s: %v dead", name, got[0].Dead)
		}
	}
}
