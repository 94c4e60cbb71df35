package train

import (
	"reflect"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestLastStep: where a worker diverges, the curve ends with the step before, whether the other worker's minibatch of
// the same step has come or not.
func TestLastStep(t *testing.T) {
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{layer.Output{NIn: 2, NOut: 2, Loss: loss.NewXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	defer net.Close()
	of := func(step, worker int) distributed.Iteration {
		return distributed.Iteration{Index: step, Worker: worker, Examples: 1, Score: float64(1 + step)}
	}
	both := []distributed.Iteration{of(0, 0), of(0, 1), of(1, 1), of(1, 0)}
	for name, told := range map[string][]distributed.Iteration{"nothing": both, "one": append(both, of(2, 0))} {
		l := &lockstep{tried: &tried{net: &net.Network, most: 100}}
		l.listen(Step{Iterations: told})
		l.last()
		if want := []float64{1, 2}; !reflect.DeepEqual(l.Loss, want) {
			t.Errorf("%s of the last step: %v, want %v", name, l.Loss, want)
		}
	}
}
