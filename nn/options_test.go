package nn

import (
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestOptionsInFiles: settings made in code are the same after they were written and read.
func TestOptionsInFiles(t *testing.T) {
	yolo := layer.NewYolo2Output([2]float64{0.57273, 0.677385})
	yolo.LambdaNoObj, yolo.ClassLoss, yolo.PositionLoss = 0.25, loss.NewMCXENT(), loss.MSE{}
	ocnn := layer.NewOCNNOutput(7)
	ocnn.ConfigureR, ocnn.WindowSize, ocnn.Activation = false, 33, activation.TanH{}
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	vae := layer.VariationalAutoencoder{NOut: 3, Encoder: []int{4, 2}, NumSamples: 3,
		Output: layer.CompositeReconstruction{Sizes: []int{1, 3},
			Parts: []layer.Reconstruction{layer.LossReconstruction{Loss: loss.L1{}},
				layer.ExponentialReconstruction{Activation: activation.TanH{}}}}}
	primary := layer.PrimaryCapsules{CapsuleDimensions: 2, Channels: 3, Kernel: [2]int{2, 3},
		Stride: [2]int{1, 2}, Mode: layer.Same,
		Dilation: [2]int{1, 2}, NoBias: true, UseReLU: true, Leak: 0.125}
	capsules := layer.Capsules{Capsules: 2, CapsuleDimensions: 3, Routings: 4, HasBias: true}
	for name, c := range map[string]Configuration{
		"yolo": {InputType: inputtype.Convolutional(3, 2, 7).Last(), Layers: []layer.Layer{yolo}},
		"ocnn": {InputType: inputtype.FeedForward(4), Layers: []layer.Layer{ocnn}},
		"vae":  {InputType: inputtype.FeedForward(4), Layers: []layer.Layer{vae, out}},
		"capsules": {InputType: inputtype.Convolutional(6, 5, 2),
			Layers: []layer.Layer{primary, capsules, layer.CapsuleStrength{}, out}},
	} {
		net := newNet(t, c)
		text, err := net.Configuration()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := Replica(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := back.Configuration()
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: read and written again: %s (%v)", name, firstDifference(string(again), string(text)), err)
		}
		if back.NumParams() != net.NumParams() {
			t.Errorf("%s: %d parameters, read back %d", name, net.NumParams(), back.NumParams())
		}
	}
}
