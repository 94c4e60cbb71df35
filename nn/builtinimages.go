package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// checkImage reports an error unless the data are images with at least that many rows and columns.
func checkImage(d BuiltInData, least int) error {
	switch d.Input.Kind {
	case inputtype.ConvolutionalKind, inputtype.ConvolutionalFlatKind:
	default:
		return fmt.Errorf("it takes images, and the data has %v", d.Input)
	}
	if d.Input.Height < least || d.Input.Width < least {
		return fmt.Errorf("it takes images of %dx%d and more, and the data has %v", least, least, d.Input)
	}
	return nil
}

// pool2 halves the height and width of an image.
var pool2 = layer.Subsampling{Kernel: [2]int{2, 2}, Stride: [2]int{2, 2}}

// lenet is LeNet as in Deeplearning4j's examples (LeCun and others, "Gradient-based learning applied to document
// recognition", 1998). Images below 16x16 get 3x3 filters that keep the size, rectified, a smaller hidden layer, and a
// learning rate that begins at three times the usual one and falls with each epoch.
func lenet(d BuiltInData, s *shaper) (Configuration, error) {
	if err := checkImage(d, 4); err != nil {
		return Configuration{}, err
	}
	adam := updater.NewAdam()
	kernel, mode, hidden := [2]int{5, 5}, layer.Truncate, 500
	var act activation.Activation = activation.Identity{}
	if min(d.Input.Height, d.Input.Width) < 16 {
		kernel, mode, hidden, act = [2]int{3, 3}, layer.Same, 128, activation.ReLU{}
		adam.LearningRateSchedule = falling
	}
	layers := []layer.Layer{
		layer.Convolution2D{NOut: 20, Kernel: kernel, Mode: mode, Activation: s.activation(act)},
		pool2,
		layer.Convolution2D{NOut: 50, Kernel: kernel, Mode: mode, Activation: s.activation(act)},
		pool2,
	}
	dense, drop := s.dense(hidden)
	return Configuration{Updater: adam, Layers: append(append(layers, dense...), builtInOutput(d, drop))}, nil
}

// falling is 0.003 at first, 0.0018 after 4 epochs, 0.001 after 10, 0.0003 after 30 and 0.00005 after 100. With a
// constant rate, Adam sometimes throws back a network that has nearly learned its examples.
var falling = updater.InverseSchedule{Type: updater.Epoch, InitialValue: 3e-3, Gamma: 0.07, Power: 2}

// normalised is a 3x3 convolution with batch normalisation before its activation.
func normalised(filters int, act activation.Activation) []layer.Layer {
	return []layer.Layer{
		layer.Convolution2D{NOut: filters, Kernel: [2]int{3, 3}, Mode: layer.Same, NoBias: true,
			Activation: activation.Identity{}},
		layer.NewBatchNormalization(),
		layer.Activate{Activation: act},
	}
}

// cnn is a small modern convolutional network.
func cnn(d BuiltInData, s *shaper) (Configuration, error) {
	if err := checkImage(d, 4); err != nil {
		return Configuration{}, err
	}
	var layers []layer.Layer
	for _, filters := range []int{32, 64} {
		layers = append(append(layers, normalised(filters, s.activation(activation.ReLU{}))...), pool2)
	}
	for _, n := range s.hidden(128) {
		layers = append(layers, layer.Dense{NOut: n, Activation: s.activation(activation.ReLU{})})
		if drop := s.dropoutOr(0.5); drop != nil {
			layers = append(layers, layer.Dropout{Base: layer.Base{Dropout: drop}})
		}
	}
	return Configuration{Updater: updater.NewAdam(), Layers: append(layers, builtInOutput(d, nil))}, nil
}

// vggSmall is VGG with fewer blocks and filters, and with batch normalisation, for images from 8x8.
func vggSmall(d BuiltInData, s *shaper) (Configuration, error) {
	if err := checkImage(d, 8); err != nil {
		return Configuration{}, err
	}
	var layers []layer.Layer
	for _, filters := range []int{32, 64, 128} {
		for range 2 {
			layers = append(layers, normalised(filters, s.activation(activation.ReLU{}))...)
		}
		layers = append(layers, pool2)
	}
	dense, drop := s.dense(128)
	return Configuration{Updater: updater.NewAdam(), WeightInit: weights.Relu{},
		Layers: append(append(layers, dense...), builtInOutput(d, drop))}, nil
}

// vgg16 is configuration D of Simonyan and Zisserman, "Very deep convolutional networks for large-scale image
// recognition", 2014. Images below 224x224 get one hidden layer of 512 in place of two of 4096.
func vgg16(d BuiltInData, s *shaper) (Configuration, error) {
	if err := checkImage(d, 32); err != nil {
		return Configuration{}, err
	}
	var layers []layer.Layer
	for _, block := range [][]int{{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}} {
		for _, filters := range block {
			layers = append(layers, layer.Convolution2D{NOut: filters, Kernel: [2]int{3, 3}, Mode: layer.Same,
				Activation: s.activation(activation.ReLU{})})
		}
		layers = append(layers, pool2)
	}
	hidden := []int{4096, 4096}
	if min(d.Input.Height, d.Input.Width) < 224 {
		hidden = []int{512}
	}
	var drop regularization.Dropout
	for _, n := range s.hidden(hidden...) {
		l := layer.Dense{NOut: n, Activation: s.activation(activation.ReLU{})}
		l.Dropout, drop = drop, s.dropoutOr(0.5)
		layers = append(layers, l)
	}
	return Configuration{Updater: updater.Nesterovs{LearningRate: 0.01, Momentum: 0.9}, WeightInit: weights.Relu{},
		Layers: append(layers, builtInOutput(d, drop))}, nil
}
