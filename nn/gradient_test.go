package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// TestGradients compares the gradient of every layer with central differences, in float64, in training.
func TestGradients(t *testing.T) {
	image := inputtype.Convolutional(7, 6, 2)
	tanh := activation.TanH{}
	lockedNorm := layer.NewBatchNormalization()
	lockedNorm.LockGammaBeta, lockedNorm.UseLogStd, lockedNorm.Gamma, lockedNorm.Beta = true, false, 1.5, 0.5
	for _, c := range []struct {
		name   string
		in     inputtype.Type
		layers []layer.Layer
	}{
		{"dense", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4}}},
		{"dense without bias", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4, NoBias: true}}},
		{"layer normalisation", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4, LayerNorm: true}}},
		{"activation layer", inputtype.FeedForward(5), []layer.Layer{layer.Activate{Activation: activation.Sigmoid{}}}},
		{"dropout layer", inputtype.FeedForward(5), []layer.Layer{layer.NewDropout(0.6)}},
		{"convolution, truncate", image, []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{3, 2}, Stride: [2]int{2, 3}, Padding: [2]int{1, 0}}}},
		{"convolution, strict", image, []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{3, 2}, Stride: [2]int{2, 2}, Mode: layer.Strict}}},
		{"convolution, same, dilation", image, []layer.Layer{layer.Convolution2D{NOut: 3, Kernel: [2]int{3, 2}, Dilation: [2]int{2, 3}, Mode: layer.Same, NoBias: true}}},
		{"max pooling", image, []layer.Layer{layer.Subsampling{Kernel: [2]int{3, 2}, Padding: [2]int{1, 1}}}},
		{"average pooling", image, []layer.Layer{layer.Subsampling{Pooling: layer.AvgPooling, Kernel: [2]int{3, 2}, Mode: layer.Same}}},
		{"average pooling, padding", image, []layer.Layer{layer.Subsampling{Pooling: layer.AvgPooling, Kernel: [2]int{3, 2}, Padding: [2]int{1, 1}, IncludePad: true}}},
		{"sum pooling", image, []layer.Layer{layer.Subsampling{Pooling: layer.SumPooling, Kernel: [2]int{3, 2}, Padding: [2]int{1, 0}}}},
		{"p-norm pooling", image, []layer.Layer{layer.Subsampling{Pooling: layer.PNormPooling, PNorm: 3, Kernel: [2]int{3, 2}}}},
		{"batch normalisation of vectors", inputtype.FeedForward(5), []layer.Layer{layer.Dense{NOut: 4}, layer.NewBatchNormalization()}},
		{"batch normalisation of images", image, []layer.Layer{layer.NewBatchNormalization(), layer.Activate{Activation: tanh}}},
		{"batch normalisation, locked", image, []layer.Layer{layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}}, lockedNorm}},
	} {
		for _, out := range []layer.Layer{
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
			layer.Output{NOut: 3, Activation: tanh, Loss: loss.MSE{}, NoBias: true},
		} {
			layers := []layer.Layer{c.layers[0]}
			layers = append(layers, c.layers[1:]...)
			layers = append(layers, layer.Dense{NOut: 3}, out)
			net := newNet(t, Configuration{Activation: tanh, InputType: c.in, Layers: layers})
			checkGradient(t, c.name, net, c.in)
		}
	}
	layers := []layer.Layer{layer.Dense{NOut: 5}, layer.Activate{}, layer.Loss{Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}
	checkGradient(t, "loss layer", newNet(t, Configuration{Activation: tanh, InputType: inputtype.FeedForward(4), Layers: layers}), inputtype.FeedForward(4))
}

// checkGradient is gradientDiffers for a minibatch of random features and classes.
func checkGradient(t *testing.T, name string, net *MultiLayer, in inputtype.Type) {
	t.Helper()
	const rows = 4
	classes := 3
	if net.OutputSize() == 0 {
		classes = 5
	}
	m := examples(rows, 1, classes)
	m.Features = []*tensor.Dense{normals(5, in.Shape(rows)...)}
	if err := gradientDiffers(t, net, m, nil); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// gradientDiffers compares the gradient of a minibatch with central differences, in float64, in training. only, where it
// is not nil, says the parameters of which nodes to compare. Parameters are moved off their initial values: biases, say, are 0.
func gradientDiffers(t *testing.T, net Network, m *data.MultiDataSet, only func(node int) bool) error {
	t.Helper()
	const h = 1e-6
	n := coreOf(net)
	l, err := n.lowerData(forSum, true, shapesOf(m, true))
	if err != nil {
		return err
	}
	p := l.Build()
	e, err := naive.Compile[float64](p)
	if err != nil {
		return err
	}
	of := map[string][]*tensor.Dense{"features": m.Features, "featureMask": m.FeatureMasks, "labels": m.Labels, "labelMask": m.LabelMasks}
	b := &naive.Bindings[float64]{Key: Key{Seed: 1}}
	for _, v := range p.Inputs {
		x := []float64{0.6} // a dropout's probability
		for name, arrays := range of {
			for i, a := range arrays {
				if v.Name == fmt.Sprintf("%s%d", name, i) {
					x = wide(a.Data)
				}
			}
		}
		b.Inputs = append(b.Inputs, x)
	}
	s := random.NewSource(5)
	params := wide(n.params)
	for i := range params {
		params[i] += 0.1 * s.Normal()
	}
	b.Vectors[program.Params] = params
	b.Vectors[program.Gradient] = make([]float64, len(params))
	rows := float64(n.OutputRows()[0]) // of an example, whose mean the score has
	if err := e.Run(b); err != nil {
		t.Fatal(err)
	}
	if l, err = n.lowerData(forScore, true, shapesOf(m, true)); err != nil {
		return err
	}
	forward, err := naive.Compile[float64](l.Build()) // without the backward half, which is most of the time
	if err != nil {
		return err
	}
	value := func() float64 {
		if err := forward.Run(b); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, loss := range forward.Output(0) {
			sum += loss
		}
		return rows * sum
	}
	if loss := rows * e.Output(0)[0]; math.Abs(value()-loss) > 1e-12*(1+math.Abs(loss)) {
		return fmt.Errorf("the sum of the losses is %v forward alone, %v with its gradient", value(), loss)
	}
	gradient := append([]float64(nil), b.Vectors[program.Gradient]...)
	moved := false
	for _, en := range n.layout.entries {
		if en.param.Kind == layer.Statistic || only != nil && !only(en.node) {
			continue
		}
		for i := en.offset; i < en.offset+en.size; i++ {
			old := params[i]
			params[i] = old + h
			up := value()
			params[i] = old - h
			down := value()
			params[i] = old
			want := (up - down) / (2 * h)
			moved = moved || want != 0
			if off := math.Abs(gradient[i] - want); off > 1e-6*(math.Abs(want)+math.Abs(gradient[i]))+2e-8 {
				return &differenceError{gradient[i], want, i - en.offset, en.param.Name, en.node}
			}
		}
	}
	if !moved {
		return fmt.Errorf("the loss depends on no parameter")
	}
	return nil
}

// differenceError is what gradientDiffers finds.
type differenceError struct {
	got, want float64
	element   int
	param     string
	node      int
}

func (e *differenceError) Error() string {
	return fmt.Sprintf("gradient %v of element %d of %s in layer %d, differences give %v", e.got, e.element, e.param, e.node, e.want)
}

// coreOf is what networks of both kinds have.
func coreOf(n Network) *core {
	if g, ok := n.(*Graph); ok {
		return &g.core
	}
	return &n.(*MultiLayer).core
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
