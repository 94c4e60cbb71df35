package sharing

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/coordination"
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

// belongs reports whether the residual is that of a network with these parameters.
func (c carried) belongs(params []float32) bool {
	return len(c.residual) == len(params) && c.params == masters.ChecksumOf(params)
}

// State returns the residual that the master carries into the next fit, for a checkpoint between two fits. It is nil
// if there is none.
func (m *TrainingMaster) State() ([]byte, error) { return m.carried.bytes() }

func (c carried) bytes() ([]byte, error) {
	if c.residual == nil {
		return nil, nil
	}
	return pack(carriedTail{c.params}, c.residual)
}

// Restore sets the residual that the next fit begins with. The state is that of [TrainingMaster.State] or of a
// checkpoint, and the network must be of the same moment. The state is nil if there was no residual.
func (m *TrainingMaster) Restore(state []byte) error {
	m.carried = carried{}
	if len(state) == 0 {
		return nil
	}
	var tail carriedTail
	residual, err := masters.Unseal(state, &tail)
	if err != nil {
		return way.Errorf("the residual: %w", err)
	}
	m.carried = carried{slices.Clone(residual), tail.Params}
	return nil
}

// portions say where a carried residual enters a fit: in equal portions, one for each partition that has minibatches
// left. A worker adds the portion to its residual before the first of these minibatches. As a minibatch is committed
// once, each portion is sent once, also if workers are lost or come late.
type portions struct {
	Epoch uint32   `json:"epoch"`           // the first one of the fit
	First []uint32 `json:"first,omitempty"` // that minibatch of each partition; nil: all begin with 0
	Of    int      `json:"of"`              // the number of portions
}

func (p *portions) validate() error {
	if p == nil || p.Of < 1 {
		return errors.New("a worker's state has a residual, and does not say for how many partitions")
	}
	return nil
}

func (p *portions) first(partition uint32) uint32 {
	if int(partition) < len(p.First) {
		return p.First[partition]
	}
	return 0
}

// inherit takes the residual that the master carries into the fit, unless the network has other parameters by now.
func (r *run) inherit(net *nn.Network) {
	m := r.master
	r.carried, r.portions, r.dropped = nil, nil, threshold.Removed{}
	if m.carried.residual == nil {
		return
	}
	if !m.carried.belongs(net.Params()) {
		m.base.Log.Info("gradient sharing: the network's parameters are not those of the last fit's end; " +
			"the residual of that fit is dropped")
		r.dropped = r.reference.coder.Clip(m.carried.residual, 0)
		m.carried = carried{}
		return
	}
	r.carried, r.portions = m.carried.residual, &portions{Epoch: uint32(net.Epoch())}
	r.portion(nil)
}

// portion counts the portions. from is the progress that the fit continues from; nil: it begins an epoch.
func (r *run) portion(from []coordination.Progress) {
	p := r.portions
	if p == nil {
		return
	}
	p.First, p.Of = nil, 0
	for k, n := range r.minibatches() {
		if from != nil {
			p.First = append(p.First, from[k].Next)
		}
		if int(p.first(uint32(k))) < n {
			p.Of++
		}
	}
}

// give puts the carried residual into the state that the workers begin with.
func (r *run) give(s *state) {
	if r.portions != nil && r.portions.Of > 0 { // else the next fit gets it
		s.carried, s.Portions = r.carried, r.portions
	}
}

// unsent returns what the workers have reported as not sent, with the portions of the carried residual that they don't
// have yet. at is the progress in an epoch; nil: it is the end of the fit.
func (r *run) unsent(reported []float32, epoch uint32, at []coordination.Progress) ([]float32, error) {
	if reported != nil && len(reported) != r.net.NumParams() {
		return nil, way.Errorf("the workers' residual has %d values, the network %d parameters", len(reported),
			r.net.NumParams())
	}
	all := slices.Clone(reported)
	p := r.portions
	if p == nil {
		return all, nil
	}
	waiting, of := 0, p.Of
	if of == 0 {
		waiting, of = 1, 1
	} else if at != nil && epoch == p.Epoch {
		for k, n := range r.minibatches() {
			if first := p.first(uint32(k)); int(first) < n && at[k].Next == first {
				waiting++
			}
		}
	}
	if waiting == 0 {
		return all, nil
	}
	if all == nil {
		all = make([]float32, r.net.NumParams())
	}
	share := float32(waiting) / float32(of)
	for i, v := range r.carried {
		all[i] += share * v
	}
	return all, nil
}

// inheritance is what a replica keeps of the residual that the fit began with. Other workers may still need it.
type inheritance struct {
	carried  []float32 // empty: there is none, or its epoch is over
	portions *portions
}

// take takes the carried residual out of the state that the worker begins with.
func (h *inheritance) take(s *state, params int) error {
	if n := len(s.carried); n > 0 && n != params {
		return fmt.Errorf("a residual of %d values for a network of %d parameters", n, params)
	}
	h.carried, h.portions = s.carried, s.Portions
	return nil
}

// leave puts it into a state for another worker.
func (h *inheritance) leave(s *state) {
	if len(h.carried) > 0 {
		s.carried, s.Portions = h.carried, h.portions
	}
}

// enter adds the portion of a partition to the residual if a minibatch is the one before which that is done.
func (h *inheritance) enter(e *threshold.Encoder, a coordination.Train) error {
	if len(h.carried) == 0 {
		return nil
	}
	if a.Epoch != h.portions.Epoch {
		*h = inheritance{}
		return nil
	}
	if a.Ordinal != h.portions.first(a.Partition) {
		return nil
	}
	return e.Add(h.carried, 1/float32(h.portions.Of))
}
