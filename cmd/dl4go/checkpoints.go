package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/storage/checkpoint"
)

// checkpointFlags say where checkpoints are kept.
type checkpointFlags struct {
	dir, resume  string
	every, lease time.Duration
}

func (f *checkpointFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.dir, "checkpoint", "", "`DIR` keep checkpoints here, on disk, S3 or HDFS")
	fs.DurationVar(&f.every, "checkpoint-every", time.Minute, "`TIME` time between checkpoints")
	fs.DurationVar(&f.lease, "checkpoint-lease", checkpoint.DefaultPeriod, "`TIME` how long a silent run keeps DIR")
	fs.StringVar(&f.resume, "resume", "", "`DIR` continue the run whose checkpoints are here")
}

func (f *checkpointFlags) check(given func(string) bool) error {
	if f.dir == "" {
		f.dir = f.resume
	}
	if given("checkpoint-every") && f.dir == "" {
		return usagef("--checkpoint-every goes with --checkpoint DIRECTORY")
	}
	if given("checkpoint-lease") && !storage.IsURL(f.dir) && !storage.IsURL(f.resume) {
		return usagef("--checkpoint-lease goes with a directory on S3 or HDFS: on this machine's disk the lock of a run ends with it")
	}
	if f.lease < time.Second {
		return usagef("--checkpoint-lease %v: it must be a second or more", f.lease)
	}
	if f.every <= 0 {
		return usagef("--checkpoint-every %v: it must be more than 0", f.every)
	}
	return nil
}

// options are those of a lease.
func (f *checkpointFlags) options(cmd *cobra.Command) checkpoint.Options {
	return checkpoint.Options{Period: f.lease, Waiting: func(o checkpoint.Owner, most time.Duration) {
		fmt.Fprintf(cmd.ErrOrStderr(), "dl4go: waiting up to %v, to see whether the run that has the checkpoints has died (%v)\n", most, o)
	}}
}

// keeper keeps the checkpoints of a run: it copies the network, and writes the copy while training goes on.
type keeper struct {
	dir   *checkpoint.Directory
	every time.Duration
	log   *slog.Logger
	about func(*distributed.Place) (record, error) // the run as it is now
	tell  func(record)                             // is told what was kept

	twin    nn.Network    // what is, or was, written
	begun   time.Time     // when the last one was begun
	took    time.Duration // by the last one
	writing chan written  // not nil: one is under way
	last    *record       // of the last one; nil if there is none
}

type written struct {
	about record
	took  time.Duration
	err   error
}

// idlePart is how many times as long as it took to write a checkpoint must pass before the next one.
const idlePart = 5

// Due says whether it is time for a checkpoint: none is under way, and at most a fifth of the time goes into writing them,
// which is mostly waiting for the disk.
func (k *keeper) Due() bool {
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

// Keep begins to write a checkpoint.
func (k *keeper) Keep(c distributed.Checkpoint) {
	place := c.Place
	k.keep(c, &place)
}

// between begins to write a checkpoint of a network between two epochs.
func (k *keeper) between(net nn.Network) {
	k.keep(distributed.Checkpoint{Params: net.Params(), Updater: net.UpdaterState(), Iteration: net.Iteration(), Epoch: net.Epoch()}, nil)
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
		if err == nil {
			err = k.dir.Keep(about, model)
		}
		done <- written{about, time.Since(begun), err}
	}(k.writing)
}

// wait waits for the checkpoint that is under way.
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

// hint says how to go on from the last checkpoint.
func (k *keeper) hint() string {
	if k == nil {
		return ""
	}
	if k.wait(); k.last == nil {
		return ""
	}
	return fmt.Sprintf("; dl4go train --resume %s goes on after iteration %d", k.dir.Path(), k.last.Iteration)
}

// watch ends the run where another one has taken its directory over.
func (k *keeper) watch(ctx context.Context, end func()) {
	select {
	case <-k.dir.Lost():
		end()
	case <-ctx.Done():
	}
}

// owned fails where another run has the checkpoints now: what this one would save is not to replace what that one does.
func (t *training) owned() error {
	if t.keeper == nil {
		return nil
	}
	if err := t.keeper.dir.Verify(); errors.Is(err, checkpoint.ErrLost) {
		return fmt.Errorf("--checkpoint: %w; this one has ended, and saves no model any more", err)
	}
	return nil
}

func (k *keeper) close() {
	if k != nil {
		k.wait()
		k.dir.Close()
	}
}

// keeps makes the keeper, if checkpoints are wanted.
func (t *training) keeps(cmd *cobra.Command) error {
	if t.checkpoints.dir == "" || t.dryRun {
		return nil
	}
	var dir *checkpoint.Directory
	var last *record
	if t.from != nil && t.checkpoints.dir == t.checkpoints.resume {
		dir, last = t.from.dir, &t.from.record
	} else {
		var err error
		if dir, err = checkpoint.Create(cmd.Context(), t.checkpoints.dir, t.checkpoints.options(cmd)); err != nil {
			return existing(err, t.checkpoints.dir)
		}
	}
	t.keeper = &keeper{dir: dir, every: t.checkpoints.every, log: slog.New(warnings{output: t.out}), twin: t.net.Copy(), last: last}
	data, err := fingerprintOf(t.train)
	if err != nil {
		t.keeper.close()
		return err
	}
	t.keeper.tell = func(r record) {
		t.out.emit("checkpoint", event{"directory": dir.Path(), "epoch": r.Epoch, "iteration": r.Iteration, "examples": r.Part.Examples})
	}
	t.keeper.about = func(place *distributed.Place) (record, error) { return t.record(cmd.Flags(), data, place) }
	return nil
}

// kept is the keeper for a training master; nil if there is none.
func (t *training) kept() distributed.Checkpoints {
	if t.keeper == nil {
		return nil
	}
	return t.keeper
}
