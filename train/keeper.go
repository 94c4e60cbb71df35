package train

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/checkpoint"
	"github.com/dl4go/dl4go/nn"
)

// keeper keeps the checkpoints of a run: it copies the network, and writes the copy while training continues. An
// interrupted run completes the checkpoint that it has begun.
type keeper struct {
	ctx    context.Context // of New
	run    context.Context // of Train: when it ends, a checkpoint is due
	saving context.Context // of writes: see Config.Grace
	dir    *checkpoint.Directory
	every  time.Duration
	log    *slog.Logger
	about  func(*distributed.Place) (record, error) // the current state of the run
	beside func() ([]byte, error)                   // between two epochs, see distributed.Checkpoint.State
	tell   func(record)                             // is called with each completed record

	twin    *nn.Network   // the network that is, or was, written
	begun   time.Time     // when the last checkpoint was begun
	took    time.Duration // the time for writing the last one
	writing chan written  // not nil while one is being written
	last    *record       // of the last one; nil if there is none
	ends    bool          // the run ends after the current step: a checkpoint is due
}

// masterEntry is the zip entry with distributed.Checkpoint.State.
const masterEntry = "master.bin"

type written struct {
	about record
	took  time.Duration
	err   error
}

// idlePart is the minimum time until the next checkpoint, as a multiple of the time for writing the last one.
const idlePart = 5

// Due reports whether it is time for a checkpoint: the run ends, or none is being written and at most a fifth of the
// time is spent writing them, which is mostly waiting for the disk.
func (k *keeper) Due() bool {
	if k.ends || k.run.Err() != nil {
		k.wait()
		return true
	}
	if k.writing != nil {
		select {
		case w := <-k.writing:
			k.done(w)
		default:
			return false
		}
	}
	return time.Since(k.begun) >= max(k.every, idlePart*k.took)
}

// Keep starts to write a checkpoint.
func (k *keeper) Keep(c distributed.Checkpoint) {
	place := c.Place
	k.keep(c, &place)
}

// between starts to write a checkpoint of a network between two epochs.
func (k *keeper) between(net *nn.Network) {
	beside, err := k.beside()
	if err != nil {
		k.done(written{err: err})
		return
	}
	k.keep(distributed.Checkpoint{Params: net.Params(), Updater: net.UpdaterState(), Iteration: net.Iteration(),
		Epoch: net.Epoch(), State: beside}, nil)
}

// interrupted keeps the last checkpoint of a run that was interrupted between two epochs, or while the network was
// scored. Within an epoch, trainers do.
func (k *keeper) interrupted(c *course) {
	net := c.conf.network()
	if k == nil || !c.at.Unscored && (c.at.Part.Examples > 0 || net.Iteration() != c.between) {
		return
	}
	if k.wait(); k.last == nil || k.last.Iteration != net.Iteration() || k.last.Epoch != net.Epoch() {
		k.between(net)
	}
}

func (k *keeper) keep(c distributed.Checkpoint, place *distributed.Place) {
	k.wait()
	k.begun = time.Now()
	about, err := k.about(place)
	if err != nil {
		k.done(written{err: err})
		return
	}
	about.Iteration, about.Epoch = c.Iteration, c.Epoch
	copy(k.twin.Params(), c.Params)
	copy(k.twin.UpdaterState(), c.Updater)
	k.twin.SetIteration(c.Iteration)
	k.twin.SetEpoch(c.Epoch)
	k.writing = make(chan written, 1)
	go func(done chan<- written) {
		begun := time.Now()
		model, err := k.twin.Entries(nn.SaveOptions{})
		if len(c.State) > 0 {
			model = append(model, dl4j.BytesEntry(masterEntry, c.State))
		}
		if err == nil {
			err = k.dir.Keep(k.saving, about, model)
		}
		done <- written{about, time.Since(begun), err}
	}(k.writing)
}

// wait waits for the checkpoint that is being written.
func (k *keeper) wait() {
	if k.writing != nil {
		k.done(<-k.writing)
	}
}

func (k *keeper) done(w written) {
	k.writing = nil
	if errors.Is(w.err, checkpoint.ErrLost) {
		return // watch ends the run
	}
	if w.err != nil {
		k.log.Warn("a checkpoint could not be kept; training goes on", "error", w.err)
		return
	}
	k.took, k.last = w.took, &w.about
	k.tell(w.about)
}

// hint tells how to continue from the last checkpoint; it returns nil if there is none.
func (k *keeper) hint() error {
	if k == nil {
		return nil
	}
	if k.wait(); k.last == nil {
		return nil
	}
	return sayf("%s goes on after iteration %d", RunResumed.of(k.dir.Path()), k.last.Iteration)
}

// watch ends the run if another one has taken over its directory.
func (k *keeper) watch(ctx context.Context, end func()) {
	select {
	case <-k.dir.Lost():
		end()
	case <-ctx.Done():
	}
}

func (k *keeper) close() {
	if k != nil {
		k.wait()
		k.dir.Close(k.ctx)
	}
}

// owned fails if another run has the checkpoints now: then this run must not replace the other's model.
func (k *keeper) owned() error {
	if k == nil {
		return nil
	}
	if err := k.dir.Verify(k.saving); errors.Is(err, checkpoint.ErrLost) {
		return badFile("Checkpoint.Dir", "%w; this one has ended, and saves no model any more", err)
	}
	return nil
}

// claim makes the keeper, if checkpoints are wanted.
func (r *Run) claim(ctx context.Context) error {
	c, from := r.conf.Checkpoint, r.conf.From
	if c.Dir == "" {
		return nil
	}
	var dir *checkpoint.Directory
	var last *record
	if from != nil && (c.Dir == from.place || c.Dir == from.Dir()) {
		dir, last = from.dir, &from.record
	} else {
		var err error
		dir, err = checkpoint.Create(ctx, c.Dir, c.Claim.options())
		if errors.Is(err, checkpoint.ErrExists) {
			return badFile("Checkpoint.Dir", "%w; %s goes on with it; for a new run, name another directory or remove that one",
				err, ToResume.of(c.Dir))
		}
		if err != nil {
			return &FileError{Field: "Checkpoint.Dir", Err: err}
		}
	}
	r.keeper = &keeper{ctx: ctx, dir: dir, every: c.Every, log: r.conf.Log, twin: r.conf.network().Copy(), last: last,
		about: r.record, beside: func() ([]byte, error) { return r.trainer.state() }}
	r.keeper.tell = func(about record) {
		r.kept.write(r)
		r.conf.Listen(CheckpointKept{Dir: dir.Path(), Epoch: about.Epoch, Iteration: about.Iteration,
			Examples: about.Part.Examples})
	}
	var err error
	r.data, err = fingerprintOf(r.conf.Data)
	return err
}

// checkpoints returns the keeper for a training master; nil if there is none.
func (r *Run) checkpoints() distributed.Checkpoints {
	if r.keeper == nil {
		return nil
	}
	return r.keeper
}
