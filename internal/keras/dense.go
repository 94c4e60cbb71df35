package keras

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// The data formats of arrays with the channels in the last dimension.
const (
	nhwc  = "NHWC"
	ndhwc = "NDHWC"
)

// dense reads the layer Dense. It acts on the last dimension: on each step of sequences, and as a 1x1 convolution on
// images.
func dense(b *builder, l *kerasLayer, in value) value {
	l.rankOf(in, 1, 2, 3, 4)
	nIn, n := l.features(in), l.need("units", 1)
	bias := l.bool("use_bias", true)
	a := readActivation(b, l.settings, "activation", "linear")
	l.no("lora_rank", "low-rank adaptations are not read: merge them first")
	l.no("quantization_config", "quantized layers are not read")
	base := trainedBase(b, l, weight{"kernel", "W", kernelAxes(in.rank()), false}, weight{"bias",
		"b", []int{0}, true})
	var of layer.Layer
	switch in.rank() {
	case 1:
		of = layer.Dense{Base: base, NIn: nIn, NOut: n, Activation: a, NoBias: layer.Not(!bias)}
	case 2:
		of = layer.TimeDistributed{Format: inputtype.NWC,
			Layer: layer.Dense{Base: base, NIn: nIn, NOut: n, Activation: a, NoBias: layer.Not(!bias)}}
	case 3:
		of = layer.Convolution2D{Base: base, NIn: nIn, NOut: n, Activation: a,
			NoBias: layer.Not(!bias), Kernel: [2]int{1, 1},
			Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Mode: layer.Truncate, Format: nhwc}
	case 4:
		of = layer.Convolution3D{Base: base, NIn: nIn, NOut: n, Activation: a, NoBias: layer.Not(!bias),
			Kernel: [3]int{1, 1, 1}, Stride: [3]int{1, 1, 1}, Dilation: [3]int{1, 1, 1}, Mode: layer.Truncate, Format: ndhwc}
	}
	shape := append(append([]int{}, in.shape[:in.rank()-1]...), n)
	name := b.add(l.name, l.freeze(of), in.from)
	b.own(l, "vars", "kernel", true, []int{nIn, n}, transposed(name+"_W", []int{nIn, n}, 1, 0))
	if bias {
		b.own(l, "vars", "bias", true, []int{n}, plainly(name+"_b"))
	}
	return in.with(name, shape...)
}

// kernelAxes returns our axes of a dense kernel [in, out].
func kernelAxes(rank int) []int {
	if rank < 3 {
		return []int{0, 1}
	}
	return []int{1, 0}
}
