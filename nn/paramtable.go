package nn

import (
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// ParamInfo is the place of a parameter in the flat vectors of parameters, gradient and update.
type ParamInfo struct {
	Key    string       // as in Deeplearning4j's paramTable(): "0_W", in a graph "dense_W"
	Shape  tensor.Shape // as Deeplearning4j shows it
	Order  byte         // 'c' or 'f': the dimension that varies fastest in the vector is the last or the first
	Kind   layer.Kind
	Offset int
	Size   int
	// Constrained is true if constraints apply to the parameter after each step.
	Constrained bool
	// MomentumState is the index, in ParamStates, of the updater's state array that is a momentum; -1 if none is.
	MomentumState int
	// MomentumOffset is the offset of that array in UpdaterState; -1 if there is none.
	MomentumOffset int
	// Normalized is true if the updater divides gradients by their magnitude, as Adam does.
	Normalized bool
	// Frozen is true if training does not change the parameter.
	Frozen bool
	// View is what updaters of matrices know of the parameter.
	View updater.Parameter
}

// ParamTable lists the parameters in the order of the flat vectors (Deeplearning4j: paramTable()).
func (n *blueprint) ParamTable() []ParamInfo {
	var out []ParamInfo
	for _, e := range n.layout.entries {
		out = append(out, ParamInfo{n.nodes[e.node].key + "_" + e.param.Name, e.param.Shape.Clone(), e.param.Order,
			e.param.Kind, e.offset, e.size, len(e.param.Constraints) > 0, updater.MomentumState(e.param.Updater), -1,
			updater.Normalizes(e.param.Updater), e.param.Frozen, e.param.ForUpdater()})
	}
	for _, b := range n.layout.blocks {
		for i := b.first; i < b.last; i++ {
			if p := &out[i]; p.MomentumState >= 0 {
				p.MomentumOffset, _ = b.stateAt(p.MomentumState, p.Offset, p.Size)
			}
		}
	}
	return out
}

// ParamStates returns the updater's state arrays of each parameter, by its key. They are parts of
// [Network.UpdaterState]. A parameter without an updater has none.
func (n *Network) ParamStates() map[string][][]float32 {
	out := map[string][][]float32{}
	for _, b := range n.layout.blocks {
		for _, e := range n.layout.entries[b.first:b.last] {
			var states [][]float32
			for k := range b.updater.States() {
				at, size := b.stateAt(k, e.offset, e.size)
				states = append(states, n.state[at:][:size])
			}
			out[n.nodes[e.node].key+"_"+e.param.Name] = states
		}
	}
	return out
}
