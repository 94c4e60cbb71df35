package paramavg

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/nn"
)

// Resume lets the next fit begin at a place that Options.Checkpoints received, with the network as it was then and the
// same data. On any engine, the fit gives the same bits as without the break. For FitIterations, n is the number of
// minibatches that each worker has left.
func (m *TrainingMaster) Resume(at distributed.Place) { m.base.From = &at }

// SetWeighting sets the weights of examples in later fits.
func (m *TrainingMaster) SetWeighting(w data.Weighting) { m.base.Weighting = w }

// locate checks that a continued pass has its original rounds, and completes its place.
func (m *TrainingMaster) locate(at *distributed.Place, rounds schedule, epoch int) error {
	if m.base.From == nil && m.base.Checkpoints == nil {
		return nil
	}
	shares := rounds.checksum()
	if m.base.From != nil {
		m.base.From = nil
		if at.Pass&(1<<32-1) != uint64(epoch) {
			return fmt.Errorf("parameter averaging can't go on in epoch %d with a network of epoch %d", at.Pass&(1<<32-1), epoch)
		}
		if at.Shares != shares && at.Shares != rounds.list().checksum() || at.Done < 0 || at.Done > len(rounds.rounds) {
			return fmt.Errorf("parameter averaging can't go on after %d rounds: the %d rounds of the pass are not those that "+
				"it began with; use the same data, seed, workers, minibatches and splits", at.Done, len(rounds.rounds))
		}
	}
	at.Shares = shares
	return nil
}

// checksum returns the checksum that checkpoints had before rounds were pieces of an order: that of the examples of
// each round and worker.
func (r Rounds) checksum() uint32 {
	var c masters.Checksum
	for _, round := range r {
		c.Add(uint64(len(round)))
		for _, share := range round {
			c.Add(uint64(len(share)))
			for _, k := range share {
				c.Add(uint64(k))
			}
		}
	}
	return c.Sum()
}

// checkpoint returns the network after a number of rounds of a pass that began at a place.
func (m *TrainingMaster) checkpoint(net *nn.Network, from distributed.Place, rounds, examples int) (
	distributed.Checkpoint, error) {
	if m.outer != nil {
		m.outer.mean(net.UpdaterState())
	}
	from.Done = rounds
	from.Examples += examples
	beside, err := m.State()
	return distributed.Checkpoint{Place: from, Params: net.Params(), Updater: net.UpdaterState(),
		Iteration: net.Iteration(), Epoch: net.Epoch(), Score: net.LastScore(), State: beside}, err
}

// State returns the master's state beside the network between rounds and fits, for a checkpoint. With an outer
// optimiser, it is the momentum and the workers' own updater states; with Options.AutoFrequency, the frequency;
// otherwise nil.
func (m *TrainingMaster) State() (state []byte, err error) {
	if m.outer != nil {
		if state, err = m.outer.bytes(); err != nil {
			return nil, err
		}
	}
	if m.pacer != nil && m.pacer.frequency > 0 {
		state = m.pacer.wrap(state)
	}
	return state, nil
}

// Restore is the inverse of [TrainingMaster.State], for the network of the next fit. The state is nil if the master had
// not trained. Worker w continues with the updater state of worker w. If there are more workers than before, the
// further ones begin with the mean of these states.
func (m *TrainingMaster) Restore(state []byte) error {
	state, frequency := unwrap(state)
	if m.pacer != nil {
		m.pacer.frequency = frequency
	} else if frequency > 0 {
		return way.Errorf("the checkpoint has a frequency that was chosen by time: set Options.AutoFrequency")
	}
	if m.outer == nil && len(state) > 0 {
		return way.Errorf("the checkpoint has the state of an outer optimiser, and there is none: set Config.Outer")
	}
	if m.outer == nil || len(state) == 0 {
		return nil
	}
	return m.outer.restore(state)
}
