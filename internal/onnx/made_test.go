package onnx

import (
	"bytes"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// maker makes a network with data.
type maker func() (*nn.Network, *data.MultiDataSet, error)

// filled returns an array of different numbers from −1 to 1.
func filled(shape ...int) *tensor.Dense {
	x := tensor.New(shape...)
	for i := range x.Data {
		x.Data[i] = float32((i*7919+13)%201)/100 - 1
	}
	return x
}

// indicesOf returns an array of whole numbers below n.
func indicesOf(n int, shape ...int) *tensor.Dense {
	x := tensor.New(shape...)
	for i := range x.Data {
		x.Data[i] = float32((i*31 + 7) % n)
	}
	return x
}

// madeNetworks returns the built-in networks, and networks with features that the cases of Deeplearning4j don't have.
func madeNetworks() map[string]maker {
	all := map[string]maker{}
	image, small := inputtype.Convolutional(32, 32, 3), inputtype.Convolutional(12, 12, 2)
	for name, d := range map[string]nn.BuiltInData{
		"mlp":     {Input: inputtype.FeedForward(5), Classes: 3},
		"softmax": {Input: inputtype.FeedForward(5), Classes: 3, Task: nn.MultiLabel},
		"lstm":    {Input: inputtype.Recurrent(3, 6), Classes: 2, PerStep: true}, "gru": {Input: inputtype.Recurrent(3, 6),
			Classes: 2},
		"lenet": {Input: small, Classes: 3}, "cnn": {Input: small, Classes: 3, Task: nn.Regression}, "vgg": {Input: small,
			Classes: 3},
		"resnet": {Input: small, Classes: 3}, "vgg16": {Input: image, Classes: 4}, "resnet18": {Input: image, Classes: 4},
		"resnet34": {Input: image, Classes: 4}, "resnet50": {Input: image, Classes: 4},
	} {
		all[name] = func() (*nn.Network, *data.MultiDataSet, error) {
			net, err := nn.NewBuiltIn(name, d, nn.Shape{}, 1)
			m := &data.MultiDataSet{Features: []*tensor.Dense{filled(d.Input.Shape(3)...)}}
			return net, m, err
		}
	}
	for _, name := range []string{"lstm", "gru"} {
		all["words-"+name] = func() (*nn.Network, *data.MultiDataSet, error) {
			net, err := nn.NewBuiltIn(name, nn.BuiltInData{Input: inputtype.Recurrent(1, 0), Classes: 2, Words: 11}, nn.Shape{},
				1)
			return net, &data.MultiDataSet{Features: []*tensor.Dense{indicesOf(11, 2, 1, 5)}}, err
		}
	}
	for _, name := range []string{"mlp", "gru"} {
		all["categories-"+name] = func() (*nn.Network, *data.MultiDataSet, error) {
			x := filled(3, 3)
			d := nn.BuiltInData{Input: inputtype.FeedForward(3), Classes: 2}
			if name == "gru" {
				x, d.Input = filled(3, 3, 4), inputtype.Recurrent(3, 4)
			}
			d.Categories = []nn.Category{{Name: "a", Column: 1, Count: 3, Size: 2}}
			steps := x.RowSize() / 3
			for i := range x.Data {
				if i/steps%3 == 1 {
					x.Data[i] = float32(i % 3)
				}
			}
			net, err := nn.NewBuiltIn(name, d, nn.Shape{}, 1)
			return net, &data.MultiDataSet{Features: []*tensor.Dense{x}}, err
		}
	}
	output := layer.RnnOutput{NOut: 2, Activation: activation.Softmax{}, Loss: loss.MCXENT{}}
	last := layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}
	rows := func(l ...layer.Layer) maker { return layersOf(inputtype.FeedForward(4), nil, l...) }
	steps := func(l ...layer.Layer) maker { return layersOf(inputtype.Recurrent(3, 0), nil, l...) }
	all["gru-before"] = steps(layer.GRU{NOut: 4, ResetBefore: true, Activation: activation.TanH{}}, output)
	all["gru-nobias"] = steps(layer.GRU{NOut: 4, NoBias: true, Activation: activation.SoftSign{}}, output)
	all["gru-both"] = steps(layer.NewBidirectional(layer.BidirectionalAdd, layer.GRU{NOut: 4,
		Activation: activation.TanH{}}), output)
	all["gru-last"] = steps(layer.NewLastTimeStep(layer.GRU{NOut: 4, Activation: activation.TanH{}}), last)
	all["lstm-both-last"] = steps(layer.NewBidirectional(layer.BidirectionalConcat,
		layer.NewLastTimeStep(layer.NewLSTM(3))), last)
	for mode, name := range map[layer.BidirectionalMode]string{layer.BidirectionalAdd: "add",
		layer.BidirectionalMul: "mul", layer.BidirectionalAverage: "average"} {
		all["gru-last-"+name] = steps(layer.NewBidirectional(mode, layer.NewLastTimeStep(layer.GRU{NOut: 4,
			Activation: activation.TanH{}})), last)
	}
	logs := layer.RnnOutput{NOut: 2, Activation: activation.LogSoftmax{}, Loss: loss.MSE{}}
	all["log-softmax"] = rows(layer.Dense{NOut: 5, Activation: activation.LogSoftmax{}}, layer.Output{NOut: 3,
		Activation: activation.LogSoftmax{}, Loss: loss.MSE{}})
	all["log-softmax-steps"] = steps(layer.NewLSTM(3), logs)
	all["hard"] = rows(layer.Dense{NOut: 5, Activation: activation.HardSwish{}}, layer.Dense{NOut: 5,
		Activation: activation.HardSigmoid6{}}, last)
	all["lstm-hard"] = steps(layer.LSTM{NOut: 3, Activation: activation.HardSigmoid6{}}, output)
	all["lstm-selu"] = steps(layer.LSTM{NOut: 3, Activation: activation.SELU{}}, output)
	all["dilated-average"] = layersOf(inputtype.Convolutional(9, 9, 2), nil, layer.Subsampling{Pooling: layer.AvgPooling,
		Kernel: [2]int{2, 2}, Stride: [2]int{1, 1}, Dilation: [2]int{2, 2}}, layer.GlobalPooling{}, last)
	scaler := func(n *data.Scaler, outputs bool) *data.Scaler {
		n.Inputs = []data.ColumnStatistics{{First: []float32{1, -2, 0, 3}, Second: []float32{2, 5, 0.5, 7}}}
		if outputs {
			n.Outputs = []data.ColumnStatistics{{First: []float32{10, -20}, Second: []float32{30, 40}}}
		}
		return n
	}
	all["standardized"] = layersOf(inputtype.FeedForward(4), scaler(data.NewStandardize(true), true), last)
	all["in-range"] = layersOf(inputtype.FeedForward(4), scaler(data.NewMinMax(-1, 3, true), true), last)
	all["pixels"] = layersOf(inputtype.Convolutional(3, 3, 2), data.NewImageScaler(), layer.GlobalPooling{}, last)
	all["mish"] = rows(layer.Dense{NOut: 5, Activation: activation.Mish{}}, layer.Dense{NOut: 5,
		Activation: activation.GELU{Precise: true}}, last)
	return all
}

// layersOf makes a network of layers in a row, with a normalizer, which may be nil.
func layersOf(t inputtype.Type, norm data.Normalizer, l ...layer.Layer) maker {
	return func() (*nn.Network, *data.MultiDataSet, error) {
		m, err := nn.New(nn.Configuration{Layers: l, InputType: t, Seed: 3, BiasInit: 0.1, AnyOutput: true})
		if err != nil {
			return nil, nil, err
		}
		if norm != nil {
			var b bytes.Buffer
			if err := data.WriteNormalizer(&b, norm); err != nil {
				return nil, nil, err
			}
			m.SetNormalizer(b.Bytes())
		}
		if t.Kind == inputtype.RecurrentKind {
			t.TimeSteps = 5
		}
		return m.Base(), &data.MultiDataSet{Features: []*tensor.Dense{filled(t.Shape(3)...)}}, nil
	}
}
