package sharing

import (
	"slices"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/threshold"
)

// carried is the residual between two fits: the sum of what the workers of a fit have not sent.
type carried struct {
	residual []float32 // nil: there is none
	params   uint32    // the checksum of the network's parameters at that time
}

// carriedTail follows the residual in bytes.
type carriedTail struct {
	Params uint32 `json:"params"`
}

func carriedBy(params, residual []float32) carried {
	return carried{residual, masters.ChecksumOf(params)}
}

// inherit gives a run the carried residual, unless the network has other parameters by now.
func (c *carried) inherit(r *run, net *nn.Network) {
	r.inheritance, r.dropped = inheritance{}, threshold.Removed{}
	if c.residual == nil {
		return
	}
	if c.belongs(net.Params()) {
		r.carried, r.portions = c.residual, &portions{Epoch: uint32(net.Epoch())}
		r.portion(r.minibatches(), nil)
		return
	}
	r.master.base.Log.Info("gradient sharing: the network's parameters are not those of the last fit's end; " +
		"the residual of that fit is dropped")
	r.dropped = r.reference.coder.Clip(c.residual, 0)
	*c = carried{}
}

// unmoved says why a fit that has left a residual changed no parameter.
func (c *carried) unmoved() string {
	if !slices.ContainsFunc(c.residual, func(v float32) bool { return v != 0 }) {
		return ""
	}
	return "all updates are below the threshold, and are kept for later; lower it (thresholdAlgorithm, updatesThreshold)"
}

// belongs reports whether these are the parameters with which the last fit ended.
func (c *carried) belongs(params []float32) bool {
	return len(c.residual) == len(params) && c.params == masters.ChecksumOf(params)
}

// State returns the residual that the training master carries into the next fit, for a checkpoint between two fits. It
// is nil if there is none.
func (c *carried) State() ([]byte, error) {
	if c.residual == nil {
		return nil, nil
	}
	return pack(carriedTail{c.params}, c.residual)
}

// Restore sets the residual that the next fit begins with. The state is that of [TrainingMaster.State] or of a
// checkpoint, and the network must be of the same moment. The state is nil if there was no residual.
func (c *carried) Restore(state []byte) error {
	*c = carried{}
	if len(state) == 0 {
		return nil
	}
	var tail carriedTail
	residual, err := masters.Unseal(state, &tail)
	if err != nil {
		return way.Errorf("the residual: %w", err)
	}
	*c = carried{slices.Clone(residual), tail.Params}
	return nil
}
