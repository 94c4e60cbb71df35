package nn

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// Network is the common part of a [MultiLayer] and a [Graph]: parameters, training, inference, and the model file.
// Both kinds have these methods, and [MultiLayer.Base] returns either kind as a Network. Only one goroutine may use it
// at a time; a predictor, of package serve, serves many. Networks come from [New], [NewGraph], [LoadNetwork] and
// [Replica].
type Network struct {
	kind        kind
	training    // built on recurrent, inference, programs, values, blueprint, topology
	attachments // of the model file
	listeners   []Listener
}

// AnyNetwork is a *[MultiLayer], a *[Graph], or the *[Network] of either. Functions for networks of any kind take it.
type AnyNetwork interface {
	// Base returns the common part of all kinds. It is the same network: changes show in both.
	Base() *Network
}

// kind holds the differences between a MultiLayer and a Graph.
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

// Base returns n.
func (n *Network) Base() *Network { return n }

// As returns the network as one of a kind, such as As[*MultiLayer](n). ok is false if it is of another kind.
func As[N AnyNetwork](n *Network) (of N, ok bool) {
	if of, ok = any(n).(N); ok {
		return of, true
	}
	of, ok = n.kind.(N)
	return of, ok
}

// Configuration returns configuration.json, with iteration and epoch. Together with Params and UpdaterState it
// suffices to make a copy of the network elsewhere: see [Replica].
func (n *Network) Configuration() ([]byte, error) { return n.kind.configuration() }

// Copy returns an independent copy, with an executor of its own and without listeners.
func (n *Network) Copy() *Network { return n.kind.clone() }

// Share returns a network for inference on the same parameters, without copying them. It has an executor and programs
// of its own; if the network's executor is a device, it shares that (see [Network.OnDevice]). Only one goroutine may
// use each network at a time. The parameters must not change while several networks are in use. A device copies them
// once, so there they must not change at all.
func (n *Network) Share() *Network { return n.kind.share() }

// Seed returns the configuration's seed.
func (n *Network) Seed() int64 { return n.kind.seed() }

// SetSeed changes the configuration's seed.
func (n *Network) SetSeed(seed int64) { n.kind.setSeed(seed) }

// InputTypes returns the types of the network's inputs. The Kind of a type is Unknown if the configuration does not
// have it.
func (n *Network) InputTypes() []inputtype.Type { return n.kind.inputTypes() }

// Summary returns a table of the layers or vertices with their sizes and parameters, like Deeplearning4j's summary().
// The table of a graph also has their inputs.
func (n *Network) Summary() string { return n.kind.summary() }

// copyFrom copies the parts of a network that are not in its configuration.
func (n *Network) copyFrom(of *Network) {
	n.takeOver(&of.values)
	n.threads, n.attachments = of.threads, of.attachments.copied()
}

// lend makes the new network s use the layers and parameters of n.
func (n *Network) lend(s *Network, k kind) {
	n.take(program.Params)
	s.blueprint, s.params, s.progress, s.threads = n.blueprint, n.params, n.progress, n.threads
	s.kind, s.attachments, s.packed = k, n.attachments, n.packed
	s.notices = nil
	if n.OnDevice() {
		s.executor = n.executor
	}
}
