package paramavg

import (
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// fitConfig is the configuration of a task that trains its portion of a round as a job.
type fitConfig struct {
	workerConfig
	Start engine.BroadcastID // a state
	// Positions holds, for each partition, the place of its first example in the epoch's order.
	Positions []int
	// Own holds each partition's own updater state, with an outer optimiser and an updater that has a state.
	Own []engine.BroadcastID
}

// fit trains a replica on the partition's examples and writes one row: its state. An empty partition writes none.
var fit = engine.Register("paramavg.fit", func(t *engine.Task, conf fitConfig, in engine.Rows,
	out engine.Writer) error {
	p, err := newPortion(t, conf.workerConfig, t.Partition, conf.Positions[t.Partition])
	if err != nil {
		return err
	}
	p.room = vectors
	p.spent = distributed.NewSpent(conf.Kernels, conf.Prefetch)
	batches := distributed.Minibatches(in, conf.Batch).Reuse(p.spent)
	defer batches.Close()
	first, err := p.next(batches)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	if len(conf.Own) > 0 {
		if p.own, err = ownState(t, conf.Own[t.Partition]); err != nil {
			return err
		}
	}
	var ahead data.Iterator = batches
	if conf.Prefetch > 0 {
		reader := data.Prefetch(batches, conf.Prefetch)
		defer reader.Close()
		ahead = reader
	}
	b, err := p.train(func() (*state, error) { return broadcastState(t, conf.Start) }, first, ahead)
	if err != nil {
		return err
	}
	return out.Write(engine.Unindexed(b))
})

func broadcastState(t *engine.Task, id engine.BroadcastID) (*state, error) {
	b, err := t.Broadcast(id)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(b)
	return s, engine.Permanent(err)
}

// average adds up the workers' states; the driver divides.
var average = engine.Register("paramavg.add", func(t *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	var total sum
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if err := total.addRow(row.Bytes); err != nil {
			return engine.Permanent(err)
		}
	}
	b, err := total.row()
	if err != nil {
		return engine.Permanent(err)
	}
	return out.Write(engine.Unindexed(b))
})
