package nn

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
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

	// Init draws the parameters from the seed, and resets the updater state, iteration and epoch.
	Init(seed uint64)
	// Seed is the configuration's.
	Seed() int64
	SetSeed(int64)
	// InputTypes are what the network takes, as far as its configuration says; the Kind of others is Unknown.
	InputTypes() []inputtype.Type
	// OutputLayers are the layers, or vertices, whose activations are the network's outputs.
	OutputLayers() []layer.Layer
	// OutputRows is how many rows each output has for an example: mostly 1.
	OutputRows() []int
	// SumsScores says that scores are sums over the minibatch, not means.
	SumsScores() bool
	// Copy gives an independent copy, with an executor of its own and without listeners.
	Copy() Network
	// Share gives a network for inference that has the same parameters, not a copy of them.
	Share() Network
	// Normalizer is the normalizer.bin of the network's model file; nil if there is none.
	Normalizer() []byte
	SetNormalizer([]byte)
	// Schema has the names of columns and classes in the network's model file; nil if there are none.
	Schema() *data.Schema
	SetSchema(*data.Schema) error
	// Notices say what of the file that the network was read from is not as it was: its type, what only older versions had.
	Notices() []string

	// Check says whether a minibatch fits.
	Check(*data.MultiDataSet) error
	// Fit does one step on a minibatch and gives its score before the step.
	Fit(*data.MultiDataSet, Key) (float64, error)
	// Updates does the minibatch's steps but for their last part: take gets the vector to be subtracted from the parameters.
	Updates(m *data.MultiDataSet, key Key, take func(update []float32) error) (score float64, err error)
	// Pretrain trains the autoencoders of the network without labels, each for so many epochs, and says how many there are.
	Pretrain(epoch func() data.Iterator, epochs int, seed uint64) (layers int, err error)
	// Pretraining does that with one of them, an epoch at a time. Autoencoders lists their names.
	Pretraining(layer string, seed uint64) (*Pretraining, error)
	Autoencoders() []string
	// Apply subtracts an update from the parameters and counts the iteration.
	Apply(update []float32) error
	// Constrain holds the parameters to the network's constraints, which Fit and Apply do too.
	Constrain() error
	// CheckParams looks for parameters that are not finite numbers, CheckState for such numbers in the updater state.
	CheckParams() error
	CheckState() error
	// Overflowed is the error of an update that came to such a value at a place of the flat vector.
	Overflowed(index int, value float32) error

	Output(m *data.MultiDataSet, training bool) ([]*tensor.Dense, error)
	Score(m *data.MultiDataSet, training bool) (float64, error)
	ScoreExamples(m *data.MultiDataSet, regularization bool) ([]float64, error)

	// Reconstructor finds an autoencoder by name or number; the first layer where the name is empty.
	Reconstructor(layer string) (*Reconstructor, error)

	Penalty() (float64, error)

	// Memory is the bytes of the buffers that training on a minibatch takes; Program describes what runs.
	Memory(*data.MultiDataSet) (int64, error)
	Program(batch int) (string, error)

	SetExecutor(program.Executor)
	Close()
	SetListeners(...Listener)
	Summary() string
	Save(path string, o SaveOptions) error
	// Entries are what Save writes. They read the network when they are written.
	Entries(o SaveOptions) ([]dl4j.Entry, error)
}

var _ Network = (*MultiLayer)(nil)
