package earlystopping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
)

// Fit trains the network with its training master, one epoch on d after another, until a condition is met
// (Deeplearning4j: SparkEarlyStoppingTrainer, SparkEarlyStoppingGraphTrainer). [FitBy] describes the result.
func Fit[N nn.AnyNetwork](ctx context.Context, c Config, m *distributed.Network[N],
	d *distributed.Data) (*Result[N], error) {
	if m != nil && m.Master() == nil {
		return nil, wrong("Master", "the network has none: it can be evaluated and applied, but not trained")
	}
	return FitBy(ctx, c, m, func(ctx context.Context, step func(score float64)) error {
		return m.FitListening(ctx, d, func(r distributed.Round) { step(r.Score) })
	})
}

// Train trains one epoch of a network, and counts it. It calls step with the score after each part of training, such as
// a minibatch. When the context ends, it returns the context's error soon. The network is then as after a complete
// step.
type Train func(ctx context.Context, step func(score float64)) error

// Plain trains a network in this process (Deeplearning4j: EarlyStoppingTrainer, EarlyStoppingGraphTrainer). minibatches
// returns an iterator for each epoch. The random numbers depend on the seed.
func Plain(of nn.AnyNetwork, minibatches func() data.Iterator, seed uint64) Train {
	net := of.Base()
	return func(ctx context.Context, step func(float64)) error {
		key := nn.Key{Seed: seed, Epoch: uint64(net.Epoch())}
		for it := (until{ctx, minibatches()}); ; {
			m, err := it.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if key.Example == 0 {
				if err := net.Check(m); err != nil {
					return err
				}
			}
			score, err := net.Fit(m, key)
			if err != nil {
				return err
			}
			key.Example += uint64(m.Examples())
			step(score)
		}
		if key.Example == 0 {
			return errors.New("there are no examples to train on")
		}
		net.SetEpoch(net.Epoch() + 1)
		return cmp.Or(net.CheckParams(), net.CheckState())
	}
}

// Pretrain trains an autoencoder without labels, in this process. minibatches returns an iterator for each epoch. Score
// it with [Reconstruction] or [ReconstructionProbability], with the autoencoder's name as Layer. The network's epoch
// does not change. Deeplearning4j differs: its trainers' pretrain trains all layers on each minibatch in turn.
func Pretrain(p *nn.Pretraining, minibatches func() data.Iterator) Train {
	return func(ctx context.Context, step func(float64)) error {
		_, err := p.Epoch(until{ctx, minibatches()}, step)
		return err
	}
}

// until is an iterator that ends with the context.
type until struct {
	ctx context.Context
	it  data.Iterator
}

func (u until) Next() (*data.MultiDataSet, error) {
	if err := context.Cause(u.ctx); err != nil {
		return nil, err
	}
	return u.it.Next()
}

// FitBy trains the network with train, one epoch after another, until a condition is met. m scores the network; at the
// end, m.Net has the latest parameters. With Config.SaveLast the latest network is saved, even if the context is
// cancelled.
//
// If training fails or the context is cancelled, FitBy returns the error and a result up to then, and saved networks
// stay. An error of the settings is a *[ConfigError]. Then there is no result, nor is there one if the best network of
// Config.Before cannot be read.
func FitBy[N nn.AnyNetwork](ctx context.Context, c Config, m *distributed.Network[N], train Train) (*Result[N], error) {
	if m == nil || train == nil {
		return nil, wrong("Network", "there is none, or nothing to train it by")
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if f, ok := c.Calculator.(Fitter); ok {
		if err := f.Fits(m); err != nil {
			return nil, err
		}
	}
	if c.Saver == nil {
		c.Saver = &InMemory{}
	}
	c.Every = max(1, c.Every)
	r := &run[N]{Config: c, m: m, result: &Result[N]{BestEpoch: -1, BestScore: math.NaN()}}
	for _, e := range c.Epoch {
		r.epochs = append(r.epochs, e.Begin())
	}
	for _, i := range c.Iteration {
		r.iterations = append(r.iterations, i.Begin())
	}
	ended := r.before()
	if _, err := r.best(); err != nil {
		return nil, err
	}
	var err error
	if !ended {
		err = r.train(ctx, train)
	}
	if err != nil {
		r.result.Reason, r.result.Details = ByError, err.Error()
	}
	best, bad := r.best()
	r.result.Best = best
	return r.result, errors.Join(err, bad)
}

// run is one training.
type run[N nn.AnyNetwork] struct {
	Config
	m          *distributed.Network[N]
	epochs     []func(int, float64, bool) bool
	iterations []func(float64) bool
	result     *Result[N]
}

// before replays the earlier progress. It returns whether a condition has already ended training.
func (r *run[N]) before() (ended bool) {
	r.result.Epochs = r.Before.Epochs
	for _, s := range r.Before.Scores {
		r.note(s)
		ended = r.holds(s)
	}
	return ended
}

// note records a score, and returns whether it is the best so far.
func (r *run[N]) note(s Score) (best bool) {
	res := r.result
	res.Scores = append(res.Scores, s)
	if best = res.BestEpoch < 0 || better(s.Score, res.BestScore, r.Calculator.Minimize()); best {
		res.BestEpoch, res.BestScore = s.Epoch, s.Score
	}
	return best
}

// holds returns whether a condition ends training after this score.
func (r *run[N]) holds(s Score) bool {
	for i, c := range r.epochs {
		if c(s.Epoch, s.Score, r.Calculator.Minimize()) {
			r.result.Reason, r.result.Details = ByEpoch, r.Epoch[i].String()
			return true
		}
	}
	return false
}

// errEnded is the cause when a condition cancels an epoch.
var errEnded = errors.New("a condition has ended training")

func (r *run[N]) train(ctx context.Context, train Train) error {
	for {
		ended, err := r.pass(ctx, train)
		if err != nil && ctx.Err() != nil && r.SaveLast {
			err = errors.Join(err, r.saveLatest(r.m.LastScore()))
		}
		if ended || err != nil {
			return err
		}
		r.result.Epochs++
		if ended, err = r.score(ctx, r.result.Epochs-1); ended || err != nil {
			return err
		}
	}
}

// pass trains an epoch. It returns whether a condition has ended training.
func (r *run[N]) pass(ctx context.Context, train Train) (ended bool, err error) {
	of, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	step := func(score float64) {
		if !ended && r.ends(score) {
			ended = true
			cancel(errEnded)
		}
	}
	err = train(of, step)
	var diverged *nn.DivergedError
	if !ended && errors.As(err, &diverged) && ctx.Err() == nil {
		score := diverged.Score
		if !math.IsInf(score, 0) { // with infinite parameters, the score may still be finite
			score = math.NaN()
		}
		if ended = r.ends(score); ended {
			err = nil
		}
	}
	if !ended || ctx.Err() != nil {
		return false, err
	}
	if err != nil && !errors.Is(err, errEnded) && !errors.Is(err, context.Canceled) {
		return false, err
	}
	if r.SaveLast {
		return true, r.saveLatest(r.m.LastScore())
	}
	return true, nil
}

func (r *run[N]) ends(score float64) bool {
	for i, c := range r.iterations {
		if c(score) {
			r.result.Reason, r.result.Details = ByIteration, r.Iteration[i].String()
			return true
		}
	}
	return false
}

// score scores the network after an epoch, if its turn has come, and keeps it. It returns whether a condition holds.
func (r *run[N]) score(ctx context.Context, epoch int) (ended bool, err error) {
	e := Epoch{Number: epoch, Scored: epoch%r.Every == 0 || r.last(epoch)}
	if !e.Scored {
		r.tell(e)
		return false, nil
	}
	if e.Score, err = r.Calculator.Score(ctx, r.m); err != nil {
		err = fmt.Errorf("the score of epoch %d: %w", epoch, err)
		if r.SaveLast && ctx.Err() != nil {
			err = errors.Join(err, r.saveLatest(r.m.LastScore()))
		}
		return false, err
	}
	s := Score{epoch, e.Score}
	before := *r.result
	if e.Best = r.note(s); e.Best {
		if err := r.Saver.SaveBest(r.m.Net().Base(), e.Score); err != nil {
			*r.result = before
			return false, fmt.Errorf("the best network, of epoch %d, could not be saved: %w", epoch, err)
		}
	}
	if r.SaveLast {
		if err := r.saveLatest(e.Score); err != nil {
			return false, err
		}
	}
	r.tell(e)
	return r.holds(s), nil
}

func (r *run[N]) tell(e Epoch) {
	if r.Listen != nil {
		r.Listen(e)
	}
}

func (r *run[N]) saveLatest(score float64) error {
	if err := r.Saver.SaveLatest(r.m.Net().Base(), score); err != nil {
		return fmt.Errorf("the latest network could not be saved: %w", err)
	}
	return nil
}

// best reads the best network from the saver.
func (r *run[N]) best() (best N, err error) {
	if r.result.BestEpoch < 0 {
		return best, nil
	}
	net, err := r.Saver.Best()
	if err != nil {
		return best, fmt.Errorf("the best network could not be read back: %w", err)
	}
	if net == nil {
		return best, errors.New("the best network could not be read back: the saver gives none")
	}
	best, ok := nn.As[N](net)
	if !ok {
		return best, errors.New("the best network could not be read back: the saver gives a network of another kind")
	}
	return best, nil
}
