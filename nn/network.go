package nn

import (
	"bytes"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// Network is what a [MultiLayer] and a [Graph] have in common: parameters, training, inference, and the model file.
// Either kind has these methods, and [MultiLayer.Base] gives it as a Network. It is used by one goroutine at a time; a
// [Predictor] serves many. Networks come from [New], [NewGraph], [LoadNetwork] and [Replica].
type Network struct {
	kind kind

	nodes   []node
	inputs  int   // number of input arrays
	outputs []int // nodes
	mean    bool  // gradient and score are means over the minibatch

	layout   layout
	segments []segment

	params, state    []float32
	unset            bool      // Replica made the parameters, and none was given since
	gradient, update []float32 // nil until needed
	iteration, epoch int
	score            float64
	passes           uint64 // in training's form, without a step

	normalizer []byte // of a model file: normalizer.bin, kept as it is
	pipeline   []byte // likewise: pipeline.json
	labels     []byte // likewise: labels.json
	schema     *data.Schema
	notices    []string

	executor   program.Executor // nil until needed: then one of package cpu
	threads    int              // of that
	closer     func()           // ends its threads
	plans      planCache
	recurrence recurrence
	listeners  []Listener
}

// AnyNetwork is a *[MultiLayer], a *[Graph], or the *[Network] of either. Functions for networks of any kind take it.
type AnyNetwork interface {
	// Base gives what all kinds have in common. It is the same network: changes show in both.
	Base() *Network
}

// kind is what differs between a MultiLayer and a Graph.
type kind interface {
	AnyNetwork
	configuration() ([]byte, error)
	clone() *Network
	share() *Network
	seed() int64
	setSeed(int64)
	inputTypes() []inputtype.Type
	summary() string
}

var _, _ kind = (*MultiLayer)(nil), (*Graph)(nil)

// Base gives the network.
func (n *Network) Base() *Network { return n }

// As gives the network as one of a kind, such as As[*MultiLayer](n). ok is false if it is of another kind.
func As[N AnyNetwork](n *Network) (of N, ok bool) {
	if of, ok = any(n).(N); ok {
		return of, true
	}
	of, ok = n.kind.(N)
	return of, ok
}

// isGraph says whether the network is a Graph.
func (n *Network) isGraph() bool {
	_, graph := n.kind.(*Graph)
	return graph
}

// Configuration gives configuration.json, with iteration and epoch. With Params and UpdaterState it makes a copy of the
// network elsewhere: see [Replica].
func (n *Network) Configuration() ([]byte, error) { return n.kind.configuration() }

// Copy gives an independent copy, with an executor of its own and without listeners.
func (n *Network) Copy() *Network { return n.kind.clone() }

// Share gives a network for inference that has the same parameters, not a copy of them, and an executor and programs of
// its own. Each is used by one goroutine at a time; while several are, the parameters must not change.
func (n *Network) Share() *Network { return n.kind.share() }

// Seed is the configuration's.
func (n *Network) Seed() int64 { return n.kind.seed() }

// SetSeed changes the configuration's.
func (n *Network) SetSeed(seed int64) { n.kind.setSeed(seed) }

// InputTypes are what the network takes, as far as its configuration says; the Kind of others is Unknown.
func (n *Network) InputTypes() []inputtype.Type { return n.kind.inputTypes() }

// Summary is a table of the layers or vertices with their sizes and parameters, as Deeplearning4j's summary() has it. A
// graph's has their inputs too.
func (n *Network) Summary() string { return n.kind.summary() }

// Notices lists what changed when the network was read from a file, such as its type, or settings of older versions.
func (n *Network) Notices() []string { return n.notices }

func (n *Network) start(nodes []node, inputs int, outputs []int, mean bool) error {
	n.nodes, n.inputs, n.outputs, n.mean = nodes, inputs, outputs, mean
	var err error
	if n.layout, err = n.newLayout(nodes); err != nil {
		return err
	}
	n.segments = n.layout.segments(nodes)
	n.score = math.NaN()
	return nil
}

// allocate takes the memory of parameters and updater state.
func (n *Network) allocate() error {
	if n.params == nil {
		if err := checkup.Fits(4 * int64(n.layout.params+n.layout.state)); err != nil {
			return fmt.Errorf("a network of %d parameters: %w", n.layout.params, err)
		}
		n.params = make([]float32, n.layout.params)
		n.state = make([]float32, n.layout.state)
		n.layout.initState(n.state)
	}
	return nil
}

// takeOver copies what of a network is not in its configuration.
func (n *Network) takeOver(of *Network) {
	copy(n.params, of.params)
	n.unset = of.unset
	copy(n.state, of.state)
	n.iteration, n.epoch, n.score = of.iteration, of.epoch, of.score
	n.threads = of.threads
	n.normalizer, n.schema = bytes.Clone(of.normalizer), of.schema
	n.pipeline, n.labels = bytes.Clone(of.pipeline), bytes.Clone(of.labels)
}

// lend makes s, which is new, apply the layers and parameters of the network.
func (n *Network) lend(s *Network, k kind) {
	s.nodes, s.inputs, s.outputs, s.mean = n.nodes, n.inputs, n.outputs, n.mean
	s.layout, s.segments, s.params = n.layout, n.segments, n.params
	s.iteration, s.epoch, s.score = n.iteration, n.epoch, n.score
	s.recurrence = recurrence{forward: n.recurrence.forward, back: n.recurrence.back, formats: n.recurrence.formats}
	s.threads, s.kind, s.normalizer, s.schema = n.threads, k, n.normalizer, n.schema
	s.pipeline, s.labels = n.pipeline, n.labels
}
