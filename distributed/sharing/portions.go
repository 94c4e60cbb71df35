package sharing

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/threshold"
)

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

func (p *portions) first(partition int) int {
	if partition < len(p.First) {
		return int(p.First[partition])
	}
	return 0
}

// inheritance is the residual that a fit begins with, of a run or a worker.
type inheritance struct {
	carried  []float32 // nil: there is none
	portions *portions
}

// portion counts the portions for the numbers of minibatches of each partition. from is the progress that the fit
// continues from; nil: it begins an epoch.
func (h *inheritance) portion(minibatches []int, from []coordination.Progress) {
	p := h.portions
	if p == nil {
		return
	}
	p.First, p.Of = nil, 0
	for k, n := range minibatches {
		if from != nil {
			p.First = append(p.First, from[k].Next)
		}
		if p.first(k) < n {
			p.Of++
		}
	}
}

// give puts the residual into the state that a worker begins with. Without portions, the next fit gets it.
func (h *inheritance) give(s *state) {
	if h.portions != nil && h.portions.Of > 0 {
		s.carried, s.Portions = h.carried, h.portions
	}
}

// take takes the residual out of the state that the worker begins with.
func (h *inheritance) take(s *state, params int) error {
	if n := len(s.carried); n > 0 && n != params {
		return fmt.Errorf("a residual of %d values for a network of %d parameters", n, params)
	}
	h.carried, h.portions = s.carried, s.Portions
	return nil
}

// enter adds a partition's portion to the worker's residual before the partition's first minibatch, and nothing before
// the others. The worker keeps the carried residual until the epoch is over, because joiners get it from there.
func (h *inheritance) enter(e *threshold.Encoder, a coordination.Train) error {
	if h.portions == nil {
		return nil
	}
	if a.Epoch != h.portions.Epoch {
		*h = inheritance{}
		return nil
	}
	if int(a.Ordinal) != h.portions.first(int(a.Partition)) {
		return nil
	}
	return e.Add(h.carried, 1/float32(h.portions.Of))
}

// unsent returns the sum of the workers' residuals and of the portions that no worker has added yet. reported is the
// sum of the residuals, and at the progress in an epoch. At the end of a fit, at is nil.
func (h *inheritance) unsent(reported []float32, minibatches []int, epoch uint32,
	at []coordination.Progress) []float32 {
	all := slices.Clone(reported)
	p := h.portions
	if p == nil {
		return all
	}
	waiting, of := 0, p.Of
	if of == 0 {
		waiting, of = 1, 1
	} else if at != nil && epoch == p.Epoch {
		for k, n := range minibatches {
			if first := p.first(k); first < n && int(at[k].Next) == first {
				waiting++
			}
		}
	}
	if waiting == 0 {
		return all
	}
	if all == nil {
		all = make([]float32, len(h.carried))
	}
	share := float32(waiting) / float32(of)
	for i, v := range h.carried {
		all[i] += share * v
	}
	return all
}
