package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/stats"
)

// learning records the figures of a run as series, which trackers get.
type learning struct {
	of        *course
	series    *stats.Recorder // of all parts of the run
	from      int             // the iteration from which the run was resumed; 0 for a new one
	untracked map[Tracker]bool
	about     map[string]string // settings for comparing runs
	meter     *stats.Meter      // of this process; nil if it is not measured
	timed     int               // number of the collector's events whose workers' speed is recorded

	failure atomic.Pointer[string] // why the run failed; nil if it did not
}

// usageEvery is the minimum time between two readings of this process's usage.
const usageEvery = time.Second

// step records the figures of a step. at is the network's iteration.
func (l *learning) step(s step, at int) {
	net := l.of.conf.network()
	l.series.Add("loss", at, s.score)
	if rate, ok := net.LearningRate(max(0, at-1), net.Epoch()); ok {
		l.series.Add("learningRate", at, rate)
	}
	if p := s.sharing; p != nil {
		l.series.Add("threshold", at, p.Threshold)
		l.series.Add("sparsity", at, p.Sparsity)
		l.series.Add("bytesSent", at, float64(p.Sent))
		l.series.Add("sharing/bytesReceived", at, float64(p.Received))
		l.series.Add("sharing/lag", at, float64(p.Lag))
	}
	l.measured()
	if s.workers > 0 {
		l.series.Add("workers/training", at, float64(s.workers))
	}
	l.usage(at, usageEvery)
}

// epoch records the figures of an epoch, and those that workers have measured in it.
func (l *learning) epoch(e EpochEnded) {
	l.series.Add("epochLoss", e.Iteration, e.Score)
	told := map[string]bool{}
	add := func(name string, value float64) {
		if !told[name] {
			told[name] = true
			l.series.Add(name, e.Iteration, value)
		}
	}
	for _, f := range []struct {
		name  string
		value *float64
	}{{"heldOutLoss", e.HeldOut}, {"accuracy", e.Accuracy}, {"r2", e.R2}, {"mae", e.MAE}} {
		if f.value != nil {
			add(f.name, *f.value)
		}
	}
	if w := e.Weighted; w != nil && !w.Numbers {
		add("weightedAccuracy", w.Accuracy())
	}
	for _, m := range e.Measures {
		add(m.Name, m.Value)
	}
	if c := e.Commonest; c != nil {
		add("commonest/label", c.Label)
		add("commonest/predicted", c.Predicted)
	}
	if m := e.Metric; m != nil && m.Name == "loss" {
		add("heldOutLoss", m.Score) // "loss" is that of steps
	} else if m != nil {
		add(m.Name, m.Score)
	}
	if seconds := e.Duration.Seconds(); seconds > 0 {
		l.series.Add("examplesPerSecond", e.Iteration, float64(e.Trained)/seconds)
	}
	l.measured()
	l.workers(e.Iteration)
	l.usage(e.Iteration, 0)
}

// measured adds the measurements of workers.
func (l *learning) measured() {
	c := l.of.collector()
	l.series.AddMeasurements(c.Measurements())
	l.series.AddHistograms(c.Histograms())
}

// usage records this process's usage, unless the last reading is more recent than least.
func (l *learning) usage(at int, least time.Duration) {
	if l.meter == nil || l.meter.Since() < least {
		return
	}
	u := l.meter.Read()
	l.series.Add("cpu/driver", at, u.CPU)
	l.series.Add("gc/driver", at, u.GC)
	l.series.Add("memory/driver", at, u.Memory)
}

// workers records each worker's speed since the last call, and how much longer it took than the fastest one.
func (l *learning) workers(at int) {
	var names []string
	examples, took, fits := map[string]int{}, map[string]time.Duration{}, map[string]time.Duration{}
	for _, e := range l.of.collector().EventsFrom(l.timed) {
		l.timed++
		switch e.Phase {
		case stats.WorkerTotal:
			if took[e.Worker] == 0 {
				names = append(names, e.Worker)
			}
			took[e.Worker] += e.Duration
		case stats.WorkerFit:
			examples[e.Worker] += e.Examples
			fits[e.Worker] += e.Duration
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	least := slices.Min(slices.Collect(maps.Values(took)))
	for _, name := range names {
		if seconds := fits[name].Seconds(); seconds > 0 {
			l.series.Add("speed/"+name, at, float64(examples[name])/seconds)
		}
		l.series.Add("slower/"+name, at, (took[name] - least).Seconds())
	}
}

// mostListed is the number of parameters that a setting lists.
const mostListed = 20

// settings returns the settings for comparing runs.
func (l *learning) settings(ctx context.Context) map[string]string {
	c, net := l.of.conf, l.of.conf.network()
	all := map[string]string{
		"data": c.Data.Info().Name, "examples": strconv.Itoa(c.Data.Info().Examples), "training": c.Method.Name(),
		"batch": strconv.Itoa(c.Batch), "epochs": strconv.Itoa(c.Epochs), "seed": strconv.FormatInt(c.Seed, 10),
		"parameters": progress.Count(int64(net.NumParams())), "kernels": c.Kernels, "engine": l.of.engine.Master(),
	}
	if n := l.of.workers; n > 0 {
		all["workers"] = strconv.Itoa(n)
	}
	if a, ok := c.Method.(Averaging); ok && a.Config != nil {
		all["averaging frequency"] = strconv.Itoa(a.Config.AveragingFrequency)
		if a.Options.AutoFrequency {
			all["averaging frequency"] = "auto"
		}
	}
	if rate, ok := net.LearningRate(0, 0); ok {
		all["learning rate"] = strconv.FormatFloat(rate, 'g', -1, 64)
	}
	listed := func(name string, is func(nn.ParamInfo) bool) {
		var keys []string
		for _, p := range net.ParamTable() {
			if is(p) {
				keys = append(keys, p.Key)
			}
		}
		if n := len(keys); n > mostListed {
			keys = append(keys[:mostListed], fmt.Sprintf("and %d more", n-mostListed))
		}
		if keys != nil {
			all[name] = strings.Join(keys, ", ")
		}
	}
	listed("frozen parameters", func(p nn.ParamInfo) bool { return p.Frozen })
	listed("batch statistics", func(p nn.ParamInfo) bool { return p.Kind == layer.Statistic })
	if c.measures() {
		l.examine(ctx, all)
		if text, err := net.Configuration(); err == nil {
			describeNetwork(text, all)
		}
	}
	if n, ok := c.Normalizer.(interface{ Type() string }); ok {
		all["normalizer"] = n.Type()
	}
	if text := c.Augment.String(); text != "" {
		all["augmentation"] = text
	}
	if w := c.ClassWeights; w.given() {
		all["class weights"] = fmt.Sprint(w.Weights)
		if w.Balanced {
			all["class weights"] = "balanced"
		}
	}
	return all
}

// account returns the run so far, with these events.
func (l *learning) account(events []stats.Event) stats.Run {
	return stats.Run{Title: l.title(), Began: l.of.began, Settings: l.about, Failure: l.failed(),
		Series: l.series.Series(), Histograms: l.series.Histograms(), Events: events}
}

// longestFailure limits the text of a failure, in bytes.
const longestFailure = 2000

// fail keeps the reason why the run failed. An interrupted run has not failed.
func (l *learning) fail(err error) {
	var u *UnfinishedError
	if errors.As(err, &u) && u.Interrupted {
		return
	}
	if errors.As(err, &u) {
		err = u.Err
	}
	text := strings.ToValidUTF8(err.Error(), "")
	if len(text) > longestFailure {
		text = strings.ToValidUTF8(text[:longestFailure], "") + "…"
	}
	l.failure.Store(&text)
}

// failed returns why the run failed; empty if it did not.
func (l *learning) failed() string {
	if why := l.failure.Load(); why != nil {
		return *why
	}
	return ""
}

func (l *learning) title() string { return "Training of " + filepath.Base(l.of.conf.Save) }
