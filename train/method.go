package train

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/stats"
)

// Method is a way to train: [Plain], [Averaging] or [Sharing].
type Method interface {
	// check refuses a run that this method can't train.
	check(c Config) error
	// batched reports whether a run on this data needs Config.Batch.
	batched(d source.Source) bool
	// prepare distributes the data and makes the trainer.
	prepare(ctx context.Context, r *Run) (trainer, error)
	// among returns how many workers of an engine train a run. A nil engine is that of plain training.
	among(e engine.Engine) int
	// minibatch returns the default size of minibatches; 0 means those of the data.
	minibatch() int
	// portion returns the default size of a worker's minibatches, given that of plain training.
	portion(c Config, plain, workers int) int
	// Name returns the name of the method: plain, averaging or sharing.
	Name() string
}

// looks returns how steps are checked and timed.
func (c Config) looks() distributed.Looks {
	return distributed.Looks{GradientLimit: c.GradientLimit, Profile: c.Profile}
}

// Plain trains in this process, one minibatch after the other.
type Plain struct{}

// Name returns "plain".
func (Plain) Name() string { return "plain" }

func (Plain) check(Config) error { return nil }

func (Plain) among(engine.Engine) int            { return 1 }
func (Plain) minibatch() int                     { return 0 }
func (Plain) portion(_ Config, plain, _ int) int { return plain }

func (Plain) batched(d source.Source) bool { return source.Single(d) }

func (Plain) prepare(ctx context.Context, r *Run) (trainer, error) {
	if err := weigh(ctx, r, nil); err != nil {
		return nil, err
	}
	p := &plain{net: r.conf.network(), source: r.conf.Data, normalizer: r.conf.Normalizer, batch: r.conf.Batch,
		seed: uint64(r.conf.Seed), augment: data.NewAugmenter(r.conf.Augment), weigher: data.NewWeigher(r.weighting),
		log: r.conf.Log, keep: r.checkpoints()}
	if r.conf.measures() || r.conf.Profile {
		p.collector = stats.New("master")
	}
	if r.conf.measures() {
		p.gauge = distributed.NewGauge(p.collector)
	}
	p.looks = r.conf.looks()
	return p, p.looks.At(p.net, &p.profile)
}

// Averaging trains by parameter averaging on the workers of the engine.
type Averaging struct {
	// Config are the settings. The run sets BatchSizePerWorker and RNGSeed. Nil is [paramavg.Default], with data that
	// stays with the workers (Direct).
	Config *paramavg.Config
	// Options has the settings that Deeplearning4j lacks. The run sets Kernels, Checkpoints, Stay and Log.
	Options paramavg.Options
}

// Name returns "averaging".
func (Averaging) Name() string { return "averaging" }

func (Averaging) check(Config) error { return nil }

func (Averaging) minibatch() int { return 0 }

func (Averaging) portion(_ Config, plain, _ int) int { return plain }

func (a Averaging) among(e engine.Engine) int {
	if a.Config != nil && a.Config.NumWorkers > 0 {
		return a.Config.NumWorkers
	}
	return slotsOf(e)
}

// stays reports whether workers may stay between epochs: nothing else needs their slots.
func (c *Config) stays() bool { return c.HeldOut == nil && c.Stopping == nil }

// slotsOf returns the number of workers of an engine; 1 if the engine is nil, which New refuses.
func slotsOf(e engine.Engine) int {
	if e == nil {
		return 1
	}
	return e.Slots()
}

func (Averaging) batched(source.Source) bool { return true }

func (a Averaging) prepare(ctx context.Context, r *Run) (trainer, error) {
	c := paramavg.Default()
	c.RDDTrainingApproach = paramavg.Direct
	if a.Config != nil {
		c = *a.Config
	}
	c.BatchSizePerWorker, c.RNGSeed = r.conf.Batch, uint64(r.conf.Seed)
	c.CollectTrainingStats = c.CollectTrainingStats || r.conf.measures() || r.conf.Profile
	c.NumWorkers = r.conf.From.workersOr(c.NumWorkers)
	partitions := c.NumWorkers
	r.workers = cmp.Or(partitions, r.engine.Slots())
	if c.Repartition == paramavg.Never {
		c.NumWorkers = 0 // each partition has a worker
	}
	o := a.Options
	o.Kernels, o.Checkpoints, o.Log, o.Augment = r.conf.Kernels, r.checkpoints(), r.conf.Log, r.conf.Augment
	o.Looks, o.Stay = r.conf.looks(), r.conf.stays()
	if told := o.Paced; o.AutoFrequency {
		o.Paced = func(p paramavg.Pace) {
			if told != nil {
				told(p)
			}
			r.conf.Listen(Paced{p})
		}
	}
	master, err := paramavg.New(c, o)
	if err != nil {
		return nil, &ConfigError{Field: "Method", Err: err}
	}
	if from := r.conf.From; from != nil {
		if err := master.Restore(from.beside); err != nil {
			return nil, badCheckpoint(from.Dir(), "the training master: %w", err)
		}
	}
	all, err := distributed.Spread(ctx, r.engine, r.conf.Data, r.conf.Normalizer, partitions)
	if err != nil {
		return nil, err
	}
	if err := weigh(ctx, r, all); err != nil {
		return nil, err
	}
	master.SetWeighting(r.weighting)
	counts, err := all.Counts(ctx)
	if err != nil {
		return nil, err
	}
	rounds, err := paramavg.ByIndex{}.Sizes(master.Layout(r.engine, counts, paramavg.Pass(r.conf.network().Epoch(), 0)))
	if err != nil {
		return nil, err
	}
	if len(rounds) == 0 {
		return nil, fmt.Errorf("%s has no examples to train on", r.conf.Data.Info().Name)
	}
	return &averaging{net: r.conf.network(), master: master, data: all, rounds: rounds}, nil
}

// Sharing trains by gradient sharing on the workers of the engine.
type Sharing struct {
	// Config are the settings. The run sets RNGSeed. A Batch other than 0 replaces their size of minibatches; if
	// neither is set, the run's default applies, by [sharing.Config.MinibatchFor]. Nil is [sharing.Default], with data
	// that stays with the workers (Direct) and no size of minibatches.
	Config *sharing.Config
	// Options has the settings that Deeplearning4j lacks. The run sets Kernels, Checkpoints, Stay and Log.
	Options sharing.Options
}

// Name returns "sharing".
func (Sharing) Name() string { return "sharing" }

func (s Sharing) check(c Config) error {
	if c.Iterations > 0 {
		return wrong("Iterations", "gradient sharing trains whole epochs")
	}
	return nil
}

func (s Sharing) minibatch() int {
	if s.Config == nil {
		return 0
	}
	return s.Config.Minibatch()
}

func (s Sharing) portion(c Config, plain, workers int) int {
	conf := sharing.Default()
	if s.Config != nil {
		conf = *s.Config
	}
	return conf.MinibatchFor(c.network(), plain, workers)
}

func (s Sharing) among(e engine.Engine) int {
	if s.Config == nil || e == nil {
		return slotsOf(e)
	}
	return s.Config.Workers(e)
}

func (s Sharing) batched(source.Source) bool { return s.minibatch() == 0 }

func (s Sharing) prepare(ctx context.Context, r *Run) (trainer, error) {
	c := sharing.Default()
	c.RDDTrainingApproach = sharing.Direct
	if s.Config != nil {
		c = *s.Config
	}
	if r.conf.Batch > 0 {
		c.BatchSizePerWorker, c.RDDDataSetNumExamples = r.conf.Batch, 1
	}
	r.conf.Batch = c.Minibatch()
	c.RNGSeed = r.conf.Seed
	c.CollectTrainingStats = c.CollectTrainingStats || r.conf.measures() || r.conf.Profile
	c.NumWorkers = r.conf.From.workersOr(c.NumWorkers)
	if err := r.conf.From.threshold(&c); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, &ConfigError{Field: "Method", Err: err}
	}
	t := &sharer{net: r.conf.network()}
	o := s.Options
	o.Kernels, o.Checkpoints, o.Log, o.Augment = r.conf.Kernels, r.checkpoints(), r.conf.Log, r.conf.Augment
	o.Looks, o.Stay = r.conf.looks(), r.conf.stays()
	o.Listen = func(p sharing.Progress) {
		t.last = p
		if s.Options.Listen != nil {
			s.Options.Listen(p)
		}
	}
	var err error
	if t.master, err = sharing.New(c, o); err != nil {
		return nil, &ConfigError{Field: "Method", Err: err}
	}
	if from := r.conf.From; from != nil {
		if err := t.master.Restore(from.beside); err != nil {
			return nil, badCheckpoint(from.Dir(), "the training master: %w", err)
		}
	}
	t.workers = t.master.Workers(r.engine)
	r.workers = t.workers
	if t.data, err = distributed.Spread(ctx, r.engine, r.conf.Data, r.conf.Normalizer, t.workers); err != nil {
		return nil, err
	}
	if err := weigh(ctx, r, t.data); err != nil {
		return nil, err
	}
	t.master.SetWeighting(r.weighting)
	return t, nil
}
