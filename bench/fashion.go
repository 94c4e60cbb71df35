package main

import (
	"context"
	"path/filepath"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// fashion opens a part of Fashion-MNIST: train or t10k.
func fashion(ctx context.Context, dir, part string) (source.Table, error) {
	name := filepath.Join(dir, part)
	return source.OpenIDX(ctx, name+"-images-idx3-ubyte.gz", name+"-labels-idx1-ubyte.gz", 0)
}

// training opens an engine whose tasks have one thread, and distributes Fashion-MNIST's training images on it.
func training(ctx context.Context, dir, master string, o engine.Options) (engine.Engine, *distributed.Data, source.Table, error) {
	table, err := fashion(ctx, dir, "train")
	if err != nil {
		return nil, nil, nil, err
	}
	o.Threads = 1
	e, err := engine.Open(ctx, master, o)
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := distributed.FromSource(e, table, 0)
	if err != nil {
		e.Close()
		return nil, nil, nil, err
	}
	return e, d, table, nil
}

// imageNet returns a built-in network for images of 28x28 in ten classes. "frozen" has two frozen hidden layers of 500,
// and an output layer with 0.8 % of the parameters.
func imageNet(model string, seed int64) (*nn.MultiLayer, error) { return netOf(model, 28, seed) }

// netOf is imageNet for images of another size.
func netOf(model string, size int, seed int64) (*nn.MultiLayer, error) {
	name := model
	if model == "frozen" {
		name = "mlp"
	}
	conf, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputtype.ConvolutionalFlat(size, size, 1), Classes: 10}, seed)
	if err != nil {
		return nil, err
	}
	if model == "frozen" {
		hidden := layer.Dense{NOut: 500, Activation: activation.ReLU{}}
		out := layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()}
		conf.Layers = []layer.Layer{layer.Frozen{Layer: hidden}, layer.Frozen{Layer: hidden}, out}
	}
	net, err := nn.New(conf)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(seed))
	return net, nil
}
