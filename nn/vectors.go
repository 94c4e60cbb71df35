package nn

import (
	"errors"
	"slices"

	"github.com/dl4go/dl4go/program"
)

// vectors are the flat vectors of a network. A step works on all four; the last two are made on demand.
type vectors struct {
	residence
	params, state    []float32
	unset            bool // Replica made the parameters, and they were never set
	gradient, update []float32
	residual         []float32 // of a Residual or of UpdatesTo; nil if there is none
	factor           float32   // of the updates that are added to the residual
	held             []float32 // of a Residual, after Hold
}

// Params returns the flat parameter vector, in Deeplearning4j's order. It is the network's own vector: writing to it
// changes the network. On a device, the slice is valid until the next step: call Params again after each step.
func (n *vectors) Params() []float32 {
	n.take(program.Params)
	return n.params
}

// SetParams copies p into the parameters.
func (n *vectors) SetParams(p []float32) error {
	if len(p) != len(n.params) {
		return &LengthError{"parameters", len(n.params), len(p)}
	}
	n.take(program.Params)
	copy(n.params, p)
	n.unset = false
	return nil
}

// UpdaterState returns the flat state of the updaters, in updater blocks. Like Params, it is the network's own vector.
func (n *vectors) UpdaterState() []float32 {
	n.take(program.State)
	return n.state
}

// SetUpdaterState copies s into the updater state.
func (n *vectors) SetUpdaterState(s []float32) error {
	if len(s) != len(n.state) {
		return &LengthError{"updater state", len(n.state), len(s)}
	}
	n.take(program.State)
	copy(n.state, s)
	return nil
}

// Adopt makes the slices the network's parameters and updater state, without copying. The network owns them from now
// on. A nil slice keeps the old one. With it, a network can train in memory that its user allocated.
func (n *vectors) Adopt(params, state []float32) error {
	if params != nil && len(params) != len(n.params) {
		return &LengthError{"parameters", len(n.params), len(params)}
	}
	if state != nil && len(state) != len(n.state) {
		return &LengthError{"updater state", len(n.state), len(state)}
	}
	n.take(program.Params, program.State)
	if params != nil {
		n.params, n.unset = params, false
	}
	if state != nil {
		n.state = state
	}
	return nil
}

// given refuses to train a network of Replica whose parameters were never set. It accepts them if they are no longer
// 0: the caller may have written to Params.
func (n *vectors) given() error {
	if n.unset && !slices.ContainsFunc(n.params, func(x float32) bool { return x != 0 }) {
		return errors.New("nn: the network of Replica has no parameters to train from; call Init, SetParams or Adopt")
	}
	n.unset = false
	return nil
}

func (n *vectors) gradientVector() []float32 {
	if n.gradient == nil {
		n.gradient = make([]float32, len(n.params))
	}
	return n.gradient
}

func (n *vectors) updateVector() []float32 {
	if n.update == nil {
		n.update = make([]float32, len(n.params))
	}
	return n.update
}
