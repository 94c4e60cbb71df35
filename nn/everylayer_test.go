package nn

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// The masks of TestGradientsOfEveryLayer.
const (
	noMask      = "no mask"
	featureMask = "feature mask" // of examples, steps or pixels
	labelMask   = "label mask"   // the same of labels
	outputMask  = "output mask"  // of single outputs
)

// gradientCase is a layer for TestGradientsOfEveryLayer.
type gradientCase struct {
	in       inputtype.Type
	layer    layer.Layer
	first    bool          // it is the first layer
	front    layer.Layer   // the layer before it; nil: a suitable one
	labels   *tensor.Dense // nil: normally distributed numbers
	features *tensor.Dense // nil: normally distributed numbers
	refuses  []string      // masks that it refuses
	wide     int           // columns or channels of its input and output; 0: a few
}

var (
	rowsIn   = inputtype.FeedForward(5)
	stepsIn  = inputtype.Recurrent(3, 4)
	imageIn  = inputtype.Convolutional(4, 4, 2)
	volumeIn = inputtype.Convolutional3D(3, 3, 2, 2)
)

// gradientCases has at least one case for each class.
func gradientCases() map[string][]gradientCase {
	tanh, mse := activation.TanH{}, loss.MSE{}
	slopes := layer.Base{WeightInit: weights.Constant{Value: 0.3}}
	center := layer.NewCenterLossOutput(layer.Output{NOut: 2, Activation: tanh, Loss: mse})
	center.Alpha, center.Lambda, center.GradientCheck = 1, 0.3, true
	ocnn := layer.NewOCNNOutput(3)
	ocnn.Activation, ocnn.InitialR, ocnn.Nu = activation.Sigmoid{}, 0.2, 0.3
	lrn := layer.NewLocalResponseNormalization()
	lrn.N, lrn.Alpha = 3, 0.3
	k2, k3 := [2]int{2, 2}, [3]int{2, 2, 2}
	dense, lstm, rnn := layer.Dense{NOut: 3}, layer.NewLSTM(2), layer.SimpleRnn{NOut: 2}
	gru, before := layer.GRU{NOut: 2}, layer.GRU{NOut: 2, ResetBefore: true}
	index := arrayOf([]float32{3, 0, 3, 6}, 4, 1)
	indices := arrayOf([]float32{3, 0, 3, 6, 1, 1, 2, 5, 0, 4, 4, 6, 2, 3, 3, 1}, 4, 1, 4)
	image, steps, volume, rows := imageIn, stepsIn, volumeIn, rowsIn
	var cnn layer.CnnLoss
	var cnn3 layer.Cnn3DLoss
	cnn.Activation, cnn.Loss, cnn3.Activation, cnn3.Loss = tanh, mse, tanh, mse
	every := []string{featureMask, labelMask, outputMask}
	return map[string][]gradientCase{
		"ActivationLayer": {{in: rows, layer: layer.Activate{Activation: activation.Sigmoid{}}},
			{in: steps, layer: layer.Activate{Activation: tanh}}},
		"AutoEncoder": {{in: rows, layer: layer.NewAutoEncoder(3)}},
		"BatchNormalization": {{in: rows, layer: layer.NewBatchNormalization()},
			{in: image, layer: layer.NewBatchNormalization()}},
		"CapsuleLayer":          {{in: steps, layer: layer.Capsules{Capsules: 2, CapsuleDimensions: 3, Routings: 2}}},
		"CapsuleStrengthLayer":  {{in: steps, layer: layer.CapsuleStrength{}, refuses: every[:1]}},
		"CenterLossOutputLayer": {{in: rows, layer: center}},
		"Cnn3DLossLayer":        {{in: volume, layer: cnn3}},
		"CnnLossLayer":          {{in: image, layer: cnn}},
		"Convolution1DLayer": {{in: steps, layer: layer.Convolution1D{NOut: 2, Kernel: [2]int{2, 2},
			Mode: layer.Causal}}},
		"Convolution3D":    {{in: volume, layer: layer.Convolution3D{NOut: 2, Kernel: k3}}},
		"ConvolutionLayer": {{in: image, layer: layer.Convolution2D{NOut: 2, Kernel: k2}}},
		"Deconvolution2D":  {{in: image, layer: layer.Deconvolution2D{NOut: 2, Kernel: k2}, refuses: every[:1]}},
		"Deconvolution3D":  {{in: volume, layer: layer.Deconvolution3D{NOut: 2, Kernel: k3}}},
		"DenseLayer": {{in: rows, layer: dense}, {in: steps, layer: dense},
			{in: rows, layer: layer.Dense{NOut: 3, LayerNorm: true}}},
		"DepthwiseConvolution2D": {{in: image, layer: layer.DepthwiseConvolution2D{DepthMultiplier: 2, Kernel: k2}}},
		"DropoutLayer":           {{in: rows, layer: layer.NewDropout(0.6)}},
		"EmbeddingLayer":         {{layer: layer.NewEmbedding(7, 3), first: true, features: index}},
		"EmbeddingSequenceLayer": {{layer: layer.NewEmbeddingSequence(7, 3), first: true, features: indices}},
		"GlobalPoolingLayer": {{in: steps, layer: layer.GlobalPooling{Pooling: layer.AvgPooling}},
			{in: image, layer: layer.GlobalPooling{Pooling: layer.MaxPooling}},
			{in: volume, layer: layer.GlobalPooling{Pooling: layer.PNormPooling, PNorm: 3}}},
		"GRU":                     {{in: steps, layer: gru}, {in: steps, layer: before}},
		"GravesBidirectionalLSTM": {{in: steps, layer: layer.NewGravesBidirectionalLSTM(2)}},
		"GravesLSTM":              {{in: steps, layer: layer.NewGravesLSTM(2)}},
		"KerasBatchNormalization": {{in: rows, layer: layer.KerasBatchNormalization{Decay: 0.9, Eps: 1e-3, NoScale: true}},
			{in: image, layer: layer.KerasBatchNormalization{Decay: 0.9, Eps: 1e-3, NoCenter: true, Unbiased: true}}},
		"GroupNormalization": {{in: rows, layer: layer.GroupNormalization{}},
			{in: steps, layer: layer.GroupNormalization{Groups: 4, NoScale: true}},
			{in: image, layer: layer.GroupNormalization{Groups: 2}},
			{in: volume, layer: layer.GroupNormalization{Groups: 1, NoCenter: true}}},
		"LSTM": {{in: steps, layer: lstm}},
		"LearnedSelfAttentionLayer": {{in: steps, layer: layer.LearnedSelfAttention{NOut: 2, NHeads: 1, ProjectInput: true,
			NQueries: 4}}},
		"LayerNormalization": {{in: rows, layer: layer.LayerNormalization{Axes: []int{1}, Shape: []int{3}}},
			{in: image, layer: layer.LayerNormalization{Axes: []int{1, 3}, Shape: []int{2, 4}}}},
		"LocalResponseNormalization": {{in: image, layer: lrn}},
		"LocallyConnected1D": {{in: steps, layer: layer.LocallyConnected1D{NOut: 2, Kernel: 2, Stride: 1,
			Mode: layer.Same}}},
		"LocallyConnected2D": {{in: image, layer: layer.LocallyConnected2D{NOut: 2, Kernel: k2, Stride: k2},
			refuses: every[:1]}},
		"LossLayer":       {{in: rows, layer: layer.Loss{Activation: tanh, Loss: mse}}},
		"OCNNOutputLayer": {{in: rows, layer: ocnn, refuses: every}},
		"OutputLayer":     {{in: rows, layer: layer.Output{NOut: 2, Activation: tanh, Loss: mse}}},
		"PReLULayer": {{in: rows, layer: layer.PReLU{Base: slopes}},
			{in: image, layer: layer.PReLU{Base: slopes, SharedAxes: []int{2, 3}}}},
		"PrimaryCapsules": {{in: image, layer: layer.PrimaryCapsules{CapsuleDimensions: 2, Channels: 2,
			Kernel: k2, Stride: k2}, refuses: every[:1]}},
		"RecurrentAttentionLayer": {{in: steps, layer: layer.RecurrentAttention{NOut: 2, NHeads: 1}}},
		"RnnLossLayer":            {{in: steps, layer: layer.RnnLoss{Activation: tanh, Loss: mse}}},
		"RnnOutputLayer":          {{in: steps, layer: layer.RnnOutput{NOut: 2, Activation: tanh, Loss: mse}}},
		"SelfAttentionLayer": {{in: steps, layer: layer.SelfAttention{NOut: 2, NHeads: 1,
			ProjectInput: true}}},
		"SeparableConvolution2D": {{in: image, layer: layer.SeparableConvolution2D{DepthMultiplier: 1, NOut: 2,
			Kernel: k2}}},
		"SkipMasked": {{in: steps, layer: layer.SkipMasked{Layer: lstm}},
			{in: steps, layer: layer.SkipMasked{Layer: rnn, ZeroOutput: true}}},
		"SpaceToBatchLayer":  {{in: image, layer: layer.SpaceToBatch{Blocks: k2}, refuses: every[:1]}},
		"SpaceToDepthLayer":  {{in: image, layer: layer.SpaceToDepth{BlockSize: 2}, refuses: every[:1]}},
		"Subsampling1DLayer": {{in: steps, layer: layer.Subsampling1D{Kernel: [2]int{2, 1}}}},
		"Subsampling3DLayer": {{in: volume, layer: layer.Subsampling3D{Kernel: k3}}},
		"SubsamplingLayer": {{in: image, layer: layer.Subsampling{Kernel: k2}},
			{in: image, layer: layer.Subsampling{Kernel: k2, Pooling: layer.AvgPooling}}},
		"Upsampling1D":       {{in: steps, layer: layer.Upsampling1D{}}},
		"Upsampling2D":       {{in: image, layer: layer.Upsampling2D{Size: k2}, refuses: every[:1]}},
		"Upsampling3D":       {{in: volume, layer: layer.Upsampling3D{Size: k3}}},
		"ZeroPadding1DLayer": {{in: steps, layer: layer.ZeroPadding1D{Padding: [2]int{1, 2}}}},
		"ZeroPaddingLayer": {{in: image, layer: layer.ZeroPadding2D{Padding: [4]int{1, 0, 2, 1}},
			refuses: every[:1]}},
		"ZeroPadding3DLayer":       {{in: volume, layer: layer.ZeroPadding3D{Padding: [6]int{1, 0, 0, 1, 1, 0}}}},
		"convolutional.Cropping1D": {{in: steps, layer: layer.Cropping1D{Cropping: [2]int{1, 0}}}},
		"convolutional.Cropping2D": {{in: image, layer: layer.Cropping2D{Cropping: [4]int{1, 0, 0, 1}},
			refuses: every[:1]}},
		"convolutional.Cropping3D":            {{in: volume, layer: layer.Cropping3D{Cropping: [6]int{1, 0, 0, 1, 0, 0}}}},
		"misc.ElementWiseMultiplicationLayer": {{in: rows, layer: layer.ElementWise{NOut: 3}}},
		"misc.FrozenLayer":                    {{in: rows, layer: layer.Frozen{Layer: dense}}},
		"misc.FrozenLayerWithBackprop":        {{in: rows, layer: layer.FrozenWithBackprop{Layer: dense}}},
		"misc.RepeatVector":                   {{in: rows, layer: layer.RepeatVector{N: 4}}},
		"objdetect.Yolo2OutputLayer": {{in: inputtype.Convolutional(4, 3, 2), front: layer.Convolution2D{NOut: 3 * (5 + 3),
			Kernel: k2}, features: normals(4, 2, 2, 4, 3),
			layer: layer.NewYolo2Output([2]float64{1, 1.2}, [2]float64{2, 1.5}, [2]float64{0.5, 0.7}), labels: boxLabels(),
			refuses: every[1:]}},
		"recurrent.Bidirectional":   {{in: steps, layer: layer.NewBidirectional(layer.BidirectionalConcat, lstm)}},
		"recurrent.LastTimeStep":    {{in: steps, layer: layer.NewLastTimeStep(lstm)}},
		"recurrent.SimpleRnn":       {{in: steps, layer: rnn}},
		"recurrent.TimeDistributed": {{in: steps, layer: layer.TimeDistributed{Layer: dense}}},
		"util.MaskLayer":            {{in: rows, layer: layer.Mask{}}, {in: steps, layer: layer.Mask{}}},
		"util.MaskZeroLayer":        {{in: steps, layer: layer.MaskZero{Layer: lstm}}},
		"variational.VariationalAutoencoder": {{in: rows, layer: layer.VariationalAutoencoder{NOut: 2, Encoder: []int{3},
			Decoder: []int{3}, PzxActivation: tanh}, refuses: every[:1]}},
	}
}

// TestGradientsOfEveryLayer compares the gradients of each layer class with differences, with each kind of mask: the
// gradient that the layer passes to the layer before it, and that of its own parameters.
func TestGradientsOfEveryLayer(t *testing.T) {
	cases := gradientCases()
	for _, class := range layer.Classes.Names() {
		name := class[strings.Index(class, "conf.")+len("conf."):]
		name = strings.TrimPrefix(strings.TrimPrefix(name, "layers."), "ocnn.")
		if len(cases[name]) == 0 {
			t.Errorf("no gradient check has %s", class)
		}
		for i, c := range cases[name] {
			if got, _ := layer.Classes.NameOf(c.layer); got != class {
				t.Errorf("case %d of %s is of %s", i, class, got)
			}
			for k, masks := range []string{noMask, featureMask, labelMask, outputMask} {
				if testing.Short() && k != (len(name)+i)%4 {
					continue
				}
				err := c.check(t, masks)
				volumes := c.in.Kind == inputtype.Convolutional3DKind && masks == featureMask
				if volumes || slices.Contains(c.refuses, masks) {
					var shape *program.ShapeError
					if !errors.As(err, &shape) {
						t.Errorf("%s, %s: %v, want it to be refused", name, masks, err)
					}
				} else if err != nil {
					t.Errorf("%s, %s: %v", name, masks, err)
				}
			}
		}
		delete(cases, name)
	}
	for name := range cases {
		t.Errorf("there is no class %s", name)
	}
}

func (c gradientCase) check(t *testing.T, masks string) error {
	net, m, err := c.network(masks)
	if err != nil {
		return err
	}
	return gradientDiffers(t, net, m, func(node int) bool {
		switch c.layer.(type) {
		case layer.Frozen: // the layers below it do not move either
			return node > 1
		case layer.FrozenWithBackprop:
			return node != 1
		}
		return true
	})
}

// network puts the layer between others, and makes a minibatch.
func (c gradientCase) network(masks string) (*MultiLayer, *data.MultiDataSet, error) {
	var layers []layer.Layer
	features := c.features
	if features == nil {
		features = normals(7, c.in.Shape(4)...)
	}
	rows := features.Shape[0]
	if c.front != nil {
		layers = append(layers, c.front)
	} else if !c.first {
		switch c.in.Kind {
		case inputtype.RecurrentKind:
			layers = append(layers, layer.NewLSTM(orWide(c.wide, 4)))
		case inputtype.ConvolutionalKind:
			layers = append(layers, layer.Convolution2D{NOut: orWide(c.wide, c.in.Channels), Kernel: [2]int{1, 1}})
		case inputtype.Convolutional3DKind:
			layers = append(layers, layer.Convolution3D{NOut: orWide(c.wide, c.in.Channels), Kernel: [3]int{1, 1, 1}})
		default:
			layers = append(layers, layer.Dense{NOut: orWide(c.wide, 3)})
		}
	}
	layers = append(layers, c.layer)
	if _, scores := c.layer.(layer.Scorer); !scores {
		conf, err := Configuration{InputType: c.in, Layers: layers}.Complete()
		if err != nil {
			return nil, nil, err
		}
		alone, err := New(conf)
		if err != nil {
			return nil, nil, err
		}
		_, out, err := alone.types([]inputtype.Type{must(inputtype.Of(features.Shape))})
		if err != nil {
			return nil, nil, err
		}
		last := out[len(out)-1]
		if last.Kind == inputtype.ConvolutionalKind {
			layers = append(layers, layer.Activate{Activation: activation.TanH{}},
				layer.GlobalPooling{Pooling: layer.AvgPooling})
		}
		if last.Kind == inputtype.RecurrentKind || last.TimeSteps > 0 {
			layers = append(layers, layer.RnnOutput{NOut: orWide(c.wide, 2), Activation: activation.TanH{}, Loss: loss.MSE{}})
		} else {
			layers = append(layers, layer.Output{NOut: orWide(c.wide, 2), Activation: activation.TanH{}, Loss: loss.MSE{}})
		}
	}
	net, err := New(Configuration{Activation: activation.TanH{}, InputType: c.in, Layers: layers})
	if err != nil {
		return nil, nil, err
	}
	net.Init(3)
	_, out, err := net.types([]inputtype.Type{must(inputtype.Of(features.Shape))})
	if err != nil {
		return nil, nil, err
	}
	last := len(layers) - 1
	_, n := net.rows(rows)
	scorer, err := net.scorer(last)
	if err != nil {
		return nil, nil, err
	}
	labels := normals(8, scorer.LabelShape(out[last], n[last])...)
	if c.labels != nil {
		labels = c.labels
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{features}, Labels: []*tensor.Dense{labels}}
	switch masks {
	case featureMask:
		m.FeatureMasks = []*tensor.Dense{maskFor(features.Shape, false)}
	case labelMask:
		m.LabelMasks = []*tensor.Dense{maskFor(labels.Shape, false)}
	case outputMask:
		m.LabelMasks = []*tensor.Dense{maskFor(labels.Shape, true)}
	}
	return net, m, nil
}

func orWide(wide, narrow int) int {
	if wide > 0 {
		return wide
	}
	return narrow
}

// maskFor masks some of an array's examples, steps or pixels, or some of its single elements.
func maskFor(array tensor.Shape, single bool) *tensor.Dense {
	shape := array.Clone()
	switch {
	case single:
	case len(shape) == 3:
		shape = tensor.Shape{shape[0], shape[2]}
	default:
		for i := 1; i < len(shape); i++ {
			if i == 1 || len(shape) == 2 {
				shape[i] = 1
			}
		}
	}
	mask := tensor.New(shape...)
	for i := range mask.Data {
		if i%5 != 1 && i%7 != 3 {
			mask.Data[i] = 1
		}
	}
	return mask
}
