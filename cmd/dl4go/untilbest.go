package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/nn"
)

// bestSaver saves the best network in the run's file, and the latest one beside it.
type bestSaver struct{ t *training }

func (s bestSaver) SaveBest(net nn.Network, _ float64) error {
	if err := s.t.owned(); err != nil {
		return err
	}
	if err := s.t.replacesBest(net); err != nil {
		return s.t.elsewhere(net, s.t.save, err)
	}
	if err := net.Save(s.t.save, nn.SaveOptions{WithoutUpdater: s.t.withoutUpdater}); err != nil {
		return s.t.elsewhere(net, s.t.save, err)
	}
	s.t.savedAt = fmt.Sprintf("after epoch %d, the best", s.t.done+1)
	return nil
}

func (s bestSaver) SaveLatest(net nn.Network, _ float64) error {
	if err := s.t.owned(); err != nil {
		return err
	}
	err := net.Save(s.t.early.latest, nn.SaveOptions{WithoutUpdater: s.t.withoutUpdater})
	s.t.latestSaved = err == nil
	return err
}

func (s bestSaver) Best() (nn.Network, error) { return nn.LoadNetwork(s.t.save) }

func (s bestSaver) Latest() (nn.Network, error) { return nn.LoadNetwork(s.t.early.latest) }

// untilBest trains until a condition of --early-stopping ends it, and gives the figures of the best epoch.
func (t *training) untilBest(ctx context.Context) (best figures, err error) {
	on := distributed.New(t.engine, t.net.Network, nil, distributed.Options{Kernels: t.kernels.String()})
	c := t.early.config(t.epochs, t.heldOut, t.test.Info().Classes)
	c.Saver = bestSaver{t}
	if c.Before, err = t.scored(); err != nil {
		return best, err
	}
	best.score = t.score
	var got figures
	before := 0 // examples of the epoch that an earlier process trained
	label := func() string { return fmt.Sprintf("epoch %d/%d", t.done+1, t.epochs) }
	c.Listen = func(e earlystopping.Epoch) {
		if e.Scored {
			t.scores = append(t.scores, earlyScore{e.Number, fmt.Sprint(e.Score)})
			got.details = event{t.early.metric: asJSON(e.Score), "best": e.Best}
			if t.early.metric == "accuracy" {
				got.accuracy = &e.Score
			} else {
				got.note = fmt.Sprintf("  %s %.4g", t.early.metric, e.Score)
			}
		}
		if e.Best {
			got.note += "  best"
			best = got
		}
		t.tell(label(), t.done, got, got.examples-before)
		if s, ok := t.trainer.(*sharer); ok && t.done == 0 {
			t.advise(s)
		}
		t.done++
		t.examples += got.examples
		t.part = part{}
		if t.keeper != nil && t.keeper.Due() {
			t.keeper.between(t.net.Network)
		}
	}
	result, err := earlystopping.FitBy(ctx, c, on, func(ctx context.Context, step func(float64)) (err error) {
		t.out.bar.Label(label())
		t.watch, before = step, t.part.Examples
		if got, err = t.pass(ctx, t.done); err == nil {
			err = cmp.Or(t.net.CheckParams(), t.net.CheckState())
		}
		if err == nil && t.early.metric != "accuracy" {
			err = t.evaluate(ctx, &got)
		}
		return err
	})
	if err != nil {
		return best, t.failed(ctx, err, false, t.done)
	}
	t.examples += t.part.Examples // of an epoch that was ended
	if result.BestEpoch < 0 {
		t.out.stop()
		return best, fmt.Errorf("training was ended by %s before the end of an epoch that could be scored; no best model was saved%s",
			result.Details, t.latestHint())
	}
	t.out.stop()
	t.out.line("ended by %s, after %s: the best is epoch %d, of %s %.4g%s", result.Details, plural(result.Epochs, "epoch"), result.BestEpoch+1,
		t.early.metric, result.BestScore, t.latestHint())
	best.details = event{"ended": result.Reason, "by": result.Details, "epochs": result.Epochs, "bestEpoch": result.BestEpoch + 1,
		"bestScore": asJSON(result.BestScore), "metric": t.early.metric, "latest": t.early.latest}
	return best, nil
}

// earlyScore is the score of an epoch, from 0, as a checkpoint keeps it: a text, as it may be no number.
type earlyScore struct {
	Epoch int    `json:"epoch"`
	Score string `json:"score"`
}

// scored gives what the run had scored when its checkpoint was written, and sees to the best network of then.
func (t *training) scored() (p earlystopping.Progress, err error) {
	if t.from == nil {
		return p, nil
	}
	p.Epochs, t.scores = t.done, slices.Clone(t.from.Scores)
	for _, s := range t.scores {
		x, err := strconv.ParseFloat(s.Score, 64)
		if err != nil {
			return p, fmt.Errorf("--resume %s: the scores of early stopping: %w", t.from.dir.Path(), err)
		}
		p.Scores = append(p.Scores, earlystopping.Score{Epoch: s.Epoch, Score: x})
	}
	if len(p.Scores) == 0 {
		return p, nil
	}
	best, err := nn.LoadNetwork(t.save)
	if err != nil {
		return p, fmt.Errorf("--save: the run's best network so far is not there: %w", err)
	}
	defer best.Close()
	if err := t.verifyBest(best); err != nil {
		return p, err
	}
	t.savedAt = "of the best epoch so far"
	return p, nil
}

// latestHint says where the latest network is; empty if it was not saved.
func (t *training) latestHint() string {
	if !t.latestSaved {
		return ""
	}
	return fmt.Sprintf("; %s holds the latest network", t.early.latest)
}
