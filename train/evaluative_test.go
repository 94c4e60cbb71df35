package train

import (
	"context"
	"errors"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// TestEvaluative: every second epoch is evaluated, from the beginning each time, until the context ends.
func TestEvaluative(t *testing.T) {
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(1), Layers: []layer.Layer{
		layer.Output{NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	copy(net.Params(), []float32{2, 0})
	e, err := engine.Open(t.Context(), "local[1]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{{
		Features: []*tensor.Dense{tensor.MustOf([]float32{1, 2}, 2, 1)},
		Labels:   []*tensor.Dense{tensor.MustOf([]float32{2, 6}, 2, 1)},
	}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var epochs []int
	var failed error
	v := &Evaluative{Context: ctx, On: distributed.New(e, net.Base(), nil, distributed.Options{}), Data: d,
		Evaluations: []eval.Evaluator{eval.NewRegressionEvaluation()}, Every: 2,
		Told: func(epoch int, done []eval.Evaluator, err error) {
			if failed = err; err != nil {
				return
			}
			if mse := done[0].(*eval.RegressionEvaluation).MeanSquaredError(0); mse != 2 {
				t.Errorf("epoch %d: the mean squared error is %v", epoch, mse)
			}
			epochs = append(epochs, epoch)
		}}
	hear := Tell(v)
	hear(Step{})
	for epoch := range 5 {
		hear(EpochEnded{Epoch: epoch})
	}
	if len(epochs) != 2 || epochs[0] != 1 || epochs[1] != 3 || failed != nil {
		t.Errorf("epochs %v were evaluated, %v", epochs, failed)
	}
	stop()
	if hear(EpochEnded{Epoch: 5}); !errors.Is(failed, context.Canceled) {
		t.Errorf("after the end of the context: %v", failed)
	}
}
