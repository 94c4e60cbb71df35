package layer

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestBadConvolutional: impossible settings, and inputs that do not fit, are errors that name them.
func TestBadConvolutional(t *testing.T) {
	image, volume, sequence := inputtype.Convolutional(5, 6, 2), inputtype.Convolutional3D(4, 3, 5, 2),
		inputtype.Recurrent(3, 7)
	lrn := NewLocalResponseNormalization()
	lrn.K = 0
	cells := CnnLoss{}
	cells.Loss = loss.NewSparseMCXENT()
	depthwise := DepthwiseConvolution2D{Kernel: [2]int{2, 2}}
	depthwise.Updater, depthwise.BiasUpdater = updater.NewSgd(), updater.NewAdam()
	named := LocallyConnected2D{NOut: 2}
	named.WeightInit = "DISTRIBUTION"
	for _, c := range []struct {
		layer Layer
		in    inputtype.Type
		want  string
	}{
		{ZeroPadding1D{Padding: [2]int{-1, 0}}, sequence, "padding"},
		{ZeroPadding2D{Padding: [4]int{0, 0, 0, 1 << 30}}, image, "padding"},
		{ZeroPadding3D{Padding: [6]int{0, 0, 0, 0, 0, -2}}, volume, "padding"},
		{ZeroPadding2D{}, sequence, "images"},
		{ZeroPadding3D{}, image, "volumes"},
		{Cropping1D{Cropping: [2]int{4, 3}}, sequence, "leaves nothing of the time"},
		{Cropping2D{Cropping: [4]int{2, 3, 0, 0}}, image, "leaves nothing of the height"},
		{Cropping3D{Cropping: [6]int{0, 0, 0, 0, 5, 0}}, volume, "leaves nothing of the width"},
		{Upsampling1D{}, image, "sequences"},
		{Upsampling2D{Size: [2]int{0, 2}}, image, "size"},
		{Upsampling3D{Size: [3]int{1, -1, 1}}, volume, "size"},
		{SpaceToDepth{}, image, "blockSize"},
		{SpaceToDepth{BlockSize: 2}, image, "must divide"},
		{SpaceToBatch{Blocks: [2]int{2, 0}}, image, "blocks"},
		{SpaceToBatch{Blocks: [2]int{2, 2}}, image, "must divide"},
		{GlobalPooling{}, inputtype.FeedForward(3), "sequences, images or volumes"},
		{GlobalPooling{Pooling: "MEDIAN"}, image, "MEDIAN"},
		{GlobalPooling{Dimensions: []int{0, 2}}, sequence, "poolingDimensions"},
		{GlobalPooling{Dimensions: []int{2, 3}}, sequence, "poolingDimensions"},
		{lrn, image, "positive"},
		{CnnLoss{}, image, "it has no Loss; set one"},
		{cells, image, "class numbers"},
		{Deconvolution2D{NOut: 2, Kernel: [2]int{2, 2}, Padding: [2]int{3, 3}},
			inputtype.Convolutional(2, 2, 1), "leaves nothing"},
		{Deconvolution2D{NOut: 2, Kernel: [2]int{2, 2}, Mode: Causal}, image, "Causal"},
		{DepthwiseConvolution2D{DepthMultiplier: -1}, image, "depthMultiplier"},
		{DepthwiseConvolution2D{NOut: 5, Kernel: [2]int{2, 2}, DepthMultiplier: 2}, image, "nOut is 5"},
		{depthwise, image, "biasUpdater"},
		{SeparableConvolution2D{Kernel: [2]int{2, 2}}, image, "nOut is 0"},
		{Convolution1D{NOut: 2}, sequence, "kernelSize"},
		{Convolution1D{NOut: 2, Kernel: [2]int{8, 8}}, sequence, "larger"},
		{Convolution1D{NIn: 3, NOut: 2, Kernel: [2]int{2, 2}}, image, "sequences"},
		{Subsampling1D{Kernel: [2]int{3, 1}, Mode: Strict, Stride: [2]int{3, 3}}, sequence, "Strict"},
		{Convolution3D{NOut: 2, Kernel: [3]int{5, 1, 1}}, volume, "larger"},
		{Convolution3D{NOut: 2, Kernel: [3]int{1, 1, 1}, Format: "NHWC"}, inputtype.Type{}, "NCDHW and NDHWC"},
		{Convolution3D{NIn: 3, NOut: 2}, volume, "3 channels"},
		{Deconvolution3D{NOut: 2, Padding: [3]int{4, 0, 0}}, volume, "leaves nothing"},
		{Subsampling3D{Pooling: SumPooling}, volume, "MAX and AVG"},
		{LocallyConnected1D{NOut: 2, Mode: Causal}, sequence, "Causal"},
		{LocallyConnected1D{NOut: 2}, inputtype.Recurrent(3, 0), "inputSize"},
		{LocallyConnected2D{NOut: 2, Activation: "LOUD"}, image, "LOUD"},
		{LocallyConnected2D{NIn: 2, NOut: 2}, inputtype.Type{}, "inputSize"},
		{named, image, "weightInit"},
		{Cropping2D{Format: "CHWN"}, inputtype.Type{}, "NCHW and NHWC"},
	} {
		in := []inputtype.Type{c.in}
		l, err := c.layer.Complete(defaults, in)
		if err == nil {
			_, err = l.OutputType(in)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v of %v: %v; want %q", c.layer, c.layer, c.in, err, c.want)
		}
	}
}

// TestReshapingFormulas checks where each cell goes.
func TestReshapingFormulas(t *testing.T) {
	image := inputtype.Convolutional(2, 2, 1)
	x := []float64{1, 2, 3, 4}
	compare(t, "padding", forward(t, ZeroPadding2D{Padding: [4]int{1, 0, 0, 1}}, image, x, nil), 0, 0, 0, 1, 2, 0, 3, 4, 0)
	compare(t, "cropping", forward(t, Cropping2D{Cropping: [4]int{1, 0, 0, 1}}, image, x, nil), 3)
	compare(t, "upsampling", forward(t, Upsampling2D{Size: [2]int{1, 2}}, image, x, nil), 1, 1, 2, 2, 3, 3, 4, 4)
	compare(t, "upsampling of channels that are last",
		forward(t, Upsampling2D{Size: [2]int{1, 2}}, inputtype.Convolutional(1, 2, 2).Last(), x, nil),
		1, 2, 1, 2, 3, 4, 3, 4)
	compare(t, "space to depth", forward(t, SpaceToDepth{BlockSize: 2}, inputtype.Convolutional(2, 2, 2),
		[]float64{1, 2, 3, 4, 5, 6, 7, 8}, nil),
		1, 5, 2, 6, 3, 7, 4, 8)
	compare(t, "padding in time", forward(t, ZeroPadding1D{Padding: [2]int{1, 2}}, inputtype.Recurrent(2, 1), x[:2],
		nil), 0, 1, 0, 0, 0, 2, 0, 0)
}
