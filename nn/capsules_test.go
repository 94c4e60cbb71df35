package nn

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

func capsuleLayers(primary layer.PrimaryCapsules, capsules layer.Capsules) []layer.Layer {
	return []layer.Layer{primary, capsules, layer.CapsuleStrength{},
		layer.Loss{Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}
}

func TestGradientsOfCapsules(t *testing.T) {
	f := normals(4, 3, 2, 5, 4)
	primary := layer.PrimaryCapsules{CapsuleDimensions: 3, Channels: 2, Kernel: [2]int{3, 2}, Stride: [2]int{1, 2}}
	capsules := layer.Capsules{Capsules: 3, CapsuleDimensions: 2}
	for name, change := range map[string]func(*layer.PrimaryCapsules, *layer.Capsules){
		"defaults":   nil,
		"no bias":    func(p *layer.PrimaryCapsules, c *layer.Capsules) { p.NoBias, c.HasBias = true, true },
		"relu":       func(p *layer.PrimaryCapsules, c *layer.Capsules) { p.UseReLU, c.Routings = true, 1 },
		"leaky relu": func(p *layer.PrimaryCapsules, c *layer.Capsules) { p.UseReLU, p.Leak, c.Routings = true, 0.2, 2 },
		"same":       func(p *layer.PrimaryCapsules, c *layer.Capsules) { p.Mode, p.Dilation = layer.Same, [2]int{2, 1} },
		"padding":    func(p *layer.PrimaryCapsules, c *layer.Capsules) { p.Padding, c.Routings = [2]int{1, 1}, 5 },
	} {
		p, k := primary, capsules
		if change != nil {
			change(&p, &k)
		}
		m := &data.MultiDataSet{Features: []*tensor.Dense{f}, Labels: examples(3, 1, 3).Labels}
		net := newNet(t, Configuration{InputType: inputtype.Convolutional(5, 4, 2), Layers: capsuleLayers(p, k)})
		if err := gradientDiffers(t, net, m, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCapsulesOfChannelsLast: below NHWC layers, the capsules are the same as below NCHW.
func TestCapsulesOfChannelsLast(t *testing.T) {
	layers := append([]layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{2, 2}, Activation: activation.TanH{}}},
		capsuleLayers(layer.PrimaryCapsules{CapsuleDimensions: 3, Channels: 2, Kernel: [2]int{3, 2}},
			layer.Capsules{Capsules: 3, CapsuleDimensions: 2})...)
	f := normals(4, 3, 2, 6, 5)
	m := &data.MultiDataSet{Features: []*tensor.Dense{f}, Labels: examples(3, 1, 3).Labels}
	a, err := newNet(t, Configuration{InputType: inputtype.Convolutional(6, 5, 2), Layers: layers}).Score(m, false)
	if err != nil {
		t.Fatal(err)
	}
	m.Features = []*tensor.Dense{channelsToLast(f)}
	b, err := newNet(t, Configuration{InputType: inputtype.Convolutional(6, 5, 2).Last(), Layers: layers}).Score(m, false)
	if err != nil || !near.Equal(a, b, 1e-5*a, 0) {
		t.Errorf("the score is %v, with the channels last %v (%v)", a, b, err)
	}
}

// TestCapsuleGradientsAreNotDoubled: Deeplearning4j's gradients of capsules, and of the layers below them, are 2, 4
// and 8 times those of the score, with one factor for each layer on SameDiff.
func TestCapsuleGradientsAreNotDoubled(t *testing.T) {
	for name, factors := range map[string][]float32{
		"capsnet":       {8, 8, 8, 8, 4}, // of each parameter
		"primary-leaky": {8, 8, 4, 4, 1, 1},
	} {
		c := oracleCase{dir: filepath.Join("..", "testdata", "oracle", "nets", name)}
		c.read(t)
		net := oracleLoad(t, filepath.Join(c.dir, "model.zip"))
		_, got, err := net.Gradient(c.data(t), Key{})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range net.ParamTable() {
			for k := range p.Size {
				got[p.Offset+k] *= factors[i]
			}
		}
		oracleClose(t, name+": gradient", got, c.array(t, "gradient").Data, 1e-5, 1e-3, nil)
	}
}

func TestCapsuleStrengthOfNothing(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.Recurrent(3, 2),
		Layers: []layer.Layer{layer.Capsules{Capsules: 2, CapsuleDimensions: 4},
			layer.CapsuleStrength{}, layer.Loss{Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3, 2)}, Labels: examples(2, 1, 2).Labels}
	_, g, err := net.Gradient(m, Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range g {
		if x != 0 {
			t.Fatalf("the gradient holds %v where all capsules are 0", x)
		}
	}
}

func TestCapsulesRefuse(t *testing.T) {
	image := inputtype.Convolutional(6, 5, 2)
	for want, layers := range map[string][]layer.Layer{
		"capsuleDimensions": capsuleLayers(layer.PrimaryCapsules{}, layer.Capsules{Capsules: 3, CapsuleDimensions: 5}),
		"larger than": capsuleLayers(layer.PrimaryCapsules{CapsuleDimensions: 4},
			layer.Capsules{Capsules: 3, CapsuleDimensions: 5}),
		"leak": capsuleLayers(layer.PrimaryCapsules{CapsuleDimensions: 4,
			Leak: math.NaN()}, layer.Capsules{}),
		"capsules is 0": capsuleLayers(layer.PrimaryCapsules{CapsuleDimensions: 4,
			Kernel: [2]int{2, 2}}, layer.Capsules{}),
		"routings": capsuleLayers(layer.PrimaryCapsules{CapsuleDimensions: 4, Kernel: [2]int{2, 2}},
			layer.Capsules{Capsules: 1, CapsuleDimensions: 1, Routings: -1}),
		"inputCapsuleDimensions": capsuleLayers(layer.PrimaryCapsules{CapsuleDimensions: 4, Kernel: [2]int{2, 2}},
			layer.Capsules{Capsules: 1, CapsuleDimensions: 1, InputCapsules: 192, InputCapsuleDimensions: 3}),
	} {
		if _, err := New(Configuration{InputType: image, Layers: layers}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}
