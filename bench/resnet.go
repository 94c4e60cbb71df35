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
	"github.com/dl4go/dl4go/nn/vertex"
)

// The residual network's blocks and their filters, on images of 32x32x3.
const (
	residualBlocks  = 4
	residualFilters = 64
	residualBatch   = 32
)

// residualNetwork returns a residual network and a minibatch. It has a convolution, residual blocks, the mean of each
// channel and ten classes. A residual block has convolution, batch normalisation, rectifier, convolution, batch
// normalisation, the sum with the block's input, and rectifier.
func residualNetwork(threads int) (*nn.Graph, *data.MultiDataSet, error) {
	conv := func(name, in string) nn.GraphVertex {
		return nn.GraphVertex{Name: name, Inputs: []string{in}, Layer: layer.Convolution2D{NOut: residualFilters, Kernel: [2]int{3, 3},
			Padding: [2]int{1, 1}, NoBias: true, Activation: activation.Identity{}}}
	}
	normalization := layer.NewBatchNormalization()
	normalization.UseLogStd = false
	rectifier := layer.Activate{Activation: activation.ReLU{}}
	all := []nn.GraphVertex{conv("first", "image")}
	last := "first"
	for i := range residualBlocks {
		name := func(part string) string { return fmt.Sprintf("%s%d", part, i) }
		all = append(all, conv(name("a"), last),
			nn.GraphVertex{Name: name("a-norm"), Inputs: []string{name("a")}, Layer: normalization},
			nn.GraphVertex{Name: name("a-relu"), Inputs: []string{name("a-norm")}, Layer: rectifier},
			conv(name("b"), name("a-relu")),
			nn.GraphVertex{Name: name("b-norm"), Inputs: []string{name("b")}, Layer: normalization},
			nn.GraphVertex{Name: name("sum"), Inputs: []string{name("b-norm"), last}, Vertex: vertex.ElementWise{Op: vertex.Add}},
			nn.GraphVertex{Name: name("relu"), Inputs: []string{name("sum")}, Layer: rectifier})
		last = name("relu")
	}
	all = append(all,
		nn.GraphVertex{Name: "pool", Inputs: []string{last}, Layer: layer.GlobalPooling{Pooling: layer.AvgPooling}},
		nn.GraphVertex{Name: "out", Inputs: []string{"pool"}, Layer: layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}})
	image := inputtype.Convolutional(32, 32, 3)
	g, err := nn.NewGraph(nn.GraphConfiguration{Defaults: nn.Configuration{Updater: updater.Nesterovs{LearningRate: 0.01, Momentum: 0.9}},
		Inputs: []string{"image"}, InputTypes: []inputtype.Type{image}, Vertices: all, Outputs: []string{"out"}})
	if err != nil {
		return nil, nil, err
	}
	g.Init(1)
	g.SetExecutor(cpu.New(cpu.Options{Threads: threads}))
	return g, (&data.DataSet{Features: uniform(residualBatch, 3, 32, 32), Labels: classes(residualBatch)}).Multi(), nil
}
