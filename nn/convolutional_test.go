package nn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// minibatchFor returns random features of a type for a network with 3 classes, with the mask if it is not nil.
func minibatchFor(in inputtype.Type, mask *tensor.Dense) *data.MultiDataSet {
	const rows = 3
	m := examples(rows, 1, 3)
	s := random.NewSource(9)
	f := tensor.New(in.Shape(rows)...)
	for i := range f.Data {
		f.Data[i] = float32(s.Normal())
	}
	m.Features = []*tensor.Dense{f}
	if mask != nil {
		m.FeatureMasks = []*tensor.Dense{mask}
	}
	return m
}

func ones(shape ...int) *tensor.Dense {
	d := tensor.New(shape...)
	for i := range d.Data {
		d.Data[i] = 1
	}
	return d
}

// without sets elements of a mask to 0.
func without(d *tensor.Dense, elements ...int) *tensor.Dense {
	for _, i := range elements {
		d.Data[i] = 0
	}
	return d
}

// TestConvolutionalGradients compares the gradients of the convolutional layers with central differences, in every
// data format and with masks. It includes the layers without parameters.
func TestConvolutionalGradients(t *testing.T) {
	image, volume, sequence := inputtype.Convolutional(5, 6, 2), inputtype.Convolutional3D(4, 3, 5, 2),
		inputtype.Recurrent(3, 7)
	last := sequence
	last.Format = inputtype.NWC
	stem2 := layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Mode: layer.Same}
	stem3 := layer.Convolution3D{NOut: 2, Kernel: [3]int{1, 2, 2}, Mode: layer.Same}
	stem1 := layer.Convolution1D{NOut: 3, Kernel: [2]int{2, 2}, Mode: layer.Same}
	lrn := layer.NewLocalResponseNormalization()
	lrn.N, lrn.Alpha = 3, 0.3
	type cases []layer.Layer
	var images, volumes, sequences cases
	for _, mode := range []layer.ConvolutionMode{layer.Truncate, layer.Same} {
		images = append(images,
			layer.Deconvolution2D{NOut: 2, Kernel: [2]int{3, 2}, Stride: [2]int{2, 3}, Padding: [2]int{1, 0}, Mode: mode},
			layer.Deconvolution2D{NOut: 2, Kernel: [2]int{2, 2}, Dilation: [2]int{2, 1}, Mode: mode, NoBias: true},
			layer.DepthwiseConvolution2D{DepthMultiplier: 2, Kernel: [2]int{3, 2}, Stride: [2]int{2, 1},
				Padding: [2]int{1, 0}, Mode: mode},
			layer.SeparableConvolution2D{DepthMultiplier: 2, NOut: 3, Kernel: [2]int{2, 3}, Dilation: [2]int{2, 1}, Mode: mode},
			layer.LocallyConnected2D{NOut: 2, Kernel: [2]int{2, 3}, Stride: [2]int{2, 1}, Mode: mode})
		volumes = append(volumes,
			layer.Convolution3D{NOut: 2, Kernel: [3]int{2, 2, 3}, Stride: [3]int{2, 1, 2}, Padding: [3]int{1, 0, 1}, Mode: mode},
			layer.Convolution3D{NOut: 2, Kernel: [3]int{2, 2, 2}, Dilation: [3]int{2, 1, 2}, Mode: mode, NoBias: true},
			layer.Deconvolution3D{NOut: 2, Kernel: [3]int{3, 2, 2}, Stride: [3]int{2, 1, 2},
				Padding: [3]int{1, 0, 0}, Mode: mode},
			layer.Subsampling3D{Kernel: [3]int{2, 2, 3}, Mode: mode},
			layer.Subsampling3D{Pooling: layer.AvgPooling, Kernel: [3]int{2, 3, 2}, Padding: [3]int{1, 1, 1}, Mode: mode})
		sequences = append(sequences,
			layer.Convolution1D{NOut: 2, Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Padding: [2]int{1, 1}, Mode: mode},
			layer.Subsampling1D{Pooling: layer.AvgPooling, Kernel: [2]int{3, 1}, Mode: mode},
			layer.LocallyConnected1D{NOut: 2, Kernel: 3, Stride: 2, Mode: mode})
	}
	images = append(images, layer.ZeroPadding2D{Padding: [4]int{1, 0, 2, 1}},
		layer.Cropping2D{Cropping: [4]int{1, 0, 2, 1}},
		layer.Upsampling2D{Size: [2]int{2, 3}}, layer.Cropping2D{}, lrn)
	volumes = append(volumes, layer.ZeroPadding3D{Padding: [6]int{1, 0, 0, 2, 1, 1}},
		layer.Cropping3D{Cropping: [6]int{1, 0, 0, 1, 2, 1}},
		layer.Upsampling3D{Size: [3]int{2, 1, 3}})
	sequences = append(sequences, layer.ZeroPadding1D{Padding: [2]int{1, 2}}, layer.Cropping1D{Cropping: [2]int{1, 2}},
		layer.Upsampling1D{},
		layer.Convolution1D{NOut: 2, Kernel: [2]int{3, 3}, Dilation: [2]int{2, 2}, Mode: layer.Causal},
		layer.Subsampling1D{Kernel: [2]int{2, 1}, Mode: layer.Causal})
	for _, p := range []layer.PoolingType{layer.MaxPooling, layer.AvgPooling, layer.SumPooling, layer.PNormPooling} {
		g := layer.GlobalPooling{Pooling: p, PNorm: 3}
		images, volumes, sequences = append(images, g), append(volumes, g), append(sequences, g)
		g.KeepDimensions = true
		images, volumes = append(images, g), append(volumes, g)
	}
	check := func(l layer.Layer, in inputtype.Type, mask *tensor.Dense, layers ...layer.Layer) {
		t.Helper()
		if _, pools := layers[len(layers)-1].(layer.GlobalPooling); !pools {
			layers = append(layers, layer.Activate{Activation: activation.TanH{}},
				layer.GlobalPooling{Pooling: layer.AvgPooling})
		}
		layers = append(layers, layer.Output{NOut: 3, Activation: activation.Identity{}, Loss: loss.MSE{}})
		name := fmt.Sprintf("%T %+v of %v, mask %v", l, l, in, mask)
		net, err := New(Configuration{Activation: activation.TanH{}, InputType: in, Layers: layers})
		if err == nil {
			net.Init(3)
			err = gradientDiffers(t, net, minibatchFor(in, mask), nil)
		}
		if err != nil {
			t.Errorf("%.300s: %v", name, err)
		}
	}
	for _, l := range images {
		check(l, image, nil, stem2, l)
		check(l, image.Last(), nil, stem2, l)
	}
	check(layer.SpaceToDepth{}, inputtype.Convolutional(4, 6, 2), nil, stem2, layer.SpaceToDepth{BlockSize: 2})
	check(layer.SpaceToDepth{}, inputtype.Convolutional(4, 6, 2).Last(), nil, stem2, layer.SpaceToDepth{BlockSize: 2})
	for _, l := range volumes {
		check(l, volume, nil, stem3, l)
		check(l, volume.Last(), nil, stem3, l)
	}
	for _, l := range sequences {
		check(l, sequence, nil, stem1, l)
		check(l, last, nil, stem1, l)
		if _, local := l.(layer.LocallyConnected1D); !local {
			check(l, sequence, without(ones(3, 7), 5, 6, 13, 20), stem1, l)
		}
	}
	for _, p := range []layer.PoolingType{layer.MaxPooling, layer.AvgPooling, layer.SumPooling, layer.PNormPooling} {
		g := layer.GlobalPooling{Pooling: p, PNorm: 2}
		for _, mask := range []*tensor.Dense{without(ones(3, 1, 5, 1), 4, 8), without(ones(3, 1, 1, 6), 5),
			without(ones(3, 1, 5, 6), 7, 50),
			without(ones(3, 2, 5, 6), 7, 50)} {
			if mask.Shape[1] == 1 || p != layer.MaxPooling {
				check(g, image, mask, stem2, layer.Subsampling{Kernel: [2]int{2, 3}, Stride: [2]int{1, 1}}, g)
			}
		}
	}
}

// TestImageLoss compares the gradients of losses of images and volumes, with masks of all shapes.
func TestImageLoss(t *testing.T) {
	image, volume := inputtype.Convolutional(3, 4, 2), inputtype.Convolutional3D(2, 3, 2, 2)
	for _, in := range []inputtype.Type{image, image.Last(), volume, volume.Last()} {
		masks := []*tensor.Dense{nil, without(ones(3, 1), 1), without(ones(3, 1, 3, 4), 3, 17),
			without(ones(3, 2, 3, 4), 3, 40), without(ones(3, 1, 3, 1), 2)}
		layers := []layer.Layer{layer.Convolution2D{NOut: 2, Kernel: [2]int{1, 2}, Mode: layer.Same}}
		out := layer.CnnLoss{}
		out.Activation, out.Loss = activation.Softmax{}, loss.MSE{}
		layers = append(layers, out)
		if in.Kind == inputtype.Convolutional3DKind {
			masks = []*tensor.Dense{nil, without(ones(3, 1), 1), without(ones(3, 1, 2, 3, 2), 3, 17)}
			out := layer.Cnn3DLoss{}
			out.Activation, out.Loss = activation.Sigmoid{}, loss.MSE{}
			layers = []layer.Layer{layer.Convolution3D{NOut: 2, Kernel: [3]int{1, 1, 2}, Mode: layer.Same}, out}
		}
		for _, mask := range masks {
			if mask != nil && in.Kind == inputtype.ConvolutionalKind {
				// for a softmax with masked single outputs, the gradient is Deeplearning4j's own
				out.Activation = activation.Sigmoid{}
				layers = []layer.Layer{layers[0], out}
			}
			m := minibatchFor(in, nil)
			m.Labels = []*tensor.Dense{m.Features[0]}
			if mask != nil {
				m.LabelMasks = []*tensor.Dense{mask}
			}
			net, err := New(Configuration{Activation: activation.TanH{}, InputType: in, Layers: layers, AnyOutput: true})
			if err == nil {
				net.Init(3)
				err = gradientDiffers(t, net, m, nil)
			}
			if err != nil {
				t.Errorf("%v, mask %v: %v", in, mask, err)
			}
		}
	}
}

// TestFormatsOfImages: for the same pixels, a network of NHWC has the outputs of the network of NCHW.
func TestFormatsOfImages(t *testing.T) {
	in := inputtype.Convolutional(6, 5, 2)
	net := func(in inputtype.Type) *MultiLayer {
		return newNet(t, Configuration{Activation: activation.ReLU{}, InputType: in, Layers: []layer.Layer{
			layer.ZeroPadding2D{Padding: [4]int{0, 1, 0, 0}}, layer.Convolution2D{NOut: 3, Kernel: [2]int{2, 3}},
			layer.NewBatchNormalization(),
			layer.Subsampling{Kernel: [2]int{2, 2}, Stride: [2]int{1, 1}}, layer.GlobalPooling{},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	}
	first, last := net(in), net(in.Last())
	if err := last.SetParams(first.Params()); err != nil {
		t.Fatal(err)
	}
	a := minibatchFor(in, nil)
	b := minibatchFor(in.Last(), nil)
	for n := range 3 {
		for c := range 2 {
			for i := range 6 {
				for j := range 5 {
					b.Features[0].Data[((n*6+i)*5+j)*2+c] = a.Features[0].Data[((n*2+c)*6+i)*5+j]
				}
			}
		}
	}
	for _, training := range []bool{false, true} {
		x, err := first.Output(a, training)
		if err != nil {
			t.Fatal(err)
		}
		y, err := last.Output(b, training)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x[0].Data {
			if x[0].Data[i] != y[0].Data[i] {
				t.Fatalf("NCHW gives %v, NHWC %v", x[0].Data, y[0].Data)
			}
		}
	}
}

// TestBadMasksOfImages: masks that do not fit are refused with the shapes that would fit.
func TestBadMasksOfImages(t *testing.T) {
	in := inputtype.Convolutional(4, 4, 2)
	for _, c := range []struct {
		layer layer.Layer
		mask  *tensor.Dense
		want  string
	}{
		{layer.GlobalPooling{}, ones(3, 1), "1 or channels"},
		{layer.Cropping2D{}, ones(3, 1, 4, 1), "a mask of pixels cannot pass"},
		{layer.Deconvolution2D{NOut: 1, Kernel: [2]int{2, 2}}, ones(3, 1, 4, 4), "a mask of pixels cannot pass"},
	} {
		net := newNet(t, Configuration{InputType: in, Layers: []layer.Layer{c.layer,
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		_, err := net.Output(minibatchFor(in, c.mask), false)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "layer0") {
			t.Errorf("%T with the mask %v: %v; want %q", c.layer, c.mask.Shape, err, c.want)
		}
	}
}
