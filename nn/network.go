package nn

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Network is what training masters need of a network, whatever kind it is. It is used by one goroutine at a time.
type Network interface {
	// Configuration gives configuration.json, with iteration and epoch: with Parameters and UpdaterState it makes a
	// replica (see Replica).
	Configuration() ([]byte, error)

	ParamTable() []ParamInfo
	NumParams() int
	NumStates() int
	Params() []float32
	SetParams([]float32) error
	UpdaterState() []float32
	SetUpdaterState([]float32) error
	Adopt(params, state []float32) error
	Iteration() int
	SetIteration(int)
	Epoch() int
	SetEpoch(int)
	LastScore() float64
	SetLastScore(float64)

	// Check says whether a minibatch fits.
	Check(*data.MultiDataSet) error
	// Fit does one step on a minibatch and gives its score before the step.
	Fit(*data.MultiDataSet, Key) (float64, error)
	// Update does a step but for its last part: it gives the vector to be subtracted from the parameters.
	Update(*data.MultiDataSet, Key) (score float64, update []float32, err error)
	// Apply subtracts an update from the parameters and counts the iteration.
	Apply(update []float32) error
	// CheckParams looks for parameters that are not finite numbers.
	CheckParams() error

	Output(m *data.MultiDataSet, training bool) ([]*tensor.Dense, error)
	Score(m *data.MultiDataSet, training bool) (float64, error)
	ScoreExamples(m *data.MultiDataSet, regularization bool) ([]float64, error)

	Penalty() (float64, error)

	SetExecutor(program.Executor)
	Close()
	SetListeners(...Listener)
	Summary() string
	Save(path string, o SaveOptions) error
}

var _ Network = (*MultiLayer)(nil)
