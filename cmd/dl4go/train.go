package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program/cpu"
)

// training is a run of dl4go train, ready to begin.
type training struct {
	*trainFlags
	out        *output
	begin      time.Time
	net        *network
	train      source.Source
	test       source.Source // nil if nothing is held out
	kernels    cpu.Kernels
	work       workplace
	engine     engine.Engine
	trainer    trainer
	heldOut    *distributed.Data
	rounds     paramavg.Rounds // of an epoch, of averaging
	savedAt    string          // what the saved model is; empty before
	normalizes string          // how features are normalized; empty if they are not
	atOnce     int             // workers at a time

	from     *resumed // nil: from the beginning
	keeper   *keeper  // nil: no checkpoints
	done     int      // epochs that the run has done; 1 when it has done its iterations
	examples int      // of them
	part     part     // of the epoch under way
	score    float64  // the last one

	watch       func(score float64) // unless nil, is told of each step
	latestSaved bool                // by early stopping
	scores      []earlyScore        // of early stopping
	bests       []uint32            // checksums of the best network in the file, and of the one that takes its place
}

func (f *trainFlags) run(cmd *cobra.Command) error {
	t := &training{trainFlags: f, out: newOutput(cmd, f.json), begin: time.Now()}
	ctx, end := context.WithCancel(cmd.Context())
	defer end()
	if err := f.checkpoints.check(cmd.Flags().Changed); err != nil {
		return err
	}
	if f.checkpoints.resume != "" {
		if err := t.readCheckpoint(cmd); err != nil {
			return err
		}
		defer t.from.dir.Close()
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	f.sharing.given = cmd.Flags().Changed
	var err error
	if t.kernels, err = f.kernels(); err != nil {
		return err
	}
	if f.training == byPlain {
		f.master = "local[1]"
	}
	t.work = workplace{flags: &f.engineFlags, query: &f.query, out: t.out}
	f.query.count, f.query.Partitions = true, f.conf.NumWorkers
	if f.conf.RDDTrainingApproach == paramavg.Direct {
		f.query.level = f.conf.StorageLevel
	}
	defer t.work.close()
	if err := t.open(ctx, cmd.Flags().Changed("seed")); err != nil {
		return err
	}
	if err := t.writable(cmd.Flags().Changed); err != nil {
		return err
	}
	if t.engine, err = t.work.open(ctx); err != nil {
		return err
	}
	executor := cpu.New(cpu.Options{Threads: t.engine.Threads(), Kernels: t.kernels})
	defer executor.Close()
	t.net.SetExecutor(executor)
	if err := t.keeps(cmd); err != nil {
		return err
	}
	defer func() { t.keeper.close() }()
	if t.keeper != nil {
		go t.keeper.watch(ctx, end)
	}
	if err := t.prepare(ctx); err != nil {
		return err
	}
	defer t.trainer.close()
	if f.dryRun {
		return t.foresee()
	}
	t.announce()
	if t.pretrain > 0 && t.from == nil {
		if err := t.pretrained(ctx); err != nil {
			return err
		}
	}
	return t.do(ctx)
}

// do trains, and saves the model.
func (t *training) do(ctx context.Context) error {
	passes := t.epochs
	ahead := int64(t.train.Info().Examples)
	if t.iterations > 0 {
		passes = 1
		ahead = t.examplesOf(t.iterations)
	}
	t.out.start("", max(0, ahead*int64(passes-t.done)-int64(t.part.Examples)))
	defer t.out.stop()
	if t.from == nil && t.keeper != nil {
		t.keeper.between(t.net.Network)
	}
	if t.from != nil && t.from.Place != nil {
		t.trainer.resume(*t.from.Place)
	}
	var last figures
	var err error
	if t.done >= passes && !t.early.on() {
		last, err = t.again(ctx)
	}
	if t.early.on() {
		last, err = t.untilBest(ctx)
	}
	for t.done < passes && err == nil && !t.early.on() {
		last, err = t.next(ctx, passes)
	}
	if err != nil {
		return t.saveStats(err)
	}
	if t.keeper != nil && t.part.Examples == 0 { // a condition may have ended an epoch before its end
		t.keeper.between(t.net.Network)
		t.keeper.wait()
	}
	t.out.stop()
	return t.finish(last, t.examples)
}

// next trains an epoch, or all iterations, and saves the model.
func (t *training) next(ctx context.Context, passes int) (figures, error) {
	epoch := t.done
	label := fmt.Sprintf("epoch %d/%d", epoch+1, passes)
	if t.iterations > 0 {
		label = fmt.Sprintf("%d iterations", t.iterations)
	}
	t.out.bar.Label(label)
	before := t.part.Examples
	got, err := t.pass(ctx, epoch)
	if err == nil {
		err = cmp.Or(t.net.CheckParams(), t.net.CheckState())
	}
	if err != nil {
		return got, t.failed(ctx, err, got.examples > 0, epoch)
	}
	if t.heldOut != nil {
		if err := t.evaluate(ctx, &got); err != nil {
			return got, t.failed(ctx, err, true, epoch+1)
		}
	}
	unsaved := t.saveModel(fmt.Sprintf("after epoch %d of %d", epoch+1, passes))
	if err := t.owned(); err != nil {
		return got, err
	}
	t.tell(label, epoch, got, got.examples-before)
	if s, ok := t.trainer.(*sharer); ok && epoch == 0 {
		t.advise(s)
	}
	t.done++
	t.examples += got.examples
	t.part = part{}
	if unsaved != nil && t.done == passes {
		return got, t.rescued(unsaved)
	}
	if unsaved != nil {
		t.out.warn("the model could not be saved after epoch %d; training goes on: %v", t.done, oneLine(unsaved))
	}
	if t.keeper != nil && t.done < passes && t.keeper.Due() {
		t.keeper.between(t.net.Network)
	}
	return got, nil
}

// again saves the model of a run that a checkpoint says is done.
func (t *training) again(ctx context.Context) (figures, error) {
	t.out.line("nothing is left to train: --epochs with a higher number trains on")
	got := figures{score: t.score}
	if t.heldOut != nil {
		if err := t.evaluate(ctx, &got); err != nil {
			return got, t.failed(ctx, err, false, t.done)
		}
	}
	err := t.saveModel(fmt.Sprintf("after epoch %d", t.done))
	if err != nil {
		err = t.rescued(err)
	}
	return got, err
}

func (t *training) saveModel(what string) error {
	if err := t.owned(); err != nil {
		return err
	}
	err := t.net.Save(t.save, nn.SaveOptions{WithoutUpdater: t.withoutUpdater})
	if err == nil {
		t.savedAt = what
	}
	return err
}

// examplesOf foresees how many examples so many iterations have.
func (t *training) examplesOf(iterations int) int64 {
	if t.training == byPlain && t.batch == 0 {
		return int64(iterations) * int64(t.train.Info().Examples) / int64(t.train.Objects())
	}
	workers := 1
	if t.training == byAveraging {
		workers = t.workers()
	}
	return int64(iterations) * int64(t.batch) * int64(workers)
}

// figures are what an epoch came to.
type figures struct {
	examples int
	score    float64
	seconds  float64 // of training
	accuracy *float64
	heldOut  *float64 // the held-out score, where there are no classes
	note     string   // for the epoch's line
	details  event    // for its event, or the last one
}

// pass trains one epoch, or all iterations. Where it fails, the examples are those of the complete steps.
func (t *training) pass(ctx context.Context, epoch int) (figures, error) {
	got := figures{examples: t.part.Examples}
	start := time.Now()
	var shown time.Time
	done := func(s step) {
		got.examples += s.examples
		t.part.Examples += s.examples
		t.part.Minibatches += s.minibatches
		t.part.Scores += s.score * float64(s.examples)
		t.score = s.score
		t.out.bar.Add(int64(s.examples), fmt.Sprintf("score %.4g%s", s.score, s.note))
		if now := time.Now(); now.Sub(shown) >= progressEvery {
			shown = now
			e := event{"epoch": epoch + 1, "iteration": t.net.Iteration(), "score": s.score,
				"examples": t.out.bar.Done(), "examplesPerSecond": t.out.bar.Rate(), "eta": t.out.bar.Left().Seconds()}
			maps.Copy(e, s.details)
			t.out.emit("progress", e)
		}
		if t.watch != nil {
			t.watch(s.score)
		}
	}
	var err error
	if t.iterations > 0 {
		err = t.trainer.iterations(ctx, t.iterations-t.part.Minibatches, done)
		got.score = t.net.LastScore()
	} else {
		err = t.trainer.epoch(ctx, done)
		got.score = t.part.Scores / float64(max(1, got.examples))
	}
	t.score = got.score
	got.seconds = time.Since(start).Seconds()
	return got, err
}

// progressEvery is the least time between two progress events.
const progressEvery = 200 * time.Millisecond

// evaluate finds the held-out figures.
func (t *training) evaluate(ctx context.Context, got *figures) error {
	wrapper := distributed.New(t.engine, t.net.Network, nil, distributed.Options{Kernels: t.kernels.String()})
	info := t.test.Info()
	if info.Classes == 0 {
		score, _, err := wrapper.Score(ctx, t.heldOut, true, false, 0)
		got.heldOut = &score
		return err
	}
	e, err := wrapper.Evaluate(ctx, t.heldOut, nil, 1)
	if err != nil {
		return err
	}
	accuracy := e.Accuracy()
	got.accuracy = &accuracy
	return nil
}

// failed says what became of the model.
func (t *training) failed(ctx context.Context, err error, trained bool, epochs int) error {
	t.out.stop()
	if err := t.owned(); err != nil {
		return err
	}
	hint := t.keeper.hint() + t.latestHint()
	if ctx.Err() == nil {
		if t.savedAt != "" {
			return fmt.Errorf("%w; %s holds the network as %s%s", err, t.save, t.savedAt, hint)
		}
		return fmt.Errorf("%w; no model was saved%s", err, hint)
	}
	place := fmt.Sprintf("after %s and iteration %d", plural(epochs, "complete epoch"), t.net.Iteration())
	if trained {
		if err := t.net.Save(t.save, nn.SaveOptions{WithoutUpdater: t.withoutUpdater}); err != nil {
			return interruptedf("%w", t.elsewhere(t.net.Network, t.save, err))
		}
		t.savedAt = place
	}
	e := event{"iteration": t.net.Iteration(), "epoch": t.net.Epoch()}
	if t.savedAt != "" {
		e["model"] = t.save
	}
	if t.latestSaved {
		e["latest"] = t.early.latest
	}
	if t.keeper.hint() != "" {
		e["checkpoint"] = t.checkpoints.dir
	}
	t.out.emit("interrupted", e)
	if t.savedAt != "" {
		return interruptedf("%s holds the network as %s%s", t.save, t.savedAt, hint)
	}
	return interruptedf("no model was saved%s", hint)
}
