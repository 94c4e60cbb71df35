package onnx

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// readBatchNorm reads a batch normalisation with its statistics.
func readBatchNorm(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	params := map[string][]float32{}
	size := 0
	for i, name := range []string{"gamma", "beta", "mean", "var"} {
		if params[name], _, err = r.weights(n, i+1, 1); err != nil {
			return err
		}
		size = len(params[name])
	}
	l := layer.BatchNormalization{NIn: size, NOut: size, Activation: activation.Identity{}, Eps: attributeFloat(n,
		"epsilon", 1e-5),
		Decay: attributeFloat(n, "momentum", 0.9), Gamma: 1}
	return addNormalization(r, n, v, l, params)
}

// addNormalization adds a batch normalisation of vectors, of images, or of the steps of sequences.
func addNormalization(r *reader, n *onnxfile.Node, v *value, l layer.BatchNormalization,
	params map[string][]float32) error {
	vx := nn.GraphVertex{Layer: l, Inputs: []string{v.from}}
	switch v.labels() {
	case "bf", "bchw", "bhwc":
		from, err := asVector(r, n, v.from, v)
		if err != nil {
			return err
		}
		vx.Inputs[0] = from
	case "bft", "btf", "tbf":
		vx.Layer = layer.TimeDistributed{Layer: l}
	default:
		return fmt.Errorf("the axes %q are normalised: vectors, sequences or images should be here", v.labels())
	}
	name, err := r.add(n, vx, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// readResponses reads a local response normalisation. Its alpha applies to the sum.
func readResponses(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	size := attributeInt(n, "size", 0)
	if v.labels() != "bchw" || size < 1 || size%2 == 0 {
		return fmt.Errorf("a normalisation over %d channels of %q has no layer", size, v.labels())
	}
	l := layer.NewLocalResponseNormalization()
	l.N, l.K = float64(size), attributeFloat(n, "bias", 1)
	l.Alpha, l.Beta = attributeFloat(n, "alpha", 1e-4)/float64(size), attributeFloat(n, "beta", 0.75)
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, r.whole(name))
	return nil
}
