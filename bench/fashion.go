package main

import (
	"context"
	"path/filepath"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/zoo"
)

// fashion is a part of Fashion-MNIST: train or t10k.
func fashion(dir, part string) (source.Table, error) {
	name := filepath.Join(dir, part)
	s, err := source.Open("idx:" + name + "-images-idx3-ubyte.gz," + name + "-labels-idx1-ubyte.gz")
	if err != nil {
		return nil, err
	}
	return s.(source.Table), nil
}

// training opens an engine whose tasks have one thread, and gives it Fashion-MNIST's training images.
func training(ctx context.Context, dir, master string, o engine.Options) (engine.Engine, *distributed.Data, source.Table, error) {
	table, err := fashion(dir, "train")
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

// imageNet is a built-in network for images of 28x28 in ten classes.
func imageNet(model string, seed int64) (*nn.MultiLayer, error) {
	conf, err := zoo.New(model, zoo.Data{Input: inputtype.ConvolutionalFlat(28, 28, 1), Classes: 10}, seed)
	if err != nil {
		return nil, err
	}
	net, err := nn.New(conf)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(seed))
	return net, nil
}
