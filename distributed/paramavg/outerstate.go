package paramavg

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// outerState is the state of a master with an outer optimiser between rounds, passes and fits of one network: its
// momentum, and each worker's own updater state. Workers come and go; their places in a round stay.
type outerState struct {
	conf     Outer
	net      *nn.Network // nil after a restore, until the next fit
	averaged []masters.Range
	momentum []float32
	before   []float32   // the start of the present round
	own      [][]float32 // by place; read only
}

// seat prepares a pass with a number of places, and at most a number of workers. A place without a state begins with
// the mean of the others' states, or with the network's if there are none. States of missing workers are dropped.
func (o *outerState) seat(net *nn.Network, places, workers int) error {
	if o.net != nil && o.net != net {
		*o = outerState{conf: o.conf}
	}
	if o.momentum == nil {
		o.momentum = make([]float32, net.NumParams())
	}
	if len(o.momentum) != net.NumParams() || len(o.own) > 0 && len(o.own[0]) != net.NumStates() {
		return fmt.Errorf("parameter averaging can't go on: the outer optimiser's state is of another network")
	}
	o.net, o.averaged = net, masters.Statistics(net)
	if whole := 4 * (int64(net.NumParams()) + int64(places)*int64(net.NumStates())); whole > math.MaxInt32 {
		return way.Errorf("outer: the updater states of %d workers have %d MB, which is more than a message takes: "+
			"use an updater with less state, such as Sgd, or fewer workers", places, whole>>20)
	}
	o.own = o.own[:min(len(o.own), max(places, workers))]
	if len(o.own) < places {
		usual := slices.Clone(net.UpdaterState())
		o.mean(usual)
		for len(o.own) < places {
			o.own = append(o.own, usual)
		}
	}
	return nil
}

// take copies the workers' own states from a round's result.
func (o *outerState) take(s *state) error {
	for i, place := range s.Places {
		if place < 0 || place >= len(o.own) || s.Each != o.net.NumStates() {
			return fmt.Errorf("a worker at place %d, of %d, has an updater state of %d values", place, len(o.own), s.Each)
		}
		o.own[place] = slices.Clone(s.own(i))
	}
	return nil
}

// begin records the start of a round. end moves the network from the workers' mean to the start of the next one.
func (o *outerState) begin() { o.before = append(o.before[:0], o.net.Params()...) }

func (o *outerState) end() error {
	o.conf.step(o.net.Params(), o.before, o.momentum, o.averaged)
	if masters.Constrained(o.net) {
		return o.net.Constrain()
	}
	return nil
}

// mean writes the mean of the workers' own states, for a network that is saved. Without states, to stays unchanged.
func (o *outerState) mean(to []float32) {
	for i := range to {
		sum := 0.0
		for _, s := range o.own {
			sum += float64(s[i])
		}
		if len(o.own) > 0 {
			to[i] = float32(sum / float64(len(o.own)))
		}
	}
}

// outerTail follows the vectors of an outerState in bytes. The vectors are the momentum, and the states by place.
type outerTail struct {
	Params  int `json:"params"`
	States  int `json:"states"`
	Workers int `json:"workers"`
}

// bytes encodes the state for a checkpoint.
func (o *outerState) bytes() ([]byte, error) {
	if o.net == nil {
		return nil, nil
	}
	tail := outerTail{len(o.momentum), o.net.NumStates(), len(o.own)}
	vectors := make([]byte, 0, 4*(tail.Params+tail.States*tail.Workers)+tailRoom)
	vectors = tensor.AppendBytes(vectors, o.momentum)
	for _, s := range o.own {
		vectors = tensor.AppendBytes(vectors, s)
	}
	return masters.Seal(vectors, tail)
}

// restore decodes the result of bytes.
func (o *outerState) restore(b []byte) error {
	var tail outerTail
	vectors, err := masters.Unseal(b, &tail)
	if err != nil {
		return err
	}
	rest := len(vectors) - tail.Params
	if tail.Params < 0 || tail.States < 0 || tail.Workers < 0 || rest < 0 || tail.States > 0 &&
		(rest%tail.States != 0 || rest/tail.States != tail.Workers) || tail.States == 0 && rest != 0 ||
		tail.Workers > maxWorkers {
		return fmt.Errorf("the outer optimiser's state of %d parameters and %d workers' %d values has %d numbers",
			tail.Params, tail.Workers, tail.States, len(vectors))
	}
	*o = outerState{conf: o.conf, momentum: slices.Clone(vectors[:tail.Params])}
	vectors = slices.Clone(vectors[tail.Params:])
	for range tail.Workers {
		o.own = append(o.own, vectors[:tail.States:tail.States])
		vectors = vectors[tail.States:]
	}
	return nil
}

// maxWorkers bounds the number of workers in a file.
const maxWorkers = 1 << 20
