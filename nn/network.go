package nn

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Network is what a [MultiLayer] and a [Graph] have in common: parameters, training, inference, and the model file.
// Either kind has these methods, and [MultiLayer.Base] gives it as a Network. It is used by one goroutine at a time; a
// predictor, of package serve, serves many. Networks come from [New], [NewGraph], [LoadNetwork] and [Replica].
type Network struct {
	kind        kind
	training    // built on recurrent, inference, programs, values, blueprint, topology
	attachments // of the model file
	listeners   []Listener
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
	// reconfigure changes the settings of layers that keep their parameters.
	reconfigure(edit func(layer.Layer) (layer.Layer, error)) error
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

// Configuration gives configuration.json, with iteration and epoch. With Params and UpdaterState it makes a copy of the
// network elsewhere: see [Replica].
func (n *Network) Configuration() ([]byte, error) { return n.kind.configuration() }

// Copy gives an independent copy, with an executor of its own and without listeners.
func (n *Network) Copy() *Network { return n.kind.clone() }

// Share gives a network for inference that has the same parameters, not a copy of them, and an executor and programs of
// its own, or the executor of the network where that is a device: see [Network.OnDevice]. Each is used by one goroutine
// at a time; while several are, the parameters must not change. A device gets them once, so there they must not change
// at all.
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

// copyFrom copies what of a network is not in its configuration.
func (n *Network) copyFrom(of *Network) {
	n.takeOver(&of.values)
	n.threads, n.attachments = of.threads, of.attachments.copied()
}

// lend makes s, which is new, apply the layers and parameters of the network.
func (n *Network) lend(s *Network, k kind) {
	n.take(program.Params)
	s.blueprint, s.params, s.progress, s.threads = n.blueprint, n.params, n.progress, n.threads
	s.kind, s.attachments = k, n.attachments
	s.notices = nil
	if n.OnDevice() {
		s.executor = n.executor
	}
}
