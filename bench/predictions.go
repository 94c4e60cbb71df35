package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/internal/onnx"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/serve"
)

// predicted is a network that predicts in dl4go and, exported, in ONNX Runtime.
type predicted struct {
	name       string
	make       func() (*nn.Network, []int, error) // also returns the shape of an example
	one, batch int                                // calls in one measurement, of 1 row and of a minibatch
}

// predictedNetworks returns the networks of the training steps.
func predictedNetworks(threads int) []predicted {
	images := func(model string, shape ...int) func() (*nn.Network, []int, error) {
		return func() (*nn.Network, []int, error) {
			net, err := imageNet(model, 1)
			if err != nil {
				return nil, nil, err
			}
			return &net.Network, shape, nil
		}
	}
	return []predicted{
		{"mlp", images("mlp", 784), 6000, 600},
		{"lenet", images("lenet", 784), 2000, 60},
		{"lstm", func() (*nn.Network, []int, error) {
			net, m, err := charNetwork(threads)
			if err != nil {
				return nil, nil, err
			}
			return &net.Network, m.Features[0].Shape[1:], nil
		}, 400, 12},
		{"resnet", func() (*nn.Network, []int, error) {
			net, m, err := residualNetwork(threads)
			if err != nil {
				return nil, nil, err
			}
			return &net.Network, m.Features[0].Shape[1:], nil
		}, 40, 1},
	}
}

// predictions exports the networks to a directory for the peer, and returns the works of predicting 1 row and a
// minibatch.
func predictions(dir string, threads int) (all []work, err error) {
	for _, p := range predictedNetworks(threads) {
		net, shape, err := p.make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		f, err := os.Create(filepath.Join(dir, p.name+".onnx"))
		if err != nil {
			return nil, err
		}
		if err := onnx.Write(f, net, onnx.Options{}); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		for i, rows := range []int{1, batch} {
			calls := []int{p.one, p.batch}[i]
			all = append(all, work{fmt.Sprintf("%s-%d", p.name, rows), calls, 0, func() (func() error, error) {
				predictor, err := serve.New(net, serve.Options{Concurrency: 1, Threads: threads, MaxBatch: batch})
				x := uniform(append([]int{rows}, shape...)...)
				return func() error {
					_, err := predictor.Predict(context.Background(), x)
					return err
				}, err
			}})
		}
	}
	return all, nil
}
