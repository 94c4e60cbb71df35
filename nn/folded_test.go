package nn

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestPackedNetworksFoldNormalisation: with packed weights, a network computes batch normalisation in the convolution
// before it, whatever the form of its statistics, unless an activation is between them. The outputs change by roundings
// only.
func TestPackedNetworksFoldNormalisation(t *testing.T) {
	for _, c := range []struct {
		name         string
		between      activation.Activation
		noBias, log  bool
		locked, last bool
		depthwise    int // filters for each channel of a depthwise convolution; 0: the convolution is none
		folds        bool
	}{
		{name: "bias", between: activation.Identity{}, folds: true},
		{name: "no bias", between: activation.Identity{}, noBias: true, folds: true},
		{name: "log10stdev, locked", between: activation.Identity{}, log: true, locked: true, folds: true},
		{name: "channels last", between: activation.Identity{}, last: true, folds: true},
		{name: "activation", between: activation.TanH{}},
		{name: "depthwise", between: activation.Identity{}, depthwise: 1, folds: true},
		{name: "depthwise, two filters, no bias", between: activation.Identity{}, depthwise: 2, noBias: true, folds: true},
		{name: "depthwise, channels last", between: activation.Identity{}, depthwise: 2, last: true, log: true, folds: true},
		{name: "depthwise, activation", between: activation.TanH{}, depthwise: 1},
	} {
		norm := layer.NewBatchNormalization()
		norm.UseLogStd, norm.LockGammaBeta, norm.Beta = c.log, c.locked, 0.5
		image := inputtype.Convolutional(16, 16, 16)
		image.ChannelsLast = c.last
		var first layer.Layer = layer.Convolution2D{NOut: 16, Kernel: [2]int{3, 3}, Padding: [2]int{1, 1},
			Activation: c.between, NoBias: layer.Not(c.noBias)}
		if c.depthwise > 0 {
			first = layer.DepthwiseConvolution2D{DepthMultiplier: c.depthwise, Kernel: [2]int{3, 3}, Padding: [2]int{1, 1},
				Activation: c.between, NoBias: layer.Not(c.noBias)}
		}
		net := newNet(t, Configuration{InputType: image, Layers: []layer.Layer{
			first, norm, layer.Activate{Activation: activation.ReLU{}},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		}})
		m := minibatch(2, 1, image)
		want := must(net.Output(m, false))[0].Data
		net.PackWeights(1 << 20)
		var plan strings.Builder
		if err := must(net.plan(forOutput, false, m)).exe.(*cpu.Executable).Dump(&plan); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(plan.String(), ", normalised"); got != c.folds {
			t.Errorf("%s: the convolution normalises its result: %v\n%s", c.name, got, plan.String())
		}
		if err := near.All(must(net.Output(m, false))[0].Data, want, 1e-6, 1e-5); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
