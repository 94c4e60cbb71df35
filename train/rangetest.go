package train

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/stats"
)

// RangeTest describes a test of learning rates: each step of a short run has a higher one than the last (Smith,
// "Cyclical Learning Rates for Training Neural Networks", 2017). Zero fields have the defaults.
type RangeTest struct {
	From, To float64 // 1e-7 and 10
	Steps    int     // 100
}

func (t RangeTest) withDefaults() RangeTest {
	if t.From == 0 {
		t.From = 1e-7
	}
	if t.To == 0 {
		t.To = 10
	}
	if t.Steps == 0 {
		t.Steps = 100
	}
	return t
}

// leastSteps is the minimum number of steps of a curve.
const leastSteps = 10

// errTried is the cause with which a test ends its run.
var errTried = errors.New("all learning rates are tried, or the loss has left all bounds")

// FindLearningRate trains a copy of the network like a run, with its data, engine and method, but with a learning rate
// that rises from step to step. It proposes a rate. Nothing is saved or scored. The test ends early if the loss
// diverges. With Averaging, workers are averaged after each step. With Sharing they run in lockstep, and the loss of a
// step is the mean of the minibatches that they train at the same time.
func FindLearningRate(ctx context.Context, c Config, t RangeTest) (*stats.Rates, error) {
	t = t.withDefaults()
	if !(t.From > 0 && t.To > t.From && t.Steps >= leastSteps) || math.IsInf(t.To, 0) {
		return nil, wrong("RangeTest", "%v to %v in %d steps: rates must rise from above 0, in %d steps or more", t.From,
			t.To, t.Steps, leastSteps)
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	switch m := c.method().(type) {
	case Sharing:
		m.Options.Lag, m.Options.InFlight, m.Options.Lead = 0, 0, 0
		m.Options.MinWorkers = m.among(c.Engine) // one that trains alone would make the steps of others, too
		c.Method = m
	case Averaging:
		of := paramavg.Default()
		of.RDDTrainingApproach = paramavg.Direct
		if m.Config != nil {
			of = *m.Config
		}
		of.AveragingFrequency, m.Options.AutoFrequency = 1, false
		c.Method = Averaging{Config: &of, Options: m.Options}
	}
	gamma := math.Pow(t.To/t.From, 1/float64(t.Steps-1))
	net, err := rising(c.network(), t.From, gamma)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	executor, err := c.NewExecutor()
	if err != nil {
		return nil, err
	}
	defer executor.Close()
	net.SetExecutor(executor)
	run := Config{Network: net, Data: c.Data, Normalizer: c.Normalizer, Augment: c.Augment, ClassWeights: c.ClassWeights,
		Engine: c.Engine, Method: c.Method, Batch: c.Batch, Seed: c.Seed, Kernels: c.Kernels, Log: c.Log}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	found := &tried{net: net, most: t.Steps, end: end}
	var steps *lockstep
	if _, sharing := c.Method.(Sharing); sharing { // it trains whole epochs: at most as many as have all steps
		steps = &lockstep{tried: found}
		run.Epochs, run.Listen = t.Steps, steps.listen
	} else {
		run.Iterations, run.Listen = t.Steps, found.listen
	}
	_, err = Fit(ctx, run)
	if err != nil && steps != nil {
		steps.last()
	}
	var diverged *nn.DivergedError
	switch {
	case errors.Is(context.Cause(ctx), errTried), errors.As(err, &diverged) && len(found.Loss) >= leastSteps:
		err = nil
	}
	return &found.Rates, err
}

// tried records the steps of a test. end ends it.
type tried struct {
	stats.Rates
	net  *nn.Network
	most int
	over bool
	end  context.CancelCauseFunc
}

// add adds the loss of a step, counted from 0.
func (t *tried) add(step int, loss float64) {
	if t.over {
		return
	}
	rate, _ := t.net.LearningRate(step, 0)
	if t.over = t.Add(rate, loss) || len(t.Loss) == t.most; t.over {
		t.end(errTried)
	}
}

// listen records the steps of plain training and averaging.
func (t *tried) listen(e Event) {
	if s, ok := e.(Step); ok {
		t.add(max(0, s.Iteration-1), s.Score)
	}
}

// lockstep combines the minibatches of workers that share gradients in lockstep into steps.
type lockstep struct {
	*tried
	begun    int // the network's iteration at the beginning of the epoch
	at       int // the current step
	loss     float64
	examples int
	parts    int // minibatches of the current step
	workers  int // minibatches of the step before it
}

// listen records the minibatches of all workers. A step is complete when a minibatch of the next step comes.
func (l *lockstep) listen(e Event) {
	switch e := e.(type) {
	case EpochBegan:
		l.begun = e.Iteration
	case Step:
		for _, m := range e.Iterations {
			if step := l.begun + m.Index; step > l.at {
				l.complete()
				l.at = step
			}
			l.loss += m.Score * float64(m.Examples)
			l.examples += m.Examples
			l.parts++
		}
	case EpochEnded:
		l.complete()
	}
}

// complete adds the step.
func (l *lockstep) complete() {
	if l.examples == 0 {
		return
	}
	l.add(l.at, l.loss/float64(l.examples))
	l.loss, l.examples, l.parts, l.workers = 0, 0, 0, l.parts
}

// last completes the step before the one at which a worker has diverged. Of the latter, the minibatches of some workers
// may have come, or none.
func (l *lockstep) last() {
	if l.parts >= l.workers {
		l.complete()
	}
}

// NewExecutor makes an executor for Network, by Kernels; a device is possible only for Plain. Set it with
// [nn.Network.SetExecutor] before the run, which keeps it. Close it after the network, or after setting another one.
func (c Config) NewExecutor() (serve.Executor, error) {
	log := c.Log
	if log == nil {
		log = slog.Default()
	}
	return distributed.NewExecutor(c.ownKernels(), c.threads(), log)
}

// ownKernels returns the kernels of the run's own network: a device only if no workers train.
func (c Config) ownKernels() string {
	if _, plain := c.method().(Plain); c.Kernels == "" || xla.IsDevice(c.Kernels) && !plain {
		return cpu.Kernels{}.String()
	}
	return c.Kernels
}

func (c Config) threads() int {
	if c.Engine == nil {
		return 0
	}
	return c.Engine.Threads()
}

// rising returns a copy of a network, before its first step, whose learning rates begin with from and grow by the
// factor gamma with each iteration.
func rising(net *nn.Network, from, gamma float64) (*nn.Network, error) {
	text, err := net.Configuration()
	if err != nil {
		return nil, err
	}
	var conf any
	if err := json.Unmarshal(text, &conf); err != nil {
		return nil, err
	}
	if !schedule(conf, map[string]any{"@class": "org.nd4j.linalg.schedule.ExponentialSchedule",
		"scheduleType": "ITERATION", "initialValue": from, "gamma": gamma}) {
		return nil, wrong("Network", "its updaters have no learning rate to find")
	}
	if text, err = json.Marshal(conf); err != nil {
		return nil, err
	}
	copied, err := nn.Replica(text)
	if err != nil {
		return nil, err
	}
	copied.SetIteration(0)
	copied.SetEpoch(0)
	return copied, copied.SetParams(net.Params())
}

// schedule gives each object with a learning rate the schedule, and reports whether there is one.
func schedule(conf any, s map[string]any) (some bool) {
	switch conf := conf.(type) {
	case map[string]any:
		if _, rated := conf["learningRate"]; rated {
			conf["learningRateSchedule"], some = s, true
		}
		for name, v := range conf {
			if name != "learningRateSchedule" {
				some = schedule(v, s) || some
			}
		}
	case []any:
		for _, v := range conf {
			some = schedule(v, s) || some
		}
	}
	return some
}
