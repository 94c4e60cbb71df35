package sharing

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestConstraints checks that the parameters satisfy their constraints, which limit some of them, and that the network
// learns in lockstep.
func TestConstraints(t *testing.T) {
	const limit = 0.5
	for _, o := range []Options{{MinWorkers: 2, Combine: Sum}, {MinWorkers: 2, Combine: Sum, Lag: 8}} {
		for _, engine := range []string{"local[2]", "processes[2]"} {
			e := open(t, engine)
			net, err := nn.New(nn.Configuration{Seed: 3, Updater: updater.NewAdam(), InputType: inputtype.FeedForward(64),
				WeightConstraints: []regularization.Constraint{regularization.NewMaxNorm(limit, 1)},
				BiasConstraints:   []regularization.Constraint{regularization.NewNonNegative()},
				Layers:            []layer.Layer{layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
			if err != nil {
				t.Fatal(err)
			}
			net.Init(3)
			if err := master(t, config(), o).FitEpochs(t.Context(), net, spread(t, e, 0), 3, nil); err != nil {
				t.Fatal(err)
			}
			if a := accuracy(t, net); o.Lag == 0 && a < 0.7 { // with a lag, it depends on chance
				t.Errorf("%s: accuracy %v", engine, a)
			}
			held := 0
			params := net.Params()
			for in := range 64 { // W is [64, 10], column by column
				sum := 0.0
				for out := range 10 {
					v := float64(params[out*64+in])
					sum += v * v
				}
				norm := math.Sqrt(sum)
				if norm > limit*1.0001 {
					t.Errorf("%s: the weights of input %d have the norm %v", engine, in, norm)
				}
				if norm > 0.99*limit {
					held++
				}
			}
			for _, b := range params[640:] {
				if b < 0 {
					t.Errorf("%s: a bias of %v", engine, b)
				} else if b == 0 {
					held++
				}
			}
			if held < 3 {
				t.Errorf("%s: only %d constraints have held anything", engine, held)
			}
		}
	}
}
