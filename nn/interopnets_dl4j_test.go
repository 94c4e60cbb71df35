//go:build dl4j

package nn

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/tensor"
)

const (
	doubled    = "Deeplearning4j doubles the gradients of layers on SameDiff"
	randomStep = "training draws random numbers, and Deeplearning4j's are others"
)

// interopLayers are new networks with every class of layer. Deeplearning4j must understand the defaults that dl4go
// fills in.
func interopLayers() map[string]interopBuilt {
	row, sequence := inputtype.FeedForward(4), inputtype.Recurrent(3, 6)
	image, volume := inputtype.Convolutional(8, 6, 2), inputtype.Convolutional3D(4, 5, 4, 2)
	tanh, softmax := activation.TanH{}, activation.Softmax{}
	dense := layer.Dense{NOut: 5}
	out := layer.Output{NOut: 3, Activation: softmax, Loss: loss.NewMCXENT()}
	steps := layer.RnnOutput{NOut: 3, Loss: loss.NewMCXENT()}
	l2 := []regularization.Regularization{regularization.NewL2(0.1)}
	clipped := layer.NewLSTM(3)
	clipped.GradientNormalization, clipped.GradientNormalizationThreshold = layer.ClipElementWiseAbsolute, 0.01
	ocnn := layer.NewOCNNOutput(4)
	ocnn.ConfigureR = false // with it, reading a network resets r to InitialR
	var pixels layer.CnnLoss
	pixels.Activation, pixels.Loss = softmax, loss.NewMCXENT()
	var cells layer.Cnn3DLoss
	cells.Activation, cells.Loss = activation.Sigmoid{}, loss.NewXENT()
	two, one := [2]int{2, 2}, [2]int{1, 1}
	truncated := Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 8, TBPTTBackLength: 8}
	segments := Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 2, TBPTTBackLength: 2}
	return map[string]interopBuilt{
		"rows": {in: row, layers: []layer.Layer{dense, layer.ElementWise{}, layer.NewBatchNormalization(), layer.PReLU{},
			layer.Activate{Activation: activation.Swish{}}, layer.Dense{NOut: 6, LayerNorm: true}, layer.NewAutoEncoder(4),
			layer.Mask{}, out}},
		"frozen": {in: row, layers: []layer.Layer{layer.Frozen{Layer: dense}, layer.FrozenWithBackprop{Layer: dense},
			dense, out}},
		"below frozen": {in: row, layers: []layer.Layer{layer.NewBatchNormalization(),
			layer.Dense{NOut: 5, Base: layer.Base{Regularization: l2}}, layer.Frozen{Layer: dense}, dense, out}},
		"wrapped": {in: sequence, layers: []layer.Layer{layer.NewBidirectional(layer.BidirectionalAdd, clipped),
			layer.NewLastTimeStep(clipped), out}},
		"dropout": {in: row, layers: []layer.Layer{dense, layer.NewDropout(0.7), out},
			limits: interopLimits{unlike: randomStep}},
		"loss": {in: row, layers: []layer.Layer{layer.Dense{NOut: 3},
			layer.Loss{Activation: softmax, Loss: loss.NewMCXENT()}}},
		"centre": {in: row, layers: []layer.Layer{dense, layer.NewCenterLossOutput(out)}},
		"vae": {in: row, layers: []layer.Layer{layer.VariationalAutoencoder{NOut: 3, Encoder: []int{5}, Decoder: []int{6},
			Output: layer.CompositeReconstruction{Sizes: []int{1, 1, 1, 1},
				Parts: []layer.Reconstruction{layer.GaussianReconstruction{},
					layer.BernoulliReconstruction{}, layer.ExponentialReconstruction{}, layer.LossReconstruction{Loss: loss.MSE{}}}}},
			out}},
		"ocnn": {in: row, layers: []layer.Layer{dense, ocnn}, limits: interopLimits{unlike: oracleMended["ocnn"],
			first: interopOracle["ocnn"].first}},
		"embedding": {in: inputtype.FeedForward(1), indices: 5, layers: []layer.Layer{layer.NewEmbedding(5, 4),
			out}},
		"embedding sequences": {in: inputtype.Recurrent(1, 6), indices: 5,
			layers: []layer.Layer{layer.NewEmbeddingSequence(5, 4), layer.NewLSTM(3), steps}},
		"recurrent": {in: sequence, layers: []layer.Layer{layer.NewLSTM(4), layer.NewGravesLSTM(3),
			layer.NewGravesBidirectionalLSTM(4),
			layer.SimpleRnn{NOut: 3}, layer.NewBidirectional(layer.BidirectionalConcat, layer.NewLSTM(2)),
			layer.TimeDistributed{Layer: dense}, dense, layer.MaskZero{Layer: layer.NewLSTM(3), Value: 7}, steps}},
		"recurrent, NWC": {in: nwc(sequence), layers: []layer.Layer{layer.NewLSTM(4), layer.SimpleRnn{NOut: 3}, steps}},
		"last time step": {in: sequence,
			layers: []layer.Layer{layer.NewLSTM(4), layer.NewLastTimeStep(layer.SimpleRnn{NOut: 3}), out}},
		"repeated": {in: row, layers: []layer.Layer{dense, layer.RepeatVector{N: 4}, layer.NewLSTM(3),
			layer.RnnLoss{Activation: softmax, Loss: loss.NewMCXENT()}}},
		"one segment": {in: sequence, base: truncated, layers: []layer.Layer{layer.NewLSTM(4), steps}},
		"several segments": {in: sequence, base: segments, layers: []layer.Layer{layer.NewLSTM(4), steps},
			limits: interopLimits{unlike: oracleMended["tbptt"]}},
		"sequences": {in: sequence, layers: []layer.Layer{layer.Convolution1D{NOut: 3, Kernel: two, Mode: layer.Causal},
			layer.ZeroPadding1D{Padding: [2]int{1, 2}},
			layer.Upsampling1D{}, layer.Cropping1D{Cropping: [2]int{1, 0}}, layer.Subsampling1D{Kernel: two},
			layer.GlobalPooling{Pooling: layer.AvgPooling}, out}},
		"images": {in: image, layers: []layer.Layer{layer.Convolution2D{NOut: 4, Kernel: [2]int{3, 3}, Mode: layer.Same},
			layer.NewLocalResponseNormalization(), layer.NewBatchNormalization(),
			layer.ZeroPadding2D{Padding: [4]int{1, 0, 1, 0}},
			layer.Subsampling{Kernel: two, Pooling: layer.AvgPooling, Stride: one},
			layer.SeparableConvolution2D{NOut: 3, Kernel: two},
			layer.DepthwiseConvolution2D{Kernel: two, DepthMultiplier: 2}, layer.Deconvolution2D{NOut: 2, Kernel: two},
			layer.Upsampling2D{}, layer.Cropping2D{Cropping: [4]int{1, 1, 1, 1}}, layer.SpaceToDepth{BlockSize: 2}, dense, out}},
		"images, NHWC": {in: image.Last(), layers: []layer.Layer{layer.Convolution2D{NOut: 4, Kernel: two},
			layer.NewBatchNormalization(),
			layer.Subsampling{Kernel: two}, layer.GlobalPooling{}, out}},
		"pixels": {in: image, layers: []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: two}, pixels}},
		"boxes": {in: inputtype.Convolutional(4, 3, 2), boxes: true,
			layers: []layer.Layer{layer.Convolution2D{NOut: 16, Kernel: two}, layer.NewYolo2Output([2]float64{1, 1.2},
				[2]float64{2, 1.5})}},
		"volumes": {in: volume, layers: []layer.Layer{layer.Convolution3D{NOut: 3, Mode: layer.Same},
			layer.ZeroPadding3D{Padding: [6]int{1, 0, 0, 1, 0, 0}}, layer.Subsampling3D{Kernel: [3]int{2, 2, 2}},
			layer.Deconvolution3D{NOut: 2}, layer.Upsampling3D{}, layer.Cropping3D{Cropping: [6]int{1, 0, 0, 1, 1, 0}}, dense,
			out}},
		"cells": {in: volume, layers: []layer.Layer{layer.Convolution3D{NOut: 3}, cells}},
		"local images": {in: image, layers: []layer.Layer{layer.LocallyConnected2D{NOut: 2}, out},
			limits: interopLimits{unlike: doubled}},
		"local sequences": {in: sequence, layers: []layer.Layer{layer.LocallyConnected1D{NOut: 2}, layer.GlobalPooling{},
			out}, limits: interopLimits{unlike: doubled}},
		"attention": {in: sequence, layers: []layer.Layer{layer.SelfAttention{NOut: 4, NHeads: 2,
			ProjectInput: true}, layer.GlobalPooling{}, out}, limits: interopLimits{unlike: doubled}},
		"recurrent attention": {in: sequence, layers: []layer.Layer{layer.RecurrentAttention{NOut: 4, NHeads: 2},
			layer.GlobalPooling{}, out}, limits: interopLimits{unlike: doubled}},
		"capsules": {in: image, layers: []layer.Layer{layer.PrimaryCapsules{CapsuleDimensions: 3, Channels: 2,
			Kernel: [2]int{3, 2}},
			layer.Capsules{Capsules: 3, CapsuleDimensions: 2}, layer.CapsuleStrength{},
			layer.Loss{Activation: softmax, Loss: loss.NewMCXENT()}}, limits: interopLimits{unlike: doubled}},
		"without updater state": {in: row, layers: []layer.Layer{dense, out}, save: SaveOptions{WithoutUpdater: true}},
		"no parameters": {in: row, layers: []layer.Layer{layer.Loss{Activation: softmax, Loss: loss.NewMCXENT()}},
			limits: interopLimits{untrained: "Deeplearning4j does nothing where there are no parameters"}},
		"defaults": {in: row, base: Configuration{Activation: tanh}, layers: []layer.Layer{layer.Dense{NOut: 5},
			layer.Output{NOut: 3, Loss: loss.MSE{}}}},
	}
}

// interopUnrun are classes that no network here has, with the reason.
// ownClasses begin the names of classes that Deeplearning4j does not have.
const ownClasses = "io.github.dl4go."

var interopUnrun = map[string]string{
	"org.deeplearning4j.nn.conf.layers.LearnedSelfAttentionLayer": "Deeplearning4j cannot run it",
	"org.deeplearning4j.nn.conf.layers.SpaceToBatchLayer": "it makes other numbers of rows: it is not trained " +
		"here",
	"org.nd4j.linalg.learning.config.AdaBelief": "Deeplearning4j fails to make networks with it",
	"org.nd4j.linalg.schedule.RampSchedule":     "Deeplearning4j cannot read it",
}

// interopBuilt is a network made by the test.
type interopBuilt struct {
	in      inputtype.Type
	base    Configuration
	layers  []layer.Layer
	graph   *GraphConfiguration // instead of all fields above
	indices int                 // features are whole numbers below it
	boxes   bool                // labels are boxes
	labels  []*tensor.Dense     // nil: one class is 1
	limits  interopLimits
	save    SaveOptions
}

func nwc(t inputtype.Type) inputtype.Type {
	t.Format = inputtype.NWC
	return t
}

// network makes the network, and returns its configuration as JSON.
func (b *interopBuilt) network() (net *Network, text []byte, err error) {
	if b.graph != nil {
		if text, err = b.graph.JSON(); err == nil {
			var g *Graph
			if g, err = NewGraph(*b.graph); err == nil {
				net = g.Base()
			}
		}
		return net, text, err
	}
	c := b.base
	if c.Updater == nil {
		c.Updater = updater.NewAdam()
	}
	c.InputType, c.Layers = b.in, b.layers
	if text, err = c.JSON(); err == nil {
		var m *MultiLayer
		if m, err = New(c); err == nil {
			net = m.Base()
		}
	}
	return net, text, err
}

// data makes a minibatch: normally distributed features, and labels in which one class of each row, step or pixel is
// 1.
func (b *interopBuilt) data(net *Network) (*data.MultiDataSet, error) {
	const rows = 4
	s := random.NewSource(7)
	n, m := net, &data.MultiDataSet{Labels: b.labels}
	var types []inputtype.Type
	last := false
	for _, in := range net.InputTypes() {
		f := tensor.New(in.Shape(rows)...)
		for i := range f.Data {
			f.Data[i] = float32(s.Normal())
			if b.indices > 0 {
				f.Data[i] = float32(s.Intn(b.indices))
			}
		}
		m.Features = append(m.Features, f)
		types = append(types, must(inputtype.Of(f.Shape)))
		last = last || in.ChannelsLast || in.Format == inputtype.NWC
	}
	if b.boxes {
		m = m.Slice(0, 2)
		m.Labels = []*tensor.Dense{boxLabels()}
	}
	if m.Labels != nil {
		return m, nil
	}
	_, out, err := n.types(types)
	if err != nil {
		return nil, err
	}
	for _, i := range n.outputs {
		scorer, err := n.scorer(i)
		if err != nil {
			return nil, err
		}
		l := tensor.New(scorer.LabelShape(out[i], rows)...)
		dim := 1
		if last {
			dim = len(l.Shape) - 1
		}
		classes, inner := l.Shape[dim], tensor.Shape(l.Shape[dim+1:]).Size()
		for k := range len(l.Data) / classes {
			l.Data[k/inner*inner*classes+k%inner+s.Intn(classes)*inner] = 1
		}
		m.Labels = append(m.Labels, l)
	}
	return m, nil
}

// built adds the networks that are made here. Together they have every class that a configuration may name.
func (x *interop) built() {
	all := map[string]interopBuilt{}
	for _, some := range []map[string]interopBuilt{interopLayers(), interopGraphs(), interopPreprocessors()} {
		maps.Copy(all, some)
	}
	named := map[string]bool{}
	for name, b := range all {
		net, text, err := b.network()
		if err != nil {
			x.Errorf("%s: %v", name, err)
			continue
		}
		net.Init(3)
		m, err := b.data(net)
		if err != nil {
			x.Errorf("%s: %v", name, err)
			continue
		}
		for _, class := range regexp.MustCompile(`"(?:@class|type)" : "([^"]+)"`).FindAllStringSubmatch(string(must(net.Configuration())), -1) {
			named[class[1]] = true
		}
		x.configuration("configuration/"+name, text, net)
		x.network("made/"+name, net, m, b.limits, b.save)
	}
	trained := trainedNet(x.T)
	transfer := Transfer{Freeze: 1, Remove: 1, Add: []layer.Layer{layer.Dense{NOut: 7},
		layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}
	x.network("made/transferred", must(transfer.New(trained, 3)).Base(), examples(4, 4, 3), interopLimits{}, SaveOptions{})
	classes := slices.Concat(layer.Classes.Names(), layer.Reconstructions.Names(), vertex.Classes.Names(),
		layer.PreprocessorClasses.Names(), activation.Classes.Names(),
		loss.Classes.Names(), updater.Classes.Names(), updater.ScheduleClasses.Names(), weights.Classes.Names(),
		weights.Distributions.Names(),
		regularization.Classes.Names(), regularization.DropoutClasses.Names(), regularization.ConstraintClasses.Names(),
		regularization.NoiseClasses.Names())
	for _, class := range classes {
		if !named[class] && interopUnrun[class] == "" && !strings.HasPrefix(class, ownClasses) {
			x.Errorf("no network that is made here has %s", class)
		}
	}
}

// configuration adds a configuration without a network. Deeplearning4j must make a network like net from it.
func (x *interop) configuration(name string, text []byte, net *Network) {
	x.must(name, os.WriteFile(filepath.Join(x.folder(name), "configuration.json"), text, 0o644))
	params, class := net.NumParams(), "MultiLayerNetwork"
	if net.isGraph() {
		class = "ComputationGraph"
	}
	x.cases = append(x.cases, interopCase{Name: name, Kind: "configuration",
		check: func(t *testing.T, _ string, r *interopResult) {
			if r.Params != params || r.Class != class {
				t.Errorf("Deeplearning4j makes a %s of %d parameters of it, want a %s of %d", r.Class, r.Params, class, params)
			}
		}})
}
