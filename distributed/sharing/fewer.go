package sharing

import (
	"context"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
)

// shortError ends a run that lacks workers for good. The others can go on from a checkpoint.
type shortError struct {
	from       *taken
	partitions []uint32 // without a worker
	workers    int      // the remaining ones
	at         distributed.Checkpoint
	cause      error
}

func (e *shortError) Error() string { return e.cause.Error() }

func (e *shortError) Unwrap() error { return e.cause }

// lacking returns a shortError with the checkpoint from which the remaining workers can go on. Without such a
// checkpoint, or without workers, it returns the cause.
func (r *run) lacking(cause error) error {
	short := r.short
	ready := &r.master.ready
	lost := map[int]bool{}
	for _, p := range short.partitions {
		task, _ := slices.BinarySearch(ready.tasks, ready.ends[p])
		lost[task] = true
	}
	if short.workers = len(ready.tasks) - len(lost); short.workers < 1 || short.from == nil || !short.from.Open {
		return cause
	}
	var err error
	if short.at, err = r.checkpoint(short.from); err != nil {
		return fmt.Errorf("%w (and no checkpoint could be made to go on with fewer workers: %w)", cause, err)
	}
	short.cause = cause
	return short
}

// goOn sets the network and the data back to the checkpoint, from which fewer workers continue the epoch.
func (m *TrainingMaster) goOn(ctx context.Context, net *nn.Network, d *distributed.Data, short *shortError) error {
	m.base.Log.Warn("gradient sharing: workers are lost for good; the others go on with their examples",
		"workers", short.workers, "reason", short.cause)
	copy(net.Params(), short.at.Params)
	copy(net.UpdaterState(), short.at.Updater)
	net.SetIteration(short.at.Iteration)
	net.SetEpoch(short.at.Epoch)
	if err := m.Restore(short.at.State); err != nil {
		return err
	}
	m.fewer = short.workers
	m.Resume(short.at.Place)
	return m.prepare(ctx, net, d)
}
