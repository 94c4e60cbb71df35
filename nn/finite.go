package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/program"
)

// CheckParams returns an error that names the first layer with a parameter that is not a finite number.
func (n *values) CheckParams() error {
	if err := n.fetch(program.Params); err != nil {
		return err
	}
	for _, e := range n.layout.entries {
		if at := notFinite(n.params[e.offset : e.offset+e.size]); at >= 0 {
			return n.divergedAt(e, fmt.Sprintf("its parameter %s holds %v", e.param.Name, n.params[e.offset+at]))
		}
	}
	return nil
}

// CheckState returns an error that names the first layer with updater state that is not finite. A parameter with such
// state does not move any more.
func (n *values) CheckState() error {
	if err := n.fetch(program.State); err != nil {
		return err
	}
	for _, b := range n.layout.blocks {
		for k := range b.updater.States() {
			for _, e := range n.layout.entries[b.first:b.last] {
				at, size := b.stateAt(k, e.offset, e.size)
				part := n.state[at:][:size]
				if at := notFinite(part); at >= 0 {
					return n.divergedAt(e, fmt.Sprintf("the updater state of its parameter %s holds %v", e.param.Name, part[at]))
				}
			}
		}
	}
	return nil
}

// Overflowed returns a *[DivergedError] for training masters: a parameter's update became value, so training cannot
// continue. index is the parameter's index in the flat vector.
func (n *values) Overflowed(index int, value float32) error {
	for _, e := range n.layout.entries {
		if index >= e.offset && index < e.offset+e.size {
			return n.divergedAt(e, fmt.Sprintf("the update of its parameter %s comes to %v", e.param.Name, value))
		}
	}
	return &LengthError{"update", len(n.params), index + 1}
}

// divergedAt returns the error for a parameter.
func (n *values) divergedAt(e entry, what string) error {
	return &DivergedError{Iteration: n.iteration, Epoch: n.epoch, Layer: n.place(e.node), Score: n.score, What: what}
}

// notFinite returns the index of the first element that is not a finite number, or -1.
func notFinite(x []float32) int { return vector.For(kernel.Best()).NotFinite(x) }
