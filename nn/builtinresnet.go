package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
)

// residual is a size of ResNet (He and others, "Deep residual learning for image recognition", 2015).
type residual struct {
	least      int   // minimum number of rows and columns of an image
	filters    int   // of the first stage; each further stage has twice the filters and half the rows and columns
	blocks     []int // of each stage
	bottleneck bool  // blocks of 1x1, 3x3 and 1x1, the last with four times the filters, in place of two of 3x3
}

// make returns the graph. Images from 128x128 begin with a 7x7 convolution of stride 2 and a pooling.
func (r residual) make(d BuiltInData, s *shaper) (GraphConfiguration, error) {
	if err := checkImage(d, r.least); err != nil {
		return GraphConfiguration{}, err
	}
	b := &residualBuilder{act: s.activation(activation.ReLU{})}
	const input = "input"
	at := ""
	if min(d.Input.Height, d.Input.Width) >= 128 {
		at = b.convolution("stem", input, r.filters, 7, 2, true)
		pool := layer.Subsampling{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Mode: layer.Same}
		at = b.layer("stem-pool", pool, at)
	} else {
		at = b.convolution("stem", input, r.filters, 3, 1, true)
	}
	channels, filters := r.filters, r.filters
	for stage, blocks := range r.blocks {
		for i := range blocks {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			at, channels = b.block(fmt.Sprintf("stage%d-block%d", stage+1, i+1), at, channels, filters, stride, r.bottleneck)
		}
		filters *= 2
	}
	at = b.layer("pool", layer.GlobalPooling{Pooling: layer.AvgPooling}, at)
	b.layer("output", builtInOutput(d, s.dropout()), at)
	defaults := Configuration{Updater: updater.NewAdam(), WeightInit: weights.Relu{}}
	return GraphConfiguration{Defaults: defaults, Inputs: []string{input}, InputTypes: []inputtype.Type{d.Input},
		Vertices: b.vertices, Outputs: []string{"output"}}, nil
}

// residualBuilder collects vertices. Its methods return the name of the last vertex that they add.
type residualBuilder struct {
	act      activation.Activation
	vertices []GraphVertex
}

func (b *residualBuilder) layer(name string, l layer.Layer, from string) string {
	b.vertices = append(b.vertices, GraphVertex{Name: name, Layer: l, Inputs: []string{from}})
	return name
}

// convolution adds a convolution, batch normalisation, and the activation if active is true.
func (b *residualBuilder) convolution(name, from string, filters, kernel, stride int, active bool) string {
	from = b.layer(name, layer.Convolution2D{NOut: filters, Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride},
		Mode: layer.Same, NoBias: true, Activation: activation.Identity{}}, from)
	from = b.layer(name+"-norm", layer.NewBatchNormalization(), from)
	if active {
		from = b.layer(name+"-act", layer.Activate{Activation: b.act}, from)
	}
	return from
}

// block adds a residual block. If the block changes the shape, a 1x1 convolution adapts its input.
func (b *residualBuilder) block(name, from string, channels, filters, stride int, bottleneck bool) (string, int) {
	out, at := filters, ""
	if bottleneck {
		out = 4 * filters
		at = b.convolution(name+"-a", from, filters, 1, 1, true)
		at = b.convolution(name+"-b", at, filters, 3, stride, true)
		at = b.convolution(name+"-c", at, out, 1, 1, false)
	} else {
		at = b.convolution(name+"-a", from, filters, 3, stride, true)
		at = b.convolution(name+"-b", at, filters, 3, 1, false)
	}
	if stride != 1 || channels != out {
		from = b.convolution(name+"-fit", from, out, 1, stride, false)
	}
	sum := GraphVertex{Name: name + "-sum", Vertex: vertex.ElementWise{Op: vertex.Add}, Inputs: []string{at, from}}
	b.vertices = append(b.vertices, sum)
	return b.layer(name+"-act", layer.Activate{Activation: b.act}, sum.Name), out
}
