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
	if v.labels() == "bft1" {
		return readTallConv(r, n, v)
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

// readTallConv reads a convolution of images of width 1, which are sequences.
func readTallConv(r *reader, n *onnxfile.Node, v *value) error {
	w, dims, err := r.weights(n, 1, 4)
	if err != nil {
		return err
	}
	if dims[3] != 1 {
		return fmt.Errorf("a kernel of %v moves over images of width 1", dims[2:])
	}
	flat := &onnxfile.Node{Op: n.Op, Name: n.Name, Inputs: slices.Clone(n.Inputs), Outputs: n.Outputs}
	for _, a := range n.Attributes {
		b := *a
		switch last := len(a.Ints) - 1; a.Name {
		case "kernel_shape", "strides", "dilations":
			b.Ints = a.Ints[:min(1, max(last, 0))]
		case "pads":
			if last != 3 || a.Ints[1] != 0 || a.Ints[3] != 0 {
				return errors.New("it pads the width of images of width 1")
			}
			b.Ints = []int64{a.Ints[0], a.Ints[2]}
		}
		flat.Attributes = append(flat.Attributes, &b)
	}
	flat.Inputs[0], flat.Inputs[1] = n.Outputs[0]+"\x00x", n.Outputs[0]+"\x00w" // no names in a model
	r.values[flat.Inputs[0]] = v.with(v.axes[:3])
	r.constants[flat.Inputs[1]] = &constant{floats: w, dims: dims[:3]}
	if err := readConv(r, flat); err != nil {
		return err
	}
	y := r.values[n.Outputs[0]]
	r.set(n, y.with(append(slices.Clone(y.axes), axis{unitAxis, 1})))
	return nil
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
	if auto := attributeText(n, "auto_pad", "NOTSET"); attributeInt(n, "group", 1) != 1 || auto != "NOTSET" {
		return errors.New("it has groups, or auto_pad: no layer has them")
	}
	params := map[string][]float32{"W": w}
	crop, err := borders(n, axes, &s, dims, params)
	if err != nil {
		return err
	}
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
	if crop != [4]int{} {
		cut := layer.Cropping2D{Cropping: crop}
		if name, err = r.add(n, nn.GraphVertex{Layer: cut, Inputs: []string{name}}, nil); err != nil {
			return err
		}
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// borders sets the padding of a transposed convolution, where a layer has the node's. Elsewhere the layer computes the
// whole result, and a border of it is cut off. Where the result goes on behind the last pixel, because of
// output_padding, the kernel gets zeros.
func borders(n *onnxfile.Node, axes []axis, s *sliding, dims []int, params map[string][]float32) (crop [4]int,
	err error) {
	rest := repeat(0, 2)
	if a := n.Attribute("output_padding"); a != nil && len(a.Ints) == 2 {
		for i, x := range a.Ints {
			if x < 0 || x > 1<<20 {
				return crop, fmt.Errorf("its output_padding is %v", a.Ints)
			}
			rest[i] = int(x)
		}
	}
	s.mode = layer.Truncate
	if slices.Equal(s.before, s.after) && slices.Equal(rest, repeat(0, 2)) {
		return crop, nil
	}
	same := true
	for i, a := range axes { // Same gives size·stride, and cuts the larger part off at the end
		cut := (s.kernel[i]-1)*s.dilation[i] + 1 - s.stride[i]
		same = same && a.size > 0 && cut >= 0 && s.before[i] == cut/2 && s.after[i]-rest[i] == cut-cut/2
	}
	if same {
		s.mode = layer.Same
		return crop, nil
	}
	larger := slices.Clone(s.kernel)
	for i := range axes {
		crop[2*i], crop[2*i+1] = s.before[i], s.after[i]-rest[i]
		if more := -crop[2*i+1]; more > 0 {
			more = (more + s.dilation[i] - 1) / s.dilation[i]
			larger[i] += more
			crop[2*i+1] += more * s.dilation[i]
		}
	}
	if params["W"], err = extended(params["W"], dims, larger); err != nil {
		return crop, err
	}
	s.kernel, s.before, s.after = larger, repeat(0, 2), repeat(0, 2)
	return crop, nil
}

// extended returns a kernel [in, out, height, width] with zeros at the ends.
func extended(w []float32, dims, larger []int) ([]float32, error) {
	h, width := dims[2], dims[3]
	if slices.Equal(larger, dims[2:]) {
		return w, nil
	}
	total, ok := elements([]int{dims[0], dims[1], larger[0], larger[1]}, 16*len(w)+1<<16)
	if !ok {
		return nil, errors.New("its output_padding is large")
	}
	out := make([]float32, total)
	for i := range dims[0] * dims[1] {
		for y := range h {
			copy(out[(i*larger[0]+y)*larger[1]:], w[(i*h+y)*width:][:width])
		}
	}
	return out, nil
}
