package sharing

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/constraint"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// Constraints that the sum of several workers' updates would break are refused before anything runs.
func TestConstraintsAreRefused(t *testing.T) {
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(64), WeightConstraints: []constraint.Constraint{constraint.NewMaxNorm(1, 0)},
		Layers: []layer.Layer{layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	err = master(t, config(), Options{}).Fit(t.Context(), net, spread(t, open(t, "local[2]"), 0), nil)
	if err == nil || !strings.Contains(err.Error(), "the parameter 0_W has constraints") {
		t.Error(err)
	}
}
