// Package metrics reports figures of training and of coordinators to Prometheus.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/train"
)

// Training has the figures of a run. It is a [train.Listener].
type Training struct {
	examples, steps, checkpoints prometheus.Counter
	stepSeconds, epochSeconds    prometheus.Histogram
	loss, rate, epoch, iteration prometheus.Gauge
	heldOut                      *prometheus.GaugeVec
	sharing                      *sharingFigures // nil before the first update

	to   prometheus.Registerer
	last time.Time // when the last step ended
}

// sharingFigures are the figures of gradient sharing.
type sharingFigures struct{ workers, lag, sparsity, threshold prometheus.Gauge }

// NewTraining registers the figures of a run.
func NewTraining(r prometheus.Registerer) *Training {
	counter := func(name, help string) prometheus.Counter {
		return register(r, prometheus.NewCounter(prometheus.CounterOpts{Name: "dl4go_training_" + name, Help: help}))
	}
	gauge := func(name, help string) prometheus.Gauge { return gaugeOf(r, name, help) }
	histogram := func(name, help string, least float64) prometheus.Histogram {
		return register(r, prometheus.NewHistogram(prometheus.HistogramOpts{Name: "dl4go_training_" + name, Help: help,
			Buckets: prometheus.ExponentialBuckets(least, 2, 18)}))
	}
	return &Training{
		examples:    counter("examples_total", "Examples trained, each as often as it was."),
		steps:       counter("steps_total", "Minibatches, rounds of averaging, or groups of shared updates."),
		checkpoints: counter("checkpoints_total", "Checkpoints kept."),
		stepSeconds: histogram("step_duration_seconds", "Time from one step to the next.", 1e-4),
		epochSeconds: histogram("epoch_duration_seconds", "Time of an epoch, without scoring held-out data.",
			0.1),
		loss:      gauge("loss", "Training loss of the last step."),
		rate:      gauge("learning_rate", "Learning rate of the last epoch."),
		epoch:     gauge("epoch", "Epochs that are complete."),
		iteration: gauge("iteration", "Iterations of the network."),
		to:        r,
		heldOut: register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "dl4go_training_held_out",
			Help: "Score of the held-out data after the last epoch."}, []string{"metric"})),
	}
}

// register registers a figure. The registry must not have its name yet.
func register[C prometheus.Collector](r prometheus.Registerer, c C) C {
	r.MustRegister(c)
	return c
}

func gaugeOf(r prometheus.Registerer, name, help string) prometheus.Gauge {
	return register(r, prometheus.NewGauge(prometheus.GaugeOpts{Name: "dl4go_training_" + name, Help: help}))
}

// shared updates the figures of gradient sharing.
func (t *Training) shared(p sharing.Progress) {
	if t.sharing == nil {
		t.sharing = &sharingFigures{
			workers:   gaugeOf(t.to, "workers", "Workers of gradient sharing that are there."),
			lag:       gaugeOf(t.to, "lag_updates", "Updates that the slowest replica of gradient sharing lacks."),
			sparsity:  gaugeOf(t.to, "update_sparsity_ratio", "Share of the parameters that an update sends."),
			threshold: gaugeOf(t.to, "threshold", "Threshold of gradient sharing."),
		}
	}
	t.sharing.workers.Set(float64(p.Workers))
	t.sharing.lag.Set(float64(p.Lag))
	t.sharing.sparsity.Set(p.Sparsity)
	t.sharing.threshold.Set(p.Threshold)
}

// Hear updates the figures from an event.
func (t *Training) Hear(e train.Event) {
	switch e := e.(type) {
	case train.EpochBegan:
		t.last = time.Now()
	case train.Step:
		now := time.Now()
		t.stepSeconds.Observe(now.Sub(t.last).Seconds())
		t.last = now
		t.steps.Inc()
		t.examples.Add(float64(e.Examples))
		t.loss.Set(e.Score)
		t.iteration.Set(float64(e.Iteration))
		if e.Sharing != nil {
			t.shared(*e.Sharing)
		}
	case train.EpochEnded:
		t.ended(e)
	case train.CheckpointKept:
		t.checkpoints.Inc()
	}
}

func (t *Training) ended(e train.EpochEnded) {
	t.epoch.Set(float64(e.Epoch + 1))
	t.epochSeconds.Observe(e.Duration.Seconds())
	if e.LearningRate != nil {
		t.rate.Set(*e.LearningRate)
	}
	for name, value := range map[string]*float64{"loss": e.HeldOut, "accuracy": e.Accuracy, "r2": e.R2, "mae": e.MAE} {
		if value != nil {
			t.heldOut.WithLabelValues(name).Set(*value)
		}
	}
	for _, m := range e.Measures {
		t.heldOut.WithLabelValues(m.Name).Set(m.Value)
	}
}
