package nn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// BuiltInData describes the data that a built-in network will be trained on.
type BuiltInData struct {
	// Input is the type of the features. Images in rows are inputtype.ConvolutionalFlat.
	Input inputtype.Type
	// Classes is the number of label columns.
	Classes int
}

// builtIn is a built-in configuration.
type builtIn struct {
	about string
	make  func(BuiltInData) (Configuration, error)
}

var builtIns = map[string]builtIn{
	"mlp":     {"one hidden layer of 500, Nesterovs", mlp},
	"lenet":   {"two convolutions with max pooling and a hidden layer, Adam", lenet},
	"cnn":     {"two convolutions with batch normalisation and dropout, Adam", cnn},
	"softmax": {"softmax regression, no hidden layer, Adam", softmax},
}

// BuiltIns lists the built-in configurations in order.
func BuiltIns() []string { return slices.Sorted(maps.Keys(builtIns)) }

// AboutBuiltIn describes a built-in configuration in a line.
func AboutBuiltIn(name string) string { return builtIns[name].about }

// BuiltIn gives the configuration of that name for the data.
func BuiltIn(name string, d BuiltInData, seed int64) (Configuration, error) {
	m, ok := builtIns[name]
	if !ok {
		return Configuration{}, fmt.Errorf("no built-in network is called %q: there are %s", name, strings.Join(BuiltIns(), ", "))
	}
	if d.Classes < 2 {
		return Configuration{}, fmt.Errorf("network %s: it tells 2 or more classes apart, and the data has %d", name, d.Classes)
	}
	c, err := m.make(d)
	if err != nil {
		return c, fmt.Errorf("network %s: %w", name, err)
	}
	c.Seed, c.InputType, c.WeightInit = seed, d.Input, weights.Xavier{}
	return c.Complete()
}

func builtInOutput(d BuiltInData) layer.Layer {
	return layer.Output{NOut: d.Classes, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()}
}

// mlp is a multi-layer perceptron.
func mlp(d BuiltInData) (Configuration, error) {
	return Configuration{
		Updater: updater.Nesterovs{LearningRate: 0.1, Momentum: 0.9},
		Layers:  []layer.Layer{layer.Dense{NOut: 500, Activation: activation.ReLU{}}, builtInOutput(d)},
	}, nil
}

// softmax is multinomial logistic regression.
func softmax(d BuiltInData) (Configuration, error) {
	return Configuration{Updater: updater.NewAdam(), Layers: []layer.Layer{builtInOutput(d)}}, nil
}

// checkImage checks that the data are images of at least 4x4.
func checkImage(d BuiltInData) error {
	switch d.Input.Kind {
	case inputtype.ConvolutionalKind, inputtype.ConvolutionalFlatKind:
	default:
		return fmt.Errorf("it takes images, and the data has %v", d.Input)
	}
	if d.Input.Height < 4 || d.Input.Width < 4 {
		return fmt.Errorf("it takes images of 4x4 and more, and the data has %v", d.Input)
	}
	return nil
}

// lenet is LeNet as Deeplearning4j's examples have it (LeCun and others, "Gradient-based learning applied to document
// recognition", 1998). Images below 16x16 get 3x3 filters that keep the size, rectified, a smaller hidden layer, and a
// learning rate that begins at three times the usual one and falls with each epoch.
func lenet(d BuiltInData) (Configuration, error) {
	if err := checkImage(d); err != nil {
		return Configuration{}, err
	}
	adam := updater.NewAdam()
	kernel, mode, hidden := [2]int{5, 5}, layer.Truncate, 500
	var act activation.Activation = activation.Identity{}
	if min(d.Input.Height, d.Input.Width) < 16 {
		kernel, mode, hidden, act = [2]int{3, 3}, layer.Same, 128, activation.ReLU{}
		adam.LearningRateSchedule = falling
	}
	pool := layer.Subsampling{Kernel: [2]int{2, 2}, Stride: [2]int{2, 2}}
	return Configuration{
		Updater: adam,
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 20, Kernel: kernel, Mode: mode, Activation: act},
			pool,
			layer.Convolution2D{NOut: 50, Kernel: kernel, Mode: mode, Activation: act},
			pool,
			layer.Dense{NOut: hidden, Activation: activation.ReLU{}},
			builtInOutput(d),
		},
	}, nil
}

// falling is 0.003 at first, 0.0018 after 4 epochs, 0.001 after 10, 0.0003 after 30 and 0.00005 after 100. At a
// rate that stays, Adam throws a network that has nearly learned its examples back now and then.
var falling = updater.InverseSchedule{Type: updater.Epoch, InitialValue: 3e-3, Gamma: 0.07, Power: 2}

// cnn is a small convolutional network of today's kind.
func cnn(d BuiltInData) (Configuration, error) {
	if err := checkImage(d); err != nil {
		return Configuration{}, err
	}
	var layers []layer.Layer
	for _, filters := range []int{32, 64} {
		layers = append(layers,
			layer.Convolution2D{NOut: filters, Kernel: [2]int{3, 3}, Mode: layer.Same, NoBias: true, Activation: activation.Identity{}},
			layer.NewBatchNormalization(),
			layer.Activate{Activation: activation.ReLU{}},
			layer.Subsampling{Kernel: [2]int{2, 2}, Stride: [2]int{2, 2}})
	}
	layers = append(layers, layer.Dense{NOut: 128, Activation: activation.ReLU{}}, layer.NewDropout(0.5), builtInOutput(d))
	return Configuration{Updater: updater.NewAdam(), Layers: layers}, nil
}
