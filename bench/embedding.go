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
	"github.com/dl4go/dl4go/tensor"
)

// The embedding's table: 256 MB.
const (
	embeddingRows = 1000000
	embeddingSize = 64
)

// embeddingStep returns steps of an embedding of a million rows and ten classes. Each uses other rows.
func embeddingStep(u updater.Updater, threads int) func() (func() error, error) {
	return func() (func() error, error) {
		net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(1), Updater: u, Layers: []layer.Layer{
			layer.NewEmbedding(embeddingRows, embeddingSize),
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		if err != nil {
			return nil, fmt.Errorf("the embedding: %w", err)
		}
		net.Init(1)
		net.SetExecutor(cpu.New(cpu.Options{Threads: threads}))
		m := (&data.DataSet{Features: tensor.New(batch, 1), Labels: classes(batch)}).Multi()
		step := 0
		return func() error {
			step++
			for i := range batch {
				m.Features[0].Data[i] = float32((i + batch*step) * 7919 % embeddingRows)
			}
			_, err := net.Fit(m, nn.Key{})
			return err
		}, nil
	}
}
