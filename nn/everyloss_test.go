package nn

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/gradcheck"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// lossCase is a loss for TestGradientsOfEveryLoss, with the activations, labels and arrays that it is used with.
type lossCase struct {
	loss        loss.Loss
	activations []activation.Activation
	outputs     int
	labels      string // classes, numbers (of classes), sets, signs, shares (that sum to 1), positive or real
}

// apart reports why a combination's gradient is not compared: it is refused, or it follows Deeplearning4j, whose
// gradient is not the derivative.
func (c lossCase) apart(act activation.Activation, kind, masks string) (refused, follows bool) {
	_, softmax := act.(activation.Softmax)
	if a, ok := c.loss.(loss.Adjusted); ok && a.Logits != nil && masks == outputMask {
		return false, true // (p − y)·mask, as with a softmax layer
	}
	switch c.loss.(type) {
	case loss.FMeasure:
		return masks == outputMask && c.outputs > 1, false
	case loss.MixtureDensity:
		return masks == outputMask || kind == "images", false
	case loss.SparseMCXENT:
		return masks == outputMask && kind == "sequences" || kind == "images", false
	case loss.MCXENT, loss.NegativeLogLikelihood:
		return false, softmax && masks == outputMask // (p − y)·mask
	}
	return false, softmax && kind == "images" && masks == outputMask // in the gradient, the mask follows the softmax
}

func lossCases() map[string][]lossCase {
	softmax, sigmoid, tanh, identity, softplus := activation.Softmax{}, activation.Sigmoid{}, activation.TanH{},
		activation.Identity{}, activation.SoftPlus{}
	of := func(a ...activation.Activation) []activation.Activation { return a }
	any := of(identity, tanh, sigmoid, softmax, softplus)
	w := loss.Weighted{Weights: loss.NewWeights(0.5, 2, 1.5)}
	sparse := loss.NewSparseMCXENT()
	return map[string][]lossCase{
		"Adjusted": {{loss: loss.Adjusted{Loss: loss.NewMCXENT(), Factor: 0.5, StepMean: true, Smoothing: 0.2,
			Logits: softmax},
			activations: of(identity), labels: "shares"},
			{loss: loss.Adjusted{Loss: loss.SquaredHinge{}, Signs: true}, activations: of(identity), labels: "sets"},
			{loss: loss.Adjusted{Loss: loss.NewXENT(), Smoothing: 0.1, Sets: true}, activations: of(sigmoid), labels: "sets"}},
		"CategoricalHinge": {{loss: loss.CategoricalHinge{}, activations: of(identity), labels: "classes"}},
		"Huber":            {{loss: loss.Huber{Delta: 0.5}, activations: of(identity, tanh), labels: "real"}},
		"LogCosh":          {{loss: loss.LogCosh{}, activations: of(identity, tanh), labels: "real"}},
		"BinaryXENT": {{loss: loss.NewXENT(), activations: of(sigmoid, activation.HardSigmoid{}),
			labels: "sets"}, {loss: loss.XENT{ClipEps: 1e-5, Weighted: w}, activations: of(sigmoid), labels: "sets"}},
		"CosineProximity": {{loss: loss.CosineProximity{}, activations: of(identity, tanh, softmax), labels: "real"}},
		"FMeasure": {{loss: loss.NewFMeasure(), activations: of(softmax), outputs: 2, labels: "classes"},
			{loss: loss.NewFMeasure(), activations: of(sigmoid), outputs: 1, labels: "sets"}},
		"Hinge": {{loss: loss.Hinge{}, activations: of(identity, tanh), labels: "signs"}},
		"KLD":   {{loss: loss.KLD{}, activations: of(softmax, sigmoid), labels: "shares"}},
		"L1": {{loss: loss.L1{}, activations: any, labels: "real"},
			{loss: loss.L1{Weighted: w}, activations: of(tanh), labels: "real"}},
		"L2": {{loss: loss.L2{}, activations: any, labels: "real"},
			{loss: loss.L2{Weighted: w}, activations: of(tanh), labels: "real"}},
		"MAE": {{loss: loss.MAE{}, activations: any, labels: "real"},
			{loss: loss.MAE{Weighted: w}, activations: of(softmax), labels: "real"}},
		"MAPE": {{loss: loss.MAPE{}, activations: of(identity, tanh), labels: "real"},
			{loss: loss.MAPE{Weighted: w}, activations: of(tanh), labels: "real"}},
		"MCXENT": {{loss: loss.NewMCXENT(), activations: of(softmax), labels: "shares"},
			{loss: loss.MCXENT{SoftmaxClipEps: 1e-10, Weighted: w}, activations: of(softmax, sigmoid), labels: "shares"}},
		"MSE": {{loss: loss.MSE{}, activations: any, labels: "real"},
			{loss: loss.MSE{Weighted: w}, activations: of(softmax), labels: "real"}},
		"MSLE": {{loss: loss.MSLE{}, activations: of(sigmoid, softplus, softmax), labels: "positive"},
			{loss: loss.MSLE{Weighted: w}, activations: of(sigmoid), labels: "positive"}},
		"MixtureDensity": {{loss: loss.MixtureDensity{LabelWidth: 2, Mixtures: 2}, activations: of(identity, tanh),
			outputs: 8, labels: "real"}},
		"MultiLabel":            {{loss: loss.MultiLabel{}, activations: of(sigmoid, identity, tanh), labels: "sets"}},
		"NegativeLogLikelihood": {{loss: loss.NewNegativeLogLikelihood(), activations: of(softmax), labels: "classes"}},
		"Poisson":               {{loss: loss.Poisson{}, activations: of(softplus, sigmoid), labels: "positive"}},
		"SparseMCXENT":          {{loss: sparse, activations: of(softmax), labels: "numbers"}},
		"SquaredHinge":          {{loss: loss.SquaredHinge{}, activations: of(identity, tanh), labels: "signs"}},
		"Wasserstein":           {{loss: loss.Wasserstein{}, activations: of(identity, softmax), labels: "real"}},
	}
}

// TestGradientsOfEveryLoss compares the gradient of each loss, with the activations that it is used with, with
// differences. It uses vectors, sequences and images, without a mask, with one of examples, steps or pixels, and with
// one of single outputs.
func TestGradientsOfEveryLoss(t *testing.T) {
	cases := lossCases()
	for _, class := range loss.Classes.Names() {
		name := class[strings.LastIndex(class, ".Loss")+len(".Loss"):]
		if len(cases[name]) == 0 {
			t.Errorf("no gradient check has %s", class)
		}
		for i, c := range cases[name] {
			if got, _ := loss.Classes.NameOf(c.loss); got != class {
				t.Errorf("case %d of %s is of %s", i, class, got)
			}
			if c.outputs == 0 {
				c.outputs = 3
			}
			for k, act := range c.activations {
				for j, kind := range []string{"vectors", "sequences", "images"} {
					for l, masks := range []string{noMask, labelMask, outputMask} {
						if testing.Short() && (k+j+l+len(name))%4 != 0 {
							continue
						}
						err := c.check(t, act, kind, masks)
						refused, follows := c.apart(act, kind, masks)
						var differs *gradcheck.DifferenceError
						ok := err == nil
						if refused || follows {
							ok = err != nil && errors.As(err, &differs) == follows
						}
						if !ok {
							t.Errorf("%s %+v with %T, %s, %s: %v; refused %t, follows Deeplearning4j %t", name, c.loss, act, kind, masks,
								err, refused, follows)
						}
					}
				}
			}
		}
		delete(cases, name)
	}
	for name := range cases {
		t.Errorf("there is no class %s", name)
	}
}

func (c lossCase) check(t *testing.T, act activation.Activation, kind, masks string) error {
	net, m, err := c.network(act, kind, masks)
	if err != nil {
		return err
	}
	return gradientDiffers(t, net, m, nil)
}

// network ends with the loss, and has 4 examples.
func (c lossCase) network(act activation.Activation, kind, masks string) (*MultiLayer, *data.MultiDataSet, error) {
	const rows = 4
	var in inputtype.Type
	var layers []layer.Layer
	switch kind {
	case "vectors":
		in = inputtype.FeedForward(2)
		layers = []layer.Layer{layer.Output{NOut: c.outputs, Activation: act, Loss: c.loss}}
	case "sequences":
		in = inputtype.Recurrent(2, 2)
		layers = []layer.Layer{layer.RnnOutput{NOut: c.outputs, Activation: act, Loss: c.loss}}
	default:
		in = inputtype.Convolutional(2, 1, 2)
		var out layer.CnnLoss
		out.Activation, out.Loss = act, c.loss
		layers = []layer.Layer{layer.Convolution2D{NOut: c.outputs, Kernel: [2]int{1, 1},
			Activation: activation.Identity{}}, out}
	}
	net, err := New(Configuration{InputType: in, Layers: layers, AnyOutput: true})
	if err != nil {
		return nil, nil, err
	}
	net.Init(3)
	x := normals(6, in.Shape(rows)...)
	_, out, err := net.types([]inputtype.Type{must(inputtype.Of(x.Shape))})
	if err != nil {
		return nil, nil, err
	}
	last := len(layers) - 1
	shape := net.nodes[last].layer.(layer.Scorer).LabelShape(out[last], rows)
	m := &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{c.labelsOf(shape)}}
	switch masks {
	case labelMask:
		m.LabelMasks = []*tensor.Dense{maskFor(shape, false)}
	case outputMask:
		m.LabelMasks = []*tensor.Dense{maskFor(shape, true)}
	}
	return net, m, nil
}

// labelsOf makes labels for outputs in dimension 1.
func (c lossCase) labelsOf(shape tensor.Shape) *tensor.Dense {
	y := normals(4, shape...)
	n, inner := shape[1], shape[2:].Size()
	for at := range len(y.Data) / n {
		row := func(k int) *float32 { return &y.Data[at/inner*n*inner+k*inner+at%inner] }
		sum := float32(0)
		for k := range n {
			v := row(k)
			switch c.labels {
			case "classes":
				*v = float32(btoi(k == at/2%n))
			case "numbers":
				*v = float32(at % c.outputs)
			case "sets":
				*v = float32(btoi((at+k/2)%2 == 0))
			case "signs":
				*v = float32(2*btoi((at+k)%3 == 0) - 1)
			case "positive", "shares":
				*v = float32(0.1 + math.Abs(float64(*v)))
			case "real":
			default:
				panic(fmt.Sprintf("labels %q", c.labels))
			}
			sum += *v
		}
		for k := 0; k < n && c.labels == "shares"; k++ {
			*row(k) /= sum
		}
	}
	return y
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
