package onnx

import (
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// sized returns the attributes of a layer's window over an image of the given size.
func (s sliding) sized(size []int) []*onnxfile.Attribute {
	before, after := slices.Clone(s.before), slices.Clone(s.before)
	if s.mode == layer.Same {
		for i, n := range size {
			out := (n + s.stride[i] - 1) / s.stride[i]
			total := max((out-1)*s.stride[i]+(s.kernel[i]-1)*s.dilation[i]+1-n, 0)
			before[i], after[i] = total/2, total-total/2
		}
	}
	list := []*onnxfile.Attribute{integers("kernel_shape", s.kernel...), integers("strides", s.stride...),
		integers("pads", append(before, after...)...)}
	if slices.Max(s.dilation) > 1 {
		list = append(list, integers("dilations", s.dilation...))
	}
	return list
}

// sliding2D returns the window of a layer of images.
func sliding2D(l layer.Convolution2D) sliding {
	return sliding{kernel: l.Kernel[:], stride: l.Stride[:], dilation: l.Dilation[:], before: l.Padding[:], mode: l.Mode}
}

// channelsFirst applies an operator that needs the channels in the second dimension. If last is set, it transposes x
// before and after.
func channelsFirst(g *graph, x string, last bool, rank int, op func(x string) string) string {
	if !last {
		return op(x)
	}
	there, back := []int{0, rank - 1}, []int{0}
	for i := 1; i < rank-1; i++ {
		there, back = append(there, i), append(back, i+1)
	}
	x = g.node("Transpose", []string{x}, integers("perm", there...))
	return g.node("Transpose", []string{op(x)}, integers("perm", append(back, 1)...))
}

// imageOperator writes layers of images and volumes that have their own operator.
func (e *exporter) imageOperator(l layer.Layer, prefix string, in flow) (string, bool, error) {
	switch l := l.(type) {
	case layer.DepthwiseConvolution2D:
		name, ok := writeDepthwise(e, layer.Convolution2D{NIn: l.NIn, NOut: l.NOut, Activation: l.Activation,
			NoBias: l.NoBias, Kernel: l.Kernel,
			Stride: l.Stride, Padding: l.Padding, Dilation: l.Dilation, Mode: l.Mode, Format: l.Format}, l.DepthMultiplier,
			prefix, in, false)
		return name, ok, nil
	case layer.SeparableConvolution2D:
		name, ok := writeDepthwise(e, layer.Convolution2D{NIn: l.NIn, NOut: l.NOut, Activation: l.Activation,
			NoBias: l.NoBias, Kernel: l.Kernel,
			Stride: l.Stride, Padding: l.Padding, Dilation: l.Dilation, Mode: l.Mode, Format: l.Format}, l.DepthMultiplier,
			prefix, in, true)
		return name, ok, nil
	case layer.Convolution3D:
		return writeConvolution3D(e, l, prefix, in)
	case layer.Subsampling3D:
		return writePooling3D(e, l, in)
	case layer.Subsampling:
		if l.Pooling != layer.PNormPooling || l.Format == "NHWC" || l.Dilation != [2]int{1, 1} {
			return "", false, nil
		}
		t := in.types[0]
		s := sliding{kernel: l.Kernel[:], stride: l.Stride[:], dilation: l.Dilation[:], before: l.Padding[:], mode: l.Mode}
		return e.node("LpPool", []string{in.name}, append(s.sized([]int{t.Height, t.Width}), integer("p", l.PNorm))...), true,
			nil
	case layer.PReLU:
		return writeSlopes(e, l, prefix, in), true, nil
	case layer.Upsampling1D:
		if in.types[0].UnitsLast() {
			return "", false, nil
		}
		return writeUpsampling(e, in, l.Size[0]), true, nil
	case layer.Upsampling2D:
		if l.Format == "NHWC" {
			return "", false, nil
		}
		return writeUpsampling(e, in, l.Size[:]...), true, nil
	case layer.Upsampling3D:
		if in.types[0].ChannelsLast {
			return "", false, nil
		}
		return writeUpsampling(e, in, l.Size[:]...), true, nil
	case layer.CnnLoss:
		return writeCellLoss(e, l.Activation, in)
	case layer.RnnLoss:
		return writeCellLoss(e, l.Activation, in)
	}
	return "", false, nil
}

// writeDepthwise writes a convolution of each channel separately. If the layer is a separable one, a convolution of
// single pixels follows.
func writeDepthwise(e *exporter, l layer.Convolution2D, m int, prefix string, in flow, separable bool) (string, bool) {
	last := l.Format == "NHWC"
	t := in.types[0].Read(last)
	kh, kw := l.Kernel[0], l.Kernel[1]
	dims, perm := []int{kh, kw, l.NIn, m}, []int{2, 3, 0, 1} // to [in, m, kh, kw]
	if separable {
		dims, perm = []int{m, l.NIn, kh, kw}, []int{1, 0, 2, 3}
	}
	w := e.params[prefix+"W"]
	turned := make([]float32, len(w))
	for i, place := range places(dims, perm) {
		turned[i] = w[place]
	}
	if overFeatures(l.Activation) {
		return "", false
	}
	return channelsFirst(e.graph, in.name, last, 4, func(x string) string {
		bias := ""
		names := []string{x, e.weights(prefix+"W", turned, l.NIn*m, 1, kh, kw)}
		if !l.NoBias {
			bias = e.weights(prefix+"b", e.params[prefix+"b"], l.NOut)
		}
		attributes := append(sliding2D(l).sized([]int{t.Height, t.Width}), integer("group", l.NIn))
		if !separable && bias != "" {
			names = append(names, bias)
		}
		y := e.node("Conv", names, attributes...)
		if separable {
			names = []string{y, e.weights(prefix+"pW", e.params[prefix+"pW"], l.NOut, l.NIn*m, 1, 1)}
			if bias != "" {
				names = append(names, bias)
			}
			y = e.node("Conv", names, integers("kernel_shape", 1, 1))
		}
		return e.activated(l.Activation, y, 1)
	}), true
}

func writeConvolution3D(e *exporter, l layer.Convolution3D, prefix string, in flow) (string, bool, error) {
	if overFeatures(l.Activation) || l.Format == "NDHWC" {
		return "", false, nil
	}
	t := in.types[0]
	s := sliding{kernel: l.Kernel[:], stride: l.Stride[:], dilation: l.Dilation[:], before: l.Padding[:], mode: l.Mode}
	names := []string{in.name, e.weights(prefix+"W", e.params[prefix+"W"], l.NOut, l.NIn, l.Kernel[0], l.Kernel[1],
		l.Kernel[2])}
	if !l.NoBias {
		names = append(names, e.weights(prefix+"b", e.params[prefix+"b"], l.NOut))
	}
	return e.activated(l.Activation, e.node("Conv", names, s.sized([]int{t.Depth, t.Height, t.Width})...), 1), true, nil
}

// writePooling3D writes a pooling of volumes. An average with padding is two poolings, for which ONNX has no operator.
func writePooling3D(e *exporter, l layer.Subsampling3D, in flow) (string, bool, error) {
	t := in.types[0]
	s := sliding{kernel: l.Kernel[:], stride: l.Stride[:], dilation: l.Dilation[:], before: l.Padding[:], mode: l.Mode}
	attributes := s.sized([]int{t.Depth, t.Height, t.Width})
	op := "MaxPool"
	if l.Pooling != layer.MaxPooling {
		if op = "AveragePool"; slices.Max(attributes[2].Ints) > 0 || slices.Max(s.dilation) > 1 {
			return "", false, nil
		}
	}
	if l.Format == "NDHWC" {
		return "", false, nil
	}
	return e.node(op, []string{in.name}, attributes...), true, nil
}

// writeSlopes writes a PReLU. Its slopes are stored column by column.
func writeSlopes(e *exporter, l layer.PReLU, prefix string, in flow) string {
	n := len(l.InputShape)
	dims, perm := make([]int, n), make([]int, n)
	for i, d := range l.InputShape {
		dims[n-1-i], perm[i] = d, n-1-i
	}
	w := e.params[prefix+"W"]
	turned := make([]float32, len(w))
	for i, place := range places(dims, perm) {
		turned[i] = w[place]
	}
	return e.node("PRelu", []string{in.name, e.weights(prefix+"W", turned, l.InputShape...)})
}

// writeUpsampling writes the repetition of steps or pixels.
func writeUpsampling(e *exporter, in flow, times ...int) string {
	scales := []float32{1, 1}
	for _, n := range times {
		scales = append(scales, float32(n))
	}
	return e.node("Resize", []string{in.name, "", e.reals(scales, len(scales))}, text("mode", "nearest"),
		text("coordinate_transformation_mode", "asymmetric"), text("nearest_mode", "floor"))
}

// writeCellLoss writes the activation of a loss layer over steps or pixels.
func writeCellLoss(e *exporter, a activation.Activation, in flow) (string, bool, error) {
	axis := 1
	if t := in.types[0]; t.ChannelsLast || t.Format == "NWC" {
		axis = len(in.shapes[0]) - 1
	}
	return e.activated(a, in.name, axis), true, nil
}
