package train

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/tracing"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/stats"
)

// Result is the result of a run.
type Result struct {
	Figures // of the last epoch, or with Stopping of the best one; Examples are those of all epochs
	// Network is the trained network: Config.Network, or with Stopping the best one.
	Network *nn.Network
	Epochs  int // number of trained epochs, including those before the run was resumed; 1 for a run by Iterations
	// TimeUp says where Config.MaxTime or [Remote.End] ended training; nil if neither did.
	TimeUp *TimeUp
	// Stopped has the reason why training ended with Stopping; nil without it.
	Stopped *Stopped
	// Series show how the run learned: the loss and the learning rate of its steps, the figures of held-out data after
	// each epoch, and those of workers if the Method collects statistics.
	Series []stats.Series
	// Hints are likely mistakes that the series show.
	Hints []stats.Hint
	// Profile has the times of operations on all workers in this part of the run; nil without Config.Profile.
	Profile []program.Cost
	// Statistics are those of the whole run; nil if the Method does not collect them.
	Statistics []stats.Event
	Duration   time.Duration // of this part of the run
}

// Train trains to the end of the run. It saves the model after each epoch, or with Stopping whenever it improves. When
// the context ends, Train stops after the current step and saves the model and a checkpoint, within Config.Grace. The
// error is then an *[UnfinishedError] with the network as far as it was trained; it is also an *[UnfinishedError] if
// training fails. If only the statistics can't be written, there are a result and a *[FileError].
func (r *Run) Train(ctx context.Context) (*Result, error) {
	r.saving, r.saved = grace.Extend(ctx, r.conf.Grace)
	ctx, end := context.WithCancel(ctx)
	defer end()
	if r.keeper != nil {
		r.keeper.saving, r.keeper.run = r.saving, ctx
		go r.keeper.watch(ctx, end)
	}
	if r.conf.Pretraining != nil && r.conf.From == nil {
		if err := r.pretrain(ctx); err != nil {
			return nil, err
		}
	}
	result, err := r.train(ctx)
	if err == nil && r.conf.FastDevRun {
		err = r.conf.readBack(r.saving, result.Network)
	}
	if err != nil && r.conf.FastDevRun {
		r.conf.removeTried(r.saving)
	}
	if err != nil {
		r.learning.fail(err)
		r.broken(err)
		return nil, r.keepStatistics(err)
	}
	result.Examples, result.Epochs = r.at.Examples, r.at.Epochs
	if result.TimeUp = r.time.up; r.time.up != nil && r.conf.Stopping == nil {
		result.Examples += r.at.Part.Examples
	}
	result.Profile = r.collector().Costs()
	r.learning.track(r.saving, Progress{Ended: true, Model: r.model.holding()})
	result.Duration = time.Since(r.begin)
	return result, r.writeStatistics(result)
}

// passes returns the number of calls of the trainer in the run.
func (r *course) passes() int {
	if r.conf.Iterations > 0 {
		return 1
	}
	return r.conf.Epochs
}

func (r *Run) train(ctx context.Context) (*Result, error) {
	passes := r.passes()
	over := r.at.Epochs >= passes && r.conf.Stopping == nil
	r.learning.track(r.saving, Progress{})
	r.conf.Listen(Began{Examples: r.ahead(), Over: over})
	from := r.conf.From
	if from == nil && r.keeper != nil {
		r.keeper.between(r.conf.network())
	}
	if from != nil && from.record.Place != nil {
		r.trainer.resume(*from.record.Place)
	}
	result := &Result{Network: r.conf.network()}
	r.between = r.conf.network().Iteration()
	var err error
	switch {
	case over:
		result.Figures, err = r.again(ctx)
	case r.conf.Stopping != nil:
		err = r.untilBest(ctx, result)
	}
	for r.at.Epochs < passes && err == nil && r.conf.Stopping == nil && r.time.up == nil {
		result.Figures, err = r.next(ctx, passes)
	}
	if err != nil {
		return nil, err
	}
	if r.time.up != nil && !r.time.up.InEpoch && r.conf.Stopping == nil {
		r.time.endBetween(passes)
	}
	if r.keeper != nil {
		if r.at.Part.Examples == 0 { // a condition may have ended an epoch early
			r.keeper.between(r.conf.network())
		}
		r.keeper.wait()
	}
	return result, nil
}

// ahead returns the expected number of examples left to train.
func (r *course) ahead() int64 {
	a := int64(r.conf.Data.Info().Examples)
	if r.conf.Iterations > 0 {
		a = r.examplesOf(r.conf.Iterations)
	}
	return max(0, a*int64(r.passes()-r.at.Epochs)-int64(r.at.Part.Examples))
}

// examplesOf returns the expected number of examples in the iterations.
func (r *course) examplesOf(iterations int) int64 {
	d := r.conf.Data
	if r.conf.Batch == 0 {
		return int64(iterations) * int64(d.Info().Examples) / int64(max(1, d.Objects()))
	}
	return int64(iterations) * int64(r.conf.Batch) * int64(max(1, r.Workers()))
}

// next trains an epoch, or all iterations, and saves the model.
func (r *Run) next(ctx context.Context, passes int) (_ Figures, failure error) {
	epoch, before := r.at.Epochs, r.at.Part.Examples
	ctx, end := tracing.Start(ctx, "epoch", "epoch", epoch+1, "of", passes)
	defer func() { end(failure) }()
	r.conf.Listen(EpochBegan{epoch, passes, r.conf.network().Iteration()})
	got, took, err := r.pass(ctx, epoch)
	if r.time.up != nil && r.time.up.InEpoch {
		return got, r.time.endInEpoch(ctx, &got)
	}
	if err == nil {
		err = cmp.Or(r.conf.network().CheckParams(), r.conf.network().CheckState())
	}
	if err != nil {
		return got, r.failed(ctx, err, got.Examples > 0, epoch)
	}
	if err := r.heldOut.score(ctx, &got); err != nil {
		return got, r.failed(ctx, err, true, epoch+1)
	}
	unsaved := r.model.save(r.saving, r.conf.network(), fmt.Sprintf("after epoch %d of %d", epoch+1, passes))
	if err := r.keeper.owned(); err != nil {
		return got, err
	}
	r.ended(got, before, took)
	if unsaved != nil && r.at.Epochs == passes {
		return got, r.unsaved(ctx, unsaved)
	}
	if unsaved != nil {
		r.conf.Listen(SaveFailed{r.at.Epochs, unsaved})
	}
	if r.keeper != nil && r.at.Epochs < passes && r.keeper.Due() {
		r.keeper.between(r.conf.network())
	}
	return got, nil
}

// ended counts an epoch and reports its figures. before is the number of its examples that an earlier part of the run
// trained.
func (r *Run) ended(got Figures, before int, took time.Duration) {
	epoch, net := r.at.Epochs, r.conf.network()
	ended := EpochEnded{Epoch: epoch, Of: r.passes(), Iteration: net.Iteration(), Figures: got,
		Trained: got.Examples - before, Duration: took}
	under := net.Epoch() // that of the last step
	if r.conf.Iterations == 0 {
		under--
	}
	if rate, ok := net.LearningRate(max(0, net.Iteration()-1), max(0, under)); ok {
		ended.LearningRate = &rate
	}
	r.learning.epoch(ended)
	r.learning.track(r.saving, Progress{EpochEnded: true})
	r.conf.Listen(ended)
	if s, ok := r.trainer.(*sharer); ok && epoch == 0 {
		r.conf.Listen(Measured{s.master.Last().Cluster(s.net, max(2, s.workers))})
	}
	r.count(got)
}

// again saves the model of a run that is complete according to its checkpoint.
func (r *Run) again(ctx context.Context) (Figures, error) {
	got := Figures{Score: r.at.Score}
	if err := r.heldOut.score(ctx, &got); err != nil {
		return got, r.failed(ctx, err, false, r.at.Epochs)
	}
	err := r.model.save(r.saving, r.conf.network(), fmt.Sprintf("after epoch %d", r.at.Epochs))
	if err != nil {
		err = r.model.rescued(r.conf.network(), err)
	}
	return got, err
}

// pass trains one epoch, or all iterations. If it fails, the examples are those of the complete steps.
func (r *Run) pass(ctx context.Context, epoch int) (got Figures, took time.Duration, err error) {
	net, start := r.conf.network(), time.Now()
	if r.at.Unscored { // an earlier part of the run has trained it
		return Figures{Examples: r.at.Part.Examples, Score: r.at.Score}, time.Since(start), nil
	}
	inTime, end := context.WithCancelCause(ctx)
	defer end(nil)
	r.steer.lower(r)
	begun, trained := net.Iteration(), 0
	got.Examples = r.at.Part.Examples
	done := func(s step) {
		got.Examples += s.examples
		r.at.Part.Examples += s.examples
		r.at.Part.Minibatches += s.minibatches
		r.at.Part.Scores += s.score * float64(s.examples)
		r.at.Score = s.score
		iteration := net.Iteration()
		if trained += s.minibatches; s.sharing != nil { // iterations are counted at the epoch's end
			workers := max(1, r.workers)
			iteration = begun + (trained+workers-1)/workers
		}
		r.learning.step(s, iteration)
		r.conf.Listen(Step{Epoch: epoch, Iteration: iteration, Examples: s.examples, Score: s.score,
			Sharing: s.sharing, Iterations: s.iterations})
		if r.step != nil {
			r.step(s.score)
		}
		if _, plain := r.trainer.(*plain); plain {
			r.steer.lower(r)
		}
		if r.conf.Stopping == nil && r.time.late() { // with early stopping, its condition checks this
			end(errTimeUp)
		}
	}
	if n := r.conf.Iterations; n > 0 {
		err = r.trainer.iterations(inTime, n-r.at.Part.Minibatches, done)
		got.Score = net.LastScore()
	} else {
		err = r.trainer.epoch(inTime, done)
		got.Score = r.at.Part.Scores / float64(max(1, got.Examples))
	}
	r.at.Score, r.at.Unscored = got.Score, err == nil
	if r.time.up != nil && err != nil && ctx.Err() == nil && cut(err) {
		r.time.up.InEpoch, err = true, nil
	}
	return got, time.Since(start), err
}
