package onnx

import (
	"errors"
	"strings"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// pooled reports whether a value is vectors that the model keeps as images or sequences of one pixel or step, such as
// the result of a global pooling.
func (v *value) pooled() bool {
	rest, ok := strings.CutPrefix(v.labels(), "bf1")
	return ok && strings.Trim(rest, string(unitAxis)) == "" && v.order == nil && v.recurrent == nil
}

// readPooledConv reads a convolution of a single pixel or step, which is a dense layer.
func readPooledConv(r *reader, n *onnxfile.Node, v *value) error {
	w, dims, err := r.weights(n, 1, len(v.axes))
	if err != nil {
		return err
	}
	if a := n.Attribute("pads"); a != nil {
		for _, p := range a.Ints {
			if p != 0 {
				return errors.New("it pads a single pixel")
			}
		}
	}
	if elementsOf(dims[2:]) != 1 || attributeInt(n, "group", 1) != 1 {
		return errors.New("a kernel moves over a single pixel, and is larger, or has groups")
	}
	var bias []float32
	if given(n, 2) {
		if bias, _, err = r.weights(n, 2, 1); err != nil {
			return err
		}
	}
	flat := v.with(v.axes[:2])
	if err := addDense(r, n, flat, w, dims[1], dims[0], bias); err != nil {
		return err
	}
	y := r.values[n.Outputs[0]]
	r.set(n, y.with(append(y.axes[:2:2], v.axes[2:]...)))
	return nil
}

// spreadPooled makes images of one pixel of vectors that are combined with larger images, as in squeeze-and-excitation.
func spreadPooled(r *reader, n *onnxfile.Node, values []*value) error {
	var image *value
	for _, v := range values {
		if v.labels() == "bchw" && r.types[v.from].Kind == inputtype.ConvolutionalKind {
			image = v
		}
	}
	for i, v := range values {
		if image == nil || !v.pooled() || len(v.axes) != 4 || v.axes[1].size != image.axes[1].size {
			continue
		}
		if r.types[image.from].ChannelsLast {
			return errors.New("vectors are combined with images that have the channels last")
		}
		name, err := r.add(n, nn.GraphVertex{Vertex: vertex.Preprocessor{Preprocessor: layer.FeedForwardToCnn{Height: 1,
			Width: 1, Channels: v.axes[1].size}}, Inputs: []string{v.from}}, nil)
		if err != nil {
			return err
		}
		values[i] = r.whole(name)
	}
	return nil
}
