package sharing

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/constraint"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestConstraints: the parameters keep their constraints, which hold some of them back, and the network learns, whatever
// the order in which updates come.
func TestConstraints(t *testing.T) {
	const limit = 0.5
	for _, o := range []Options{{MinWorkers: 2}, {MinWorkers: 2, Lag: 8}} {
		for _, engine := range []string{"local[2]", "processes[2]"} {
			e := open(t, engine)
			d := spread(t, e, 0)
			net, err := distributed.FromConfiguration(e, nn.Configuration{Seed: 3, Updater: updater.NewAdam(), InputType: inputtype.FeedForward(64),
				WeightConstraints: []constraint.Constraint{constraint.NewMaxNorm(limit, 1)},
				BiasConstraints:   []constraint.Constraint{constraint.NewNonNegative()},
				Layers:            []layer.Layer{layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}},
				master(t, config(), o), distributed.Options{})
			if err != nil {
				t.Fatal(err)
			}
			before, _, err := net.Score(t.Context(), d, true, false, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := net.Fit(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			if after, _, err := net.Score(t.Context(), d, true, false, 0); err != nil || !(after < 0.8*before) {
				t.Errorf("%s: the score was %v, and is %v (%v)", engine, before, after, err)
			}
			held := 0
			params := net.Net().Params()
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
