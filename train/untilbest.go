package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/nn"
)

// bestSaver saves the best network in the run's file, and the latest one beside it.
type bestSaver struct{ r *Run }

func (s bestSaver) SaveBest(net *nn.Network, _ float64) error {
	m := s.r.model
	if err := m.keeper.owned(); err != nil {
		return err
	}
	err := s.r.best.replace(s.r.saving, net)
	if err == nil {
		err = m.save(s.r.saving, net, fmt.Sprintf("after epoch %d, the best", s.r.at.Epochs+1))
	}
	if err != nil {
		return m.elsewhere(net, err)
	}
	return nil
}

func (s bestSaver) SaveLatest(net *nn.Network, _ float64) error {
	m := s.r.model
	if err := m.keeper.owned(); err != nil {
		return err
	}
	file := s.r.conf.Stopping.Latest
	err := net.Save(s.r.saving, file, m.options)
	if m.latest = file; err != nil {
		m.latest = ""
	}
	return err
}

func (s bestSaver) Best() (*nn.Network, error) { return nn.LoadNetwork(s.r.saving, s.r.conf.Save) }

func (s bestSaver) Latest() (*nn.Network, error) {
	return nn.LoadNetwork(s.r.saving, s.r.conf.Stopping.Latest)
}

// untilBest trains until a condition of Stopping ends it. The figures are those of the best epoch.
func (r *Run) untilBest(ctx context.Context, result *Result) (err error) {
	stopping, net := r.conf.Stopping, r.conf.network()
	c := stopping.config(r.conf.Epochs, r.heldOut.data, r.heldOut.classes)
	c.Iteration = append(c.Iteration, &r.time)
	if r.conf.Save != "" {
		c.Saver = bestSaver{r}
	}
	if c.Before, err = r.scored(ctx); err != nil {
		return err
	}
	best := Figures{Score: r.at.Score}
	var got Figures
	if stopping.Metric == "accuracy" {
		c.Calculator = known{c.Calculator, &got.Accuracy}
	}
	var took time.Duration
	before := 0 // number of the epoch's examples that an earlier part of the run trained
	c.Listen = func(e earlystopping.Epoch) {
		if e.Scored {
			r.at.Scores = append(r.at.Scores, metricScore{e.Number, fmt.Sprint(e.Score)})
			got.Metric = &Metric{stopping.Metric, e.Score, e.Best}
		}
		if e.Best {
			best = got
		}
		r.ended(got, before, took)
		if r.keeper != nil && r.keeper.Due() {
			r.keeper.between(net)
		}
	}
	ended, err := earlystopping.FitBy(ctx, c, r.heldOut.on, func(ctx context.Context, step func(float64)) (err error) {
		r.conf.Listen(EpochBegan{r.at.Epochs, r.conf.Epochs, r.conf.network().Iteration()})
		r.step, before = step, r.at.Part.Examples
		if got, took, err = r.pass(ctx, r.at.Epochs); err == nil {
			err = cmp.Or(net.CheckParams(), net.CheckState())
		}
		if err == nil {
			err = r.heldOut.score(ctx, &got)
		}
		return err
	})
	if err != nil {
		err = r.failed(ctx, err, false, r.at.Epochs)
		if ended != nil && ended.Best != nil {
			handBest(err, ended.Best)
		}
		return err
	}
	r.at.Examples += r.at.Part.Examples // of an epoch that was ended early
	if ended.BestEpoch < 0 && r.time.up != nil {
		result.Figures = got
		return r.time.endInEpoch(ctx, &result.Figures)
	}
	if ended.BestEpoch < 0 {
		return fmt.Errorf("training was ended by %s before the end of an epoch that could be scored; no best model was "+
			"saved%s",
			ended.Details, r.model.latestTold())
	}
	stopped := &Stopped{Reason: ended.Reason, By: ended.Details, Epochs: ended.Epochs, BestEpoch: ended.BestEpoch,
		BestScore: ended.BestScore,
		Metric:    stopping.Metric, Latest: r.model.latest}
	r.conf.Listen(*stopped)
	result.Figures, result.Stopped, result.Network = best, stopped, ended.Best
	return nil
}

// known is a calculator whose score is already among the epoch's figures.
type known struct {
	earlystopping.Calculator
	score **float64
}

// Score returns that score.
func (k known) Score(context.Context, earlystopping.Network) (float64, error) { return **k.score, nil }

// handBest sets the best network as that of an interrupted run's error, or closes it.
func handBest(err error, best *nn.Network) {
	var u *UnfinishedError
	if errors.As(err, &u) && u.Network != nil {
		u.Network = best
		return
	}
	best.Close()
}

// scored returns the run's scores up to its checkpoint, and checks that the best network of that time exists.
func (r *Run) scored(ctx context.Context) (p earlystopping.Progress, err error) {
	if r.conf.From == nil {
		return p, nil
	}
	p.Epochs = r.at.Epochs
	for _, s := range r.at.Scores {
		x, err := strconv.ParseFloat(s.Score, 64)
		if err != nil {
			return p, badCheckpoint(r.conf.From.Dir(), "the scores of early stopping: %w", err)
		}
		p.Scores = append(p.Scores, earlystopping.Score{Epoch: s.Epoch, Score: x})
	}
	if len(p.Scores) == 0 {
		return p, nil
	}
	best, err := nn.LoadNetwork(ctx, r.conf.Save)
	if err != nil {
		return p, badFile("Save", "the run's best network so far is not there: %w", err)
	}
	defer best.Close()
	if err := r.best.verify(ctx, best); err != nil {
		return p, err
	}
	r.model.holds = "of the best epoch so far"
	return p, nil
}
