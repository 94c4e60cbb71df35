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

// sliding is how a node's kernel moves, by spatial dimension.
type sliding struct {
	kernel, stride, dilation, before, after []int
	mode                                    layer.ConvolutionMode
}

// spatial are the axes of a value that a kernel moves over: of sequences, images or volumes with the channels in the
// second dimension.
func spatial(v *value) ([]axis, error) {
	switch v.labels() {
	case "bft", "bchw", "bcdhw":
		return v.axes[2:], nil
	}
	return nil,
		fmt.Errorf("a kernel moves over the axes %q: those of sequences, images or volumes, with the channels in the "+
			"second dimension, should be here", v.labels())
}

// slidingOf reads a node's window over some axes. kernel is nil where the node has it.
func slidingOf(r *reader, n *onnxfile.Node, axes []axis, kernel []int) (s sliding, err error) {
	list := func(name string, count int, usual int) ([]int, error) {
		out := repeat(usual, count)
		a := n.Attribute(name)
		if a == nil {
			return out, nil
		}
		if len(a.Ints) != count {
			return nil, fmt.Errorf("its %s %v should be %d", name, a.Ints, count)
		}
		for i, x := range a.Ints {
			if x < 0 || x > 1<<20 {
				return nil, fmt.Errorf("its %s are %v", name, a.Ints)
			}
			out[i] = int(x)
		}
		return out, nil
	}
	dims := len(axes)
	if s.kernel = kernel; kernel == nil {
		if n.Attribute("kernel_shape") == nil {
			return s, errors.New("it has no kernel_shape")
		}
		if s.kernel, err = list("kernel_shape", dims, 1); err != nil {
			return s, err
		}
	}
	if s.stride, err = list("strides", dims, 1); err != nil {
		return s, err
	}
	if s.dilation, err = list("dilations", dims, 1); err != nil {
		return s, err
	}
	pads, err := list("pads", 2*dims, 0)
	if err != nil {
		return s, err
	}
	s.before, s.after, s.mode = pads[:dims], pads[dims:], layer.Truncate
	if slices.Contains(append(append(slices.Clone(s.kernel), s.stride...), s.dilation...), 0) {
		return s, errors.New("a kernel, stride or dilation is 0")
	}
	return s, s.padded(n, axes)
}

// padded finds the mode of padding.
func (s *sliding) padded(n *onnxfile.Node, axes []axis) error {
	same := true
	before, after := make([]int, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		if same = same && a.size > 0; !same {
			break
		}
		out := (a.size + s.stride[i] - 1) / s.stride[i]
		total := max((out-1)*s.stride[i]+(s.kernel[i]-1)*s.dilation[i]+1-a.size, 0)
		before[i], after[i] = total/2, total-total/2
	}
	switch auto := attributeText(n, "auto_pad", "NOTSET"); auto {
	case "NOTSET":
	case "VALID":
		s.before, s.after = make([]int, len(axes)), make([]int, len(axes))
	case "SAME_UPPER":
		s.mode = layer.Same
		return nil
	case "SAME_LOWER":
		if !same {
			return errors.New("auto_pad is SAME_LOWER, and the size of what goes in is not known")
		}
		s.before, s.after = after, before
	default:
		return fmt.Errorf("auto_pad %q is unknown", auto)
	}
	if !slices.Equal(s.before, s.after) && same && slices.Equal(s.before, before) && slices.Equal(s.after, after) {
		s.mode = layer.Same
	}
	return nil
}

// uneven says whether the padding is neither symmetric nor that of a mode.
func (s *sliding) uneven() bool {
	return s.mode != layer.Same && !slices.Equal(s.before, s.after)
}

func two(x []int) [2]int   { return [2]int(x) }
func three(x []int) [3]int { return [3]int(x) }

// one is a pair of which the first counts.
func one(x []int) [2]int { return [2]int{x[0], x[0]} }

// evenPadding puts a layer of zeros before a convolution whose padding is uneven, and takes the padding from it.
func evenPadding(r *reader, n *onnxfile.Node, v *value, s *sliding) (*value, error) {
	if !s.uneven() {
		return v, nil
	}
	var l layer.Layer
	b, a := s.before, s.after
	switch len(b) {
	case 1:
		if (s.kernel[0]-1)*s.dilation[0] == b[0] && a[0] == 0 {
			s.mode = "Causal"
			return v, nil
		}
		l = layer.ZeroPadding1D{Padding: [2]int{b[0], a[0]}}
	case 2:
		l = layer.ZeroPadding2D{Padding: [4]int{b[0], a[0], b[1], a[1]}}
	default:
		l = layer.ZeroPadding3D{Padding: [6]int{b[0], a[0], b[1], a[1], b[2], a[2]}}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return nil, err
	}
	s.before = make([]int, len(b))
	return r.like(name, v)
}

// readConv reads a convolution.
func readConv(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
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

// convolution is the layer of filters [out, in/groups, …].
func convolution(n *onnxfile.Node, v *value, s sliding, dims []int, params map[string][]float32) (layer.Layer, error) {
	out, in := dims[0], dims[1]
	noBias, identity := layer.Not(params["b"] == nil), activation.Identity{}
	if groups := attributeInt(n, "group", 1); groups != 1 {
		if len(dims) != 4 || in != 1 || groups != int64(v.axes[1].size) || out%int(groups) != 0 {
			return nil, fmt.Errorf("it has %d groups: one, or one for each channel of an image, should be here", groups)
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
		// [out, in, k] → [k, in, out], as the layer has them
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
	w, dims, err := r.weights(n, 1, 4) // [in, out, kh, kw], as the layer has them
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
	for i, a := range axes { // Same makes size·stride
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

// readPool reads a pooling.
func readPool(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	s, err := slidingOf(r, n, axes, nil)
	if err != nil {
		return err
	}
	if len(n.Outputs) > 1 && n.Outputs[1] != "" && r.readers[n.Outputs[1]] > 0 {
		return errors.New("its indices are read: no layer gives them")
	}
	if attributeInt(n, "ceil_mode", 0) != 0 {
		for i, a := range axes {
			room := a.size + s.before[i] + s.after[i] - (s.kernel[i]-1)*s.dilation[i] - 1
			if a.size < 1 || room%s.stride[i] != 0 {
				return errors.New("ceil_mode is set, and the last window is not whole: layers leave it out")
			}
		}
	}
	if s.uneven() {
		return fmt.Errorf("its padding %v and %v is neither even nor SAME_UPPER", s.before, s.after)
	}
	kind := map[string]layer.PoolingType{"MaxPool": layer.MaxPooling, "AveragePool": layer.AvgPooling,
		"LpPool": layer.PNormPooling}[n.Op]
	include, p := attributeInt(n, "count_include_pad", 0) != 0, int(attributeInt(n, "p", 2))
	var l layer.Layer
	switch len(axes) {
	case 1:
		l = layer.Subsampling1D{Pooling: kind, Kernel: one(s.kernel), Stride: one(s.stride), Padding: one(s.before),
			Dilation: one(s.dilation), Mode: s.mode, IncludePad: include, PNorm: p}
	case 2:
		l = layer.Subsampling{Pooling: kind, Kernel: two(s.kernel), Stride: two(s.stride), Padding: two(s.before),
			Dilation: two(s.dilation), Mode: s.mode, IncludePad: include, PNorm: p}
	default:
		if kind == layer.AvgPooling && !include && !slices.Equal(s.before, repeat(0, 3)) || kind == layer.PNormPooling {
			return errors.New("no layer pools volumes in this way")
		}
		l = layer.Subsampling3D{Pooling: kind, Kernel: three(s.kernel), Stride: three(s.stride), Padding: three(s.before),
			Dilation: three(s.dilation), Mode: s.mode}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// readGlobalPool reads a pooling of all steps or pixels, also as a reduction.
func readGlobalPool(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	keep := true
	reduced := make([]bool, len(v.axes))
	if n.Op[0] == 'R' {
		keep = attributeInt(n, "keepdims", 1) != 0
		list, err := r.list(n, "axes", 1)
		if err != nil {
			return err
		}
		for _, a := range list {
			i, err := axisIndex(a, len(v.axes))
			if err != nil {
				return err
			}
			reduced[i] = true
		}
	} else {
		for i := 2; i < len(reduced); i++ {
			reduced[i] = true
		}
	}
	var axes []axis
	for i, a := range v.axes {
		space := slices.Contains([]byte{timeAxis, depthAxis, heightAxis, widthAxis}, a.label)
		switch {
		case reduced[i] != space && a.label != unitAxis:
			return fmt.Errorf("it reduces others than the axes of time or space of %q", v.labels())
		case reduced[i] && keep:
			axes = append(axes, axis{unitAxis, 1})
		case !reduced[i] && a.label == channelAxis:
			axes = append(axes, axis{featureAxis, a.size})
		case !reduced[i]:
			axes = append(axes, a)
		}
	}
	l := layer.GlobalPooling{Pooling: map[string]layer.PoolingType{"GlobalMaxPool": layer.MaxPooling,
		"ReduceMax":         layer.MaxPooling,
		"GlobalAveragePool": layer.AvgPooling, "ReduceMean": layer.AvgPooling, "ReduceSum": layer.SumPooling,
		"ReduceL2": layer.PNormPooling, "GlobalLpPool": layer.PNormPooling}[n.Op], PNorm: int(attributeInt(n, "p", 2))}
	if v.order != nil || v.recurrent != nil || len(axes) < 2 || r.types[v.from].Kind == 0 {
		return fmt.Errorf("it pools %q", v.labels())
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, &value{from: name, axes: axes})
	return nil
}

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

// readResponses reads a local response normalisation, whose alpha is that of the sum.
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

// readPad reads zeros around images and sequences.
func readPad(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	pads, err := r.list(n, "pads", 1)
	if err != nil {
		return err
	}
	if mode := attributeText(n, "mode", "constant"); mode != "constant" || attributeFloat(n, "value", 0) != 0 ||
		given(n, 2) && (r.constants[n.Inputs[2]] == nil || !r.constants[n.Inputs[2]].zero()) || given(n, 3) {
		return errors.New("it pads with others than zeros, or some axes only by name")
	}
	if len(pads) != 2*len(v.axes) {
		return fmt.Errorf("it has %d pads for %d axes", len(pads), len(v.axes))
	}
	s := sliding{kernel: repeat(0, len(axes)), dilation: repeat(1, len(axes)), mode: layer.Truncate}
	for i := range v.axes {
		b, a := pads[i], pads[len(v.axes)+i]
		if i < 2 && (b != 0 || a != 0) || b < 0 || a < 0 || max(a, b) > 1<<20 {
			return fmt.Errorf("it pads by %v", pads)
		}
		if i >= 2 {
			s.before, s.after = append(s.before, int(b)), append(s.after, int(a))
		}
	}
	var l layer.Layer
	b, a := s.before, s.after
	switch len(axes) {
	case 1:
		l = layer.ZeroPadding1D{Padding: [2]int{b[0], a[0]}}
	case 2:
		l = layer.ZeroPadding2D{Padding: [4]int{b[0], a[0], b[1], a[1]}}
	default:
		l = layer.ZeroPadding3D{Padding: [6]int{b[0], a[0], b[1], a[1], b[2], a[2]}}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// readResize reads an upsampling that repeats pixels or steps.
func readResize(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	if attributeText(n, "mode", "nearest") != "nearest" {
		return errors.New("it interpolates: only repeated pixels have a layer")
	}
	times, err := repetitions(r, n, v)
	if err != nil {
		return err
	}
	var l layer.Layer
	switch len(axes) {
	case 1:
		l = layer.Upsampling1D{Size: one(times)}
	case 2:
		l = layer.Upsampling2D{Size: two(times)}
	default:
		l = layer.Upsampling3D{Size: three(times)}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// repetitions is how often each pixel is there, by scales or by sizes.
func repetitions(r *reader, n *onnxfile.Node, v *value) (times []int, err error) {
	scales := make([]float32, len(v.axes))
	switch at := map[string]int{"Upsample": 1, "Resize": 2}[n.Op]; {
	case n.Op == "Resize" && r.opset < 11, n.Op == "Upsample" && r.opset < 9:
		return nil, errors.New("it is of an op set before 11: save the model with a newer one")
	case given(n, 3):
		sizes, err := r.list(n, "sizes", 3)
		if err != nil {
			return nil, err
		}
		if len(sizes) != len(v.axes) {
			return nil, errors.New("it has sizes for other axes")
		}
		for i, a := range v.axes {
			if scales[i] = 1; i > 1 {
				scales[i] = float32(sizes[i]) / float32(a.size)
			}
		}
	default:
		if scales, _, err = r.weights(n, at, 1); err != nil {
			return nil, err
		}
	}
	if len(scales) != len(v.axes) || scales[0] != 1 || scales[1] != 1 {
		return nil, fmt.Errorf("it has the scales %v", scales)
	}
	for _, x := range scales[2:] {
		if x < 1 || x > 1<<10 || x != float32(int(x)) {
			return nil, fmt.Errorf("the scales %v are not whole", scales)
		}
		times = append(times, int(x))
	}
	return times, nil
}
