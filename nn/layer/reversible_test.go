package layer_test

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/gradtest"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// own is a recurrent layer of another package.
type own struct{ layer.SimpleRnn }

func (o own) Complete(d layer.Defaults, in []inputtype.Type) (layer.Layer, error) {
	l, err := o.SimpleRnn.Complete(d, in)
	if err != nil {
		return nil, err
	}
	return own{l.(layer.SimpleRnn)}, nil
}

// TestOwnRecurrentLayer: wrappers of recurrent layers accept layers of other packages.
func TestOwnRecurrentLayer(t *testing.T) {
	rnn := own{layer.SimpleRnn{NOut: 3, Activation: activation.TanH{}}}
	for name, l := range map[string]layer.Layer{
		"both ways": layer.NewBidirectional(layer.BidirectionalConcat, rnn),
		"last step": layer.NewBidirectional(layer.BidirectionalConcat, layer.NewLastTimeStep(rnn)),
		"mask zero": layer.NewLastTimeStep(layer.MaskZero{Layer: rnn}),
	} {
		layers := []layer.Layer{l, layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}
		labels := tensor.MustOf([]float32{1, 0, 0, 1}, 2, 2)
		if name == "both ways" {
			layers[1] = layer.RnnOutput{NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}
			labels = tensor.MustOf([]float32{1, 2, 3, 4, 5, 6}, 2, 1, 3)
		}
		net, err := nn.New(nn.Configuration{InputType: inputtype.Recurrent(2, 3), Layers: layers})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		net.Init(1)
		gradtest.Check(t, net, &data.MultiDataSet{Labels: []*tensor.Dense{labels},
			Features: []*tensor.Dense{tensor.MustOf([]float32{1, -1, 2, 0.5, 0.1, -2, 3, 1, -0.5, 0.2, 0.7, 1}, 2, 2, 3)}})
	}
}
