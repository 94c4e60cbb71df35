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

// The attention network.
const (
	attentionBatch = 8
	attentionSteps = 512
	attentionSize  = 64
	attentionHeads = 4
)

// attentionNetwork returns a network with self-attention of 4 heads over 512 steps, the mean over the steps and ten
// classes, and a minibatch.
func attentionNetwork(threads int) (*nn.MultiLayer, *data.MultiDataSet, error) {
	net, err := nn.New(nn.Configuration{InputType: inputtype.Recurrent(attentionSize, attentionSteps), Updater: updater.NewAdam(),
		Layers: []layer.Layer{
			layer.SelfAttention{NOut: attentionSize, NHeads: attentionHeads, ProjectInput: true},
			layer.GlobalPooling{Pooling: layer.AvgPooling},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		return nil, nil, fmt.Errorf("the attention network: %w", err)
	}
	net.Init(1)
	net.SetExecutor(cpu.New(cpu.Options{Threads: threads}))
	x := uniform(attentionBatch, attentionSize, attentionSteps)
	return net, (&data.DataSet{Features: x, Labels: classes(attentionBatch)}).Multi(), nil
}
