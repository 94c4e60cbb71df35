package nn

import "math"

// NumParams is the number of parameters.
func (n *Network) NumParams() int { return n.layout.params }

// NumStates is the length of the updater state.
func (n *Network) NumStates() int { return n.layout.state }

// Params is the flat parameter vector, in Deeplearning4j's order. It is the network's own: writing to it changes the
// network.
func (n *Network) Params() []float32 { return n.params }

// SetParams copies p into the parameters.
func (n *Network) SetParams(p []float32) error {
	if len(p) != len(n.params) {
		return &LengthError{"parameters", len(n.params), len(p)}
	}
	copy(n.params, p)
	n.unset = false
	return nil
}

// UpdaterState is the flat state of the updaters, in updater blocks. It is the network's own.
func (n *Network) UpdaterState() []float32 { return n.state }

// SetUpdaterState copies s into the updater state.
func (n *Network) SetUpdaterState(s []float32) error {
	if len(s) != len(n.state) {
		return &LengthError{"updater state", len(n.state), len(s)}
	}
	copy(n.state, s)
	return nil
}

// Adopt makes the slices the network's parameters and updater state, without a copy. The network owns them from now on.
// A nil slice leaves the old one in place. So a network can train in memory that belongs to its user.
func (n *Network) Adopt(params, state []float32) error {
	if params != nil && len(params) != len(n.params) {
		return &LengthError{"parameters", len(n.params), len(params)}
	}
	if state != nil && len(state) != len(n.state) {
		return &LengthError{"updater state", len(n.state), len(state)}
	}
	if params != nil {
		n.params, n.unset = params, false
	}
	if state != nil {
		n.state = state
	}
	return nil
}

// Init draws the parameters from the seed, resets the updater state, and sets iteration and epoch to 0.
func (n *Network) Init(seed uint64) {
	n.layout.initParams(n.params, seed)
	n.layout.initState(n.state)
	n.iteration, n.epoch, n.score, n.unset = 0, 0, math.NaN(), false
}
