package main

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

const mobileBatch = 32

// mobileBlocks are the separable convolutions of the MobileNet-like network: the stride of the depthwise part, and the
// filters of the pointwise part.
var mobileBlocks = []struct{ stride, filters int }{{1, 64}, {2, 128}, {1, 128}, {2, 256}, {1, 256}}

// mobileNetwork returns a small MobileNet (Howard and others, 2017) for images of 32x32x3, and a minibatch. It has a
// convolution of 32 filters, then alternates depthwise convolutions of 3x3 and pointwise ones, and ends with the mean
// of each channel and ten classes. Batch normalisation and a rectifier follow each convolution.
func mobileNetwork(threads int) (*nn.MultiLayer, *data.MultiDataSet, error) {
	normalization := layer.NewBatchNormalization()
	normalization.UseLogStd = false
	then := []layer.Layer{normalization, layer.Activate{Activation: activation.ReLU{}}}
	layers := append([]layer.Layer{layer.Convolution2D{NOut: 32, Kernel: [2]int{3, 3}, Padding: [2]int{1, 1}, NoBias: true,
		Activation: activation.Identity{}}}, then...)
	for _, b := range mobileBlocks {
		layers = append(layers, layer.DepthwiseConvolution2D{Kernel: [2]int{3, 3}, Stride: [2]int{b.stride, b.stride},
			Padding: [2]int{1, 1}, NoBias: true, Activation: activation.Identity{}})
		layers = append(layers, then...)
		layers = append(layers, layer.Convolution2D{NOut: b.filters, Kernel: [2]int{1, 1}, NoBias: true,
			Activation: activation.Identity{}})
		layers = append(layers, then...)
	}
	layers = append(layers, layer.GlobalPooling{Pooling: layer.AvgPooling},
		layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()})
	net, err := nn.New(nn.Configuration{InputType: inputtype.Convolutional(32, 32, 3),
		Updater: updater.Nesterovs{LearningRate: 0.01, Momentum: 0.9}, Layers: layers})
	if err != nil {
		return nil, nil, fmt.Errorf("the MobileNet-like network: %w", err)
	}
	net.Init(1)
	net.SetExecutor(cpu.New(cpu.Options{Threads: threads}))
	return net, (&data.DataSet{Features: uniform(mobileBatch, 3, 32, 32), Labels: classes(mobileBatch)}).Multi(), nil
}
