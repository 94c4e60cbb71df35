// Package gradtest checks the gradients of your own layers, vertices, losses and activations in tests. Put the layer
// into a small network; Check compares the network's gradient with differences of the loss.
package gradtest

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/gradcheck"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Network is the part of a network that Check needs. [nn.MultiLayer] and [nn.Graph] implement it.
type Network interface {
	Gradient(m *data.MultiDataSet, key nn.Key) (score float64, gradient []float32, err error)
	Score(m *data.MultiDataSet, training bool) (float64, error)
	Params() []float32
	ParamTable() []nn.ParamInfo
	OutputRows() []int
	SetExecutor(program.Executor)
	Close()
}

// Check compares the gradient of the minibatch's loss, by each element of each parameter, with a central difference of
// the loss. It fails the test if they differ by more than 1e-6 of the sum of the two, plus 2e-8. It computes in
// float64, in training, with dropout drawn from one seed. It starts from the network's parameters, each moved a little
// at random.
//
// Parameters of kind [layer.Statistic], frozen parameters, and those for pretraining only have no such gradient and
// are left out. The loss must be smooth near the parameters: a ReLU or a maximum close to its kink fails. Each element
// takes two passes over the network, so keep networks and minibatches small.
//
// Check does not change parameters and updater state. Afterwards, the network has a new executor of its own.
func Check(t testing.TB, net Network, m *data.MultiDataSet) {
	t.Helper()
	var params []gradcheck.Range
	for _, p := range net.ParamTable() {
		if p.Kind != layer.Statistic && p.Kind != layer.PretrainOnly && !p.Frozen {
			params = append(params, gradcheck.Range{Name: p.Key, Offset: p.Offset, Size: p.Size})
		}
	}
	if err := gradcheck.Network(net, m, params); err != nil {
		t.Errorf("gradtest: %v", err)
	}
}
