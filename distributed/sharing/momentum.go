package sharing

import (
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/threshold"
)

// momenta are the momentum arrays of a network's updater state.
//
// Momentum factor masking: Lin et al., "Deep Gradient Compression", ICLR 2018.
type momenta []momentum

// momentum is the array of the parameters from an offset on.
type momentum struct {
	offset int
	values []float32
}

// momentaOf returns the momentum arrays of the updaters that have one. They share the network's memory.
func momentaOf(net *nn.Network) (all momenta) {
	states := net.ParamStates()
	for _, p := range net.ParamTable() {
		if p.MomentumState >= 0 {
			all = append(all, momentum{p.Offset, states[p.Key][p.MomentumState]})
		}
	}
	return all
}

// mask sets the momentum of each parameter that a message moves to 0.
func (m momenta) mask(message *threshold.Message) {
	at := 0
	for i := range message.All() {
		for at < len(m) && i >= m[at].offset+len(m[at].values) {
			at++
		}
		if at == len(m) {
			return
		}
		if k := i - m[at].offset; k >= 0 {
			m[at].values[k] = 0
		}
	}
}

// masks returns the momentum arrays as ranges of the flat vectors.
func masks(net *nn.Network) (all []threshold.Mask) {
	for _, p := range net.ParamTable() {
		if p.MomentumState >= 0 && p.Size > 0 {
			all = append(all, threshold.Mask{From: p.Offset, To: p.Offset + p.Size, State: p.MomentumOffset})
		}
	}
	return all
}
