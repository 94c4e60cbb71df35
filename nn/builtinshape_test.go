package nn

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// builtInFor returns data that fits a built-in network.
func builtInFor(name string) BuiltInData {
	d := BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 3}
	switch name {
	case "lstm", "gru":
		d.Input = inputtype.Recurrent(4, 5)
	case "vgg16", "resnet18", "resnet34", "resnet50":
		d.Input = inputtype.Convolutional(32, 32, 3)
	}
	return d
}

// TestShapeHasEffect: each setting changes each built-in network, or is refused by name.
func TestShapeHasEffect(t *testing.T) {
	shapes := map[string]Shape{
		"hidden": {Hidden: []int{7, 6}}, "activation": {Activation: activation.ELU{Alpha: 1}},
		"dropout": {Dropout: new(0.25)},
		"updater": {Updater: updater.NewRmsProp()}, "learning-rate": {LearningRate: 0.02}, "l1": {L1: 0.1}, "l2": {L2: 0.1},
		"weight-decay": {WeightDecay: 0.1},
	}
	refused := map[string][]string{"softmax": {"hidden", "activation", "dropout"}, "resnet": {"hidden"}}
	for _, name := range BuiltIns() {
		if strings.HasPrefix(name, "resnet") && name != "resnet" || name == "vgg16" {
			continue // millions of parameters; built like resnet and vgg
		}
		plain, err := NewBuiltIn(name, builtInFor(name), Shape{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		was, err := plain.Configuration()
		if err != nil {
			t.Fatal(err)
		}
		for setting, shape := range shapes {
			n, err := NewBuiltIn(name, builtInFor(name), shape, 1)
			wrong := (*ShapeError)(nil)
			if errors.As(err, &wrong) && wrong.Setting == setting && slices.Contains(refused[name], setting) {
				continue
			}
			if err != nil {
				t.Errorf("%s with %s: %v", name, setting, err)
				continue
			}
			if is, err := n.Configuration(); err != nil || string(is) == string(was) {
				t.Errorf("%s with %s is as it was (%v)", name, setting, err)
			}
		}
	}
}

// TestShapeMLP spells out the effects of a perceptron's settings.
func TestShapeMLP(t *testing.T) {
	d := BuiltInData{Input: inputtype.FeedForward(4), Classes: 3}
	shape := Shape{Hidden: []int{64, 32}, Activation: activation.TanH{}, Dropout: new(0.2), Updater: updater.NewAdam(),
		LearningRate: 0.01, L1: 1e-5, L2: 1e-4}
	c, err := ShapedBuiltIn("mlp", d, shape, 1)
	if err != nil {
		t.Fatal(err)
	}
	first, second, out := c.Layers[0].(layer.Dense), c.Layers[1].(layer.Dense), c.Layers[2].(layer.Output)
	keep := regularization.NewDropout(0.8) // Deeplearning4j's number is the probability to keep
	if first.NOut != 64 || second.NOut != 32 || first.Dropout != nil || !reflect.DeepEqual(second.Dropout, keep) ||
		!reflect.DeepEqual(out.Dropout, keep) {
		t.Errorf("%+v", c.Layers)
	}
	want := []regularization.Regularization{regularization.NewL1(1e-5), regularization.NewL2(1e-4)}
	if first.Activation != (activation.TanH{}) || !reflect.DeepEqual(out.Regularization, want) ||
		out.Activation != (activation.Softmax{}) {
		t.Errorf("%+v", c.Layers)
	}
	if rate, _ := out.Updater.Rate(9, 9); rate != 0.01 {
		t.Errorf("the rate is %v", rate)
	}
}

func TestShapeErrors(t *testing.T) {
	d := BuiltInData{Input: inputtype.FeedForward(4), Classes: 3}
	for _, c := range []struct {
		network, setting string
		shape            Shape
	}{
		{"mlp", "hidden", Shape{Hidden: []int{0}}}, {"mlp", "hidden", Shape{Hidden: []int{1 << 40}}},
		{"mlp", "activation", Shape{Hidden: []int{}, Activation: activation.TanH{}}},
		{"mlp", "dropout", Shape{Dropout: new(1.0)}}, {"mlp", "dropout", Shape{Dropout: new(-0.5)}},
		{"mlp", "learning-rate", Shape{LearningRate: -1}}, {"mlp", "l2", Shape{L2: -1}},
		{"mlp", "learning-rate", Shape{Updater: updater.NewAdaDelta(), LearningRate: 1}},
		{"mlp", "updater", Shape{Updater: updater.Sgd{LearningRate: 1, LearningRateSchedule: updater.StepSchedule{}}}},
		{"softmax", "dropout", Shape{Dropout: new(0.1)}},
	} {
		_, err := ShapedBuiltIn(c.network, d, c.shape, 1)
		if wrong := (*ShapeError)(nil); !errors.As(err, &wrong) || wrong.Setting != c.setting || wrong.Network != c.network {
			t.Errorf("%s, %s: %v", c.network, c.setting, err)
		}
	}
}
