package nn

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/gradcheck"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// TestGradients compares the gradient of every layer with central differences, in float64, in training.
func TestGradients(t *testing.T) {
	image := inputtype.Convolutional(7, 6, 2)
	tanh := activation.TanH{}
	lockedNorm := layer.NewBatchNormalization()
	lockedNorm.LockGammaBeta, lockedNorm.UseLogStd, lockedNorm.Gamma, lockedNorm.Beta = true, false, 1.5, 0.5
	for _, c := range []struct {
		name   string
		in     inputtype.Type
		layers []layer.Layer
	}{
		{"dense", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4}}},
		{"dense without bias", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4, NoBias: true}}},
		{"layer normalisation", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4, LayerNorm: true}}},
		{"activation layer", inputtype.FeedForward(5), []layer.Layer{layer.Activate{Activation: activation.Sigmoid{}}}},
		{"dropout layer", inputtype.FeedForward(5), []layer.Layer{layer.NewDropout(0.6)}},
		{"convolution, truncate", image, []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{3, 2},
			Stride: [2]int{2, 3}, Padding: [2]int{1, 0}}}},
		{"convolution, strict", image, []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{3, 2}, Stride: [2]int{2, 2},
			Mode: layer.Strict}}},
		{"convolution, same, dilation", image, []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{3, 2},
			Dilation: [2]int{2, 3}, Mode: layer.Same, NoBias: true}}},
		{"max pooling", image, []layer.Layer{layer.Subsampling{Kernel: [2]int{3, 2}, Padding: [2]int{1, 1}}}},
		{"average pooling", image, []layer.Layer{layer.Subsampling{Pooling: layer.AvgPooling, Kernel: [2]int{3, 2},
			Mode: layer.Same}}},
		{"average pooling, padding", image, []layer.Layer{layer.Subsampling{Pooling: layer.AvgPooling, Kernel: [2]int{3, 2},
			Padding: [2]int{1, 1}, IncludePad: true}}},
		{"sum pooling", image, []layer.Layer{layer.Subsampling{Pooling: layer.SumPooling, Kernel: [2]int{3, 2},
			Padding: [2]int{1, 0}}}},
		{"p-norm pooling", image, []layer.Layer{layer.Subsampling{Pooling: layer.PNormPooling, PNorm: 3,
			Kernel: [2]int{3, 2}}}},
		{"batch normalisation of vectors", inputtype.FeedForward(5),
			[]layer.Layer{layer.Dense{NOut: 4}, layer.NewBatchNormalization()}},
		{"batch normalisation of images", image, []layer.Layer{layer.NewBatchNormalization(),
			layer.Activate{Activation: tanh}}},
		{"batch normalisation, locked", image, []layer.Layer{layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}}, lockedNorm}},
	} {
		for _, out := range []layer.Layer{
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
			layer.Output{NOut: 3, Activation: tanh, Loss: loss.MSE{}, NoBias: true},
		} {
			layers := []layer.Layer{c.layers[0]}
			layers = append(layers, c.layers[1:]...)
			layers = append(layers, layer.Dense{NOut: 3}, out)
			net := newNet(t, Configuration{Activation: tanh, InputType: c.in, Layers: layers})
			checkGradient(t, c.name, net, c.in)
		}
	}
	layers := []layer.Layer{layer.Dense{NOut: 5}, layer.Activate{},
		layer.Loss{Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}
	checkGradient(t, "loss layer", newNet(t, Configuration{Activation: tanh, InputType: inputtype.FeedForward(4),
		Layers: layers}), inputtype.FeedForward(4))
}

// checkGradient is gradientDiffers for a minibatch of random features and classes.
func checkGradient(t *testing.T, name string, net *MultiLayer, in inputtype.Type) {
	t.Helper()
	const rows = 4
	classes := 3
	if net.OutputSize() == 0 {
		classes = 5
	}
	m := examples(rows, 1, classes)
	m.Features = []*tensor.Dense{normals(5, in.Shape(rows)...)}
	if err := gradientDiffers(t, net, m, nil); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// gradientDiffers is gradcheck.Network. If only is not nil, it selects the nodes whose parameters are compared.
func gradientDiffers(t *testing.T, net AnyNetwork, m *data.MultiDataSet, only func(node int) bool) error {
	t.Helper()
	n := net.Base()
	var check []gradcheck.Range
	for _, e := range n.layout.entries {
		if e.param.Kind != layer.Statistic && (only == nil || only(e.node)) {
			name := fmt.Sprintf("%s in layer %d", e.param.Name, e.node)
			check = append(check, gradcheck.Range{Name: name, Offset: e.offset, Size: e.size})
		}
	}
	return gradcheck.Network(n, m, check)
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
