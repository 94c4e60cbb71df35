package nn

import (
	"math"
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
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/tensor"
)

// normals returns an array of N(0, 1).
func normals(seed uint64, shape ...int) *tensor.Dense {
	s := random.NewSource(seed)
	d := tensor.New(shape...)
	for i := range d.Data {
		d.Data[i] = float32(s.Normal())
	}
	return d
}

func arrayOf(data []float32, shape ...int) *tensor.Dense {
	return &tensor.Dense{Shape: shape, Data: data}
}

// masked returns the minibatch with each combination of masks.
func masked(f, l, featureMask, labelMask *tensor.Dense) map[string]*data.MultiDataSet {
	one := func(a *tensor.Dense) []*tensor.Dense { return []*tensor.Dense{a} }
	x, y := one(f), one(l)
	return map[string]*data.MultiDataSet{
		"no mask":      {Features: x, Labels: y},
		"feature mask": {Features: x, Labels: y, FeatureMasks: one(featureMask)},
		"label mask":   {Features: x, Labels: y, LabelMasks: one(labelMask)},
		"both masks":   {Features: x, Labels: y, FeatureMasks: one(featureMask), LabelMasks: one(labelMask)},
	}
}

func TestGradientsWithMasks(t *testing.T) {
	tanh, five := activation.TanH{}, inputtype.FeedForward(5)
	rows := normals(3, 4, 5)
	index := arrayOf([]float32{3, 0, 3, 6}, 4, 1)
	classes := examples(4, 1, 3).Labels[0]
	image := inputtype.Convolutional(3, 4, 2)
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	centre := layer.NewCenterLossOutput(out)
	centre.Alpha, centre.Lambda, centre.GradientCheck = 1, 0.3, true
	biased := layer.NewEmbedding(7, 4)
	biased.HasBias, biased.Activation = true, tanh
	slopes := layer.Base{WeightInit: weights.Constant{Value: 0.3}}
	for name, c := range map[string]struct {
		in       inputtype.Type
		features *tensor.Dense
		layers   []layer.Layer
	}{
		"prelu":           {five, rows, []layer.Layer{layer.PReLU{Base: slopes}, layer.Dense{NOut: 4}, out}},
		"prelu of images": {image, normals(4, 4, 2, 3, 4), []layer.Layer{layer.PReLU{Base: slopes}, out}},
		"prelu of images, one slope": {image, normals(4, 4, 2, 3, 4),
			[]layer.Layer{layer.PReLU{Base: slopes, SharedAxes: []int{1, 2, 3}}, out}},
		"element-wise multiplication": {five, rows, []layer.Layer{layer.Dense{NOut: 4}, layer.ElementWise{NOut: 4}, out}},
		"embedding": {inputtype.Type{}, index, []layer.Layer{layer.NewEmbedding(7, 4), layer.Dense{NOut: 4},
			out}},
		"embedding, bias": {inputtype.Type{}, index, []layer.Layer{biased, out}},
		"center loss":     {five, rows, []layer.Layer{layer.Dense{NOut: 4}, centre}},
		"autoencoder":     {five, rows, []layer.Layer{layer.NewAutoEncoder(4), layer.Dense{NOut: 4}, out}},
		"mask layer":      {five, rows, []layer.Layer{layer.Dense{NOut: 4}, layer.Mask{}, out}},
	} {
		net := newNet(t, Configuration{Activation: tanh, InputType: c.in, Layers: c.layers})
		mask := arrayOf([]float32{1, 0, 1, 1}, 4, 1)
		for masks, m := range masked(c.features, classes, mask, arrayOf([]float32{0, 1, 1, 1}, 4, 1)) {
			// The gradient of the centres ignores masks.
			if err := gradientDiffers(t, net, m, nil); err != nil {
				t.Errorf("%s, %s: %v", name, masks, err)
			}
		}
	}
}

// A frozen layer's parameters do not change, whatever its regularisation and updater. The layers below it, including
// their statistics, only learn if the gradient passes through it.
func TestFrozenLayers(t *testing.T) {
	frozen := layer.Dense{NOut: 4,
		Base: layer.Base{Regularization: []regularization.Regularization{regularization.NewL2(0.1)}}}
	for _, c := range []struct {
		frozen layer.Layer
		below  bool
		states int
	}{{layer.Frozen{Layer: frozen}, false, 0}, {layer.FrozenWithBackprop{Layer: frozen}, true, 2 * 20}} {
		net := newNet(t, Configuration{Activation: activation.TanH{}, Updater: updater.NewAdam(),
			InputType: inputtype.FeedForward(3),
			Layers: []layer.Layer{layer.NewBatchNormalization(), layer.Dense{NOut: 4}, c.frozen,
				layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		before := append([]float32(nil), net.Params()...)
		m := examples(6, 3, 2)
		for range 3 {
			if _, err := net.Fit(m, Key{}); err != nil {
				t.Fatal(err)
			}
		}
		for node, moves := range []bool{c.below, c.below, false, true} {
			offset, size := net.layout.nodeRange(node)
			same := true
			for i := offset; i < offset+size; i++ {
				same = same && before[i] == net.Params()[i]
			}
			if same == moves {
				t.Errorf("%T: layer %d moves: %t, want %t", c.frozen, node, !same, moves)
			}
		}
		if got, want := net.NumStates(), 2*(6+16+10)+c.states; got != want {
			t.Errorf("%T: %d elements of state, want %d", c.frozen, got, want)
		}
	}
}

// Indices beyond the table are errors that name them.
func TestEmbeddingIndices(t *testing.T) {
	out := layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	net := newNet(t, Configuration{Layers: []layer.Layer{layer.NewEmbedding(3, 4), out}})
	for _, bad := range []float32{-1, 3, float32(math.NaN()), float32(math.Inf(1))} {
		m := &data.MultiDataSet{Features: []*tensor.Dense{arrayOf([]float32{0, bad}, 2, 1)}}
		_, err := net.Output(m, false)
		if err == nil || !strings.Contains(err.Error(), "element 1 of the inputs is") ||
			!strings.Contains(err.Error(), "[0, 3)") {
			t.Errorf("index %v: %v", bad, err)
		}
	}
	if _, err := net.Output(&data.MultiDataSet{Features: []*tensor.Dense{arrayOf([]float32{2, 0, 1}, 1, 3)}},
		false); err == nil {
		t.Error("three indices to a row are taken")
	}
}
