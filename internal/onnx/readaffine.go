package onnx

import (
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// addAffine adds a factor or a summand for each feature or channel. For images it is a depthwise convolution of single
// pixels. Volumes have no such layer: for them it is a batch normalisation with statistics of 0 and 1.
func addAffine(r *reader, n *onnxfile.Node, v *value, x []float32) error {
	const eps = 1e-5
	size := len(x)
	identity := activation.Identity{}
	factors, summands := affine(n.Op, x)
	var l layer.Layer
	from, params := v.from, map[string][]float32{"W": factors, "b": summands}
	var err error
	switch v.labels() {
	case "bf":
		if from, err = asVector(r, n, v.from, v); err != nil {
			return err
		}
		l = layer.ElementWise{NIn: size, NOut: size, Activation: identity}
	case "bft", "btf", "tbf":
		l = layer.TimeDistributed{Layer: layer.ElementWise{NIn: size, NOut: size, Activation: identity}}
	case "bcdhw", "bdhwc":
		params = map[string][]float32{"gamma": factors, "beta": summands, "mean": repeated(0, size),
			"var": repeated(1-eps, size)}
		l := layer.BatchNormalization{NIn: size, NOut: size, Activation: identity, Eps: eps, Decay: 1, Gamma: 1}
		return addNormalization(r, n, v, l, params)
	default:
		one := [2]int{1, 1}
		l = layer.DepthwiseConvolution2D{NIn: size, NOut: size, DepthMultiplier: 1, Activation: identity, Kernel: one,
			Stride: one, Dilation: one, Mode: layer.Truncate}
		if r.types[v.from].Kind != inputtype.ConvolutionalKind {
			l = layer.ElementWise{NIn: size, NOut: size, Activation: identity}
		}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{from}}, params)
	if err != nil {
		return err
	}
	r.vertices[r.at[name]].affine = true
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// affine returns an operation with a constant as factors and summands.
func affine(op string, x []float32) (factors, summands []float32) {
	factors, summands = repeated(1, len(x)), repeated(0, len(x))
	for i, value := range x {
		switch op {
		case "Add":
			summands[i] = value
		case "Sub":
			summands[i] = -value
		case "Mul":
			factors[i] = value
		default:
			factors[i] = 1 / value
		}
	}
	return factors, summands
}

// scaleAgain applies another factor or summand to the layer of addAffine. ok is false if it has an activation.
func scaleAgain(m *made, op string, x []float32) (ok bool) {
	w, b := m.params["W"], m.params["b"]
	if _, ok := withActivation(m.Layer, activation.Identity{}); !ok || len(w) != len(x) {
		return false
	}
	factors, summands := affine(op, x)
	m.params = map[string][]float32{"W": slices.Clone(w), "b": slices.Clone(b)}
	for i := range x {
		m.params["W"][i] *= factors[i]
		m.params["b"][i] = b[i]*factors[i] + summands[i]
	}
	return true
}
