package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// readConv reads a convolution.
func readConv(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	if v.pooled() {
		return readPooledConv(r, n, v)
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	w, dims, err := r.weights(n, 1, len(axes)+2)
	if err != nil {
		return err
	}
	s, err := slidingOf(r, n, axes, dims[2:])
	if err != nil {
		return err
	}
	params := map[string][]float32{"W": w}
	if given(n, 2) {
		if params["b"], _, err = r.weights(n, 2, 1); err != nil {
			return err
		}
	}
	if v, err = evenPadding(r, n, v, &s); err != nil {
		return err
	}
	depthwise := len(dims) == 4 && dims[1] == 1 && attributeInt(n, "group", 1) == int64(v.axes[1].size)
	if !depthwise && attributeInt(n, "group", 1) != 1 {
		return grouped(r, n, v, s, dims, params)
	}
	l, err := convolution(n, v, s, dims, params)
	if err != nil {
		return err
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// convolution makes the layer of filters [out, in/groups, …].
func convolution(n *onnxfile.Node, v *value, s sliding, dims []int, params map[string][]float32) (layer.Layer, error) {
	out, in := dims[0], dims[1]
	noBias, identity := layer.Not(params["b"] == nil), activation.Identity{}
	if groups := attributeInt(n, "group", 1); groups != 1 {
		if out%int(groups) != 0 {
			return nil, fmt.Errorf("its %d channels are no multiple of its %d groups", out, groups)
		}
		m := out / int(groups)
		// [in·m, 1, kh, kw] → [kh, kw, in, m]
		w, turned := params["W"], make([]float32, len(params["W"]))
		for i, place := range places([]int{int(groups), m, dims[2], dims[3]}, []int{2, 3, 0, 1}) {
			turned[i] = w[place]
		}
		params["W"] = turned
		return layer.DepthwiseConvolution2D{NIn: int(groups), NOut: out, DepthMultiplier: m, Activation: identity,
			NoBias: noBias,
			Kernel: two(s.kernel), Stride: two(s.stride), Padding: two(s.before), Dilation: two(s.dilation), Mode: s.mode}, nil
	}
	switch len(dims) {
	case 3:
		// [out, in, k] → [k, in, out], the layer's order
		w, turned := params["W"], make([]float32, len(params["W"]))
		for i, place := range places(dims, []int{2, 1, 0}) {
			turned[i] = w[place]
		}
		params["W"] = turned
		return layer.Convolution1D{NIn: in, NOut: out, Activation: identity, NoBias: noBias, Kernel: one(s.kernel),
			Stride: one(s.stride), Padding: one(s.before), Dilation: one(s.dilation), Mode: s.mode}, nil
	case 4:
		return layer.Convolution2D{NIn: in, NOut: out, Activation: identity, NoBias: noBias, Kernel: two(s.kernel),
			Stride: two(s.stride), Padding: two(s.before), Dilation: two(s.dilation), Mode: s.mode}, nil
	}
	return layer.Convolution3D{NIn: in, NOut: out, Activation: identity, NoBias: noBias, Kernel: three(s.kernel),
		Stride: three(s.stride), Padding: three(s.before), Dilation: three(s.dilation), Mode: s.mode}, nil
}

// readConvTranspose reads a transposed convolution of images.
func readConvTranspose(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	if len(axes) != 2 {
		return errors.New("only transposed convolutions of images have a layer")
	}
	w, dims, err := r.weights(n, 1, 4) // [in, out, kh, kw], the layer's order
	if err != nil {
		return err
	}
	s, err := slidingOf(r, n, axes, dims[2:])
	if err != nil {
		return err
	}
	if a := n.Attribute("output_shape"); a != nil {
		return errors.New("it has an output_shape: pads should be here")
	}
	rest := repeat(0, 2)
	if a := n.Attribute("output_padding"); a != nil && len(a.Ints) == 2 {
		rest = []int{int(a.Ints[0]), int(a.Ints[1])}
	}
	s.mode = layer.Truncate
	for i, a := range axes { // Same gives size·stride
		if (a.size-1)*s.stride[i]+(s.kernel[i]-1)*s.dilation[i]+1-s.before[i]-s.after[i]+rest[i] == a.size*s.stride[i] &&
			(s.before[i] != s.after[i] || rest[i] != 0) {
			s.mode = layer.Same
		}
	}
	if auto := attributeText(n, "auto_pad", "NOTSET"); attributeInt(n, "group", 1) != 1 || auto != "NOTSET" ||
		s.mode != layer.Same && (s.uneven() || !slices.Equal(rest, repeat(0, 2))) {
		return errors.New("it has groups, auto_pad, or a padding that no layer has")
	}
	params := map[string][]float32{"W": w}
	if given(n, 2) {
		if params["b"], _, err = r.weights(n, 2, 1); err != nil {
			return err
		}
	}
	l := layer.Deconvolution2D{NIn: dims[0], NOut: dims[1], Activation: activation.Identity{},
		NoBias: layer.Not(params["b"] == nil),
		Kernel: two(s.kernel), Stride: two(s.stride), Padding: two(s.before), Dilation: two(s.dilation), Mode: s.mode}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}
