package main

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/metrics"
	"github.com/dl4go/dl4go/internal/mlflow"
	"github.com/dl4go/dl4go/internal/tensorboard"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// statsFlags say where training's statistics go, and which clock they use.
type statsFlags struct {
	file        string
	tensorboard string
	mlflow      string
	metrics     string
	time        stats.TimeSource
}

func (f *statsFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.file, "stats-file", "", "`FILE` write statistics: .html, .json or .csv")
	fs.StringVar(&f.tensorboard, "tensorboard", "", "`DIR` write event files for TensorBoard")
	fs.StringVar(&f.mlflow, "mlflow", "", "`EXPERIMENT` send the run to MLFLOW_TRACKING_URI")
	fs.StringVar(&f.metrics, "metrics-address", "", metricsHelp)
	fs.StringVar(&f.time.Server, "time-server", "", "`HOST[:PORT]` correct workers' clocks by this NTP server")
	fs.DurationVar(&f.time.Frequency, "time-frequency", 0, "`TIME` how often to ask it (default 30m)")
}

const metricsHelp = "`ADDR` serve metrics for Prometheus at HOST:PORT"

// serve serves the figures of a run for Prometheus. It returns the listener of the run's events, or nil.
func (f *statsFlags) serve(out *console.Output) (*metrics.Endpoint, train.Listener, error) {
	if f.metrics == "" {
		return nil, nil, nil
	}
	e, err := metrics.Show(out, f.metrics)
	if err != nil {
		return nil, nil, err
	}
	return e, metrics.NewTraining(e), nil
}

// trackers returns the trackers according to the flags, for a run with a model file.
func (f *statsFlags) trackers(save string) (all []train.Tracker, err error) {
	if f.tensorboard != "" {
		all = append(all, tensorboard.TrackerOf(f.tensorboard, save, f.file))
	}
	if f.mlflow == "" {
		return all, nil
	}
	t, err := mlflow.TrackerOf(f.mlflow, save, f.file, os.Getenv)
	if err != nil {
		return nil, usagef("--mlflow: %w", err)
	}
	return append(all, t), nil
}

// used reports whether a flag other than --stats requires statistics.
func (f *statsFlags) used() bool { return f.file != "" || f.time.Server != "" }

func (f *statsFlags) check(c *paramavg.Config, given func(string) bool) error {
	if given("stats") && !c.CollectTrainingStats && f.used() {
		return usagef("--stats=false contradicts --stats-file and --time-server")
	}
	c.CollectTrainingStats = c.CollectTrainingStats || f.used()
	if f.time.Server == "" {
		if err := usage.GoesWith(given, "--time-server", "time-frequency"); err != nil {
			return err
		}
	}
	if given("time-frequency") && f.time.Frequency < stats.LeastFrequency {
		return usagef("--time-frequency %v: it must be at least %v", f.time.Frequency, stats.LeastFrequency)
	}
	if err := f.time.Validate(); err != nil {
		return usagef("--time-server: %w", err)
	}
	if given("stats-file") {
		if err := stats.CheckEnding(f.file); err != nil {
			return usagef("--stats-file: %w", err)
		}
	}
	return nil
}
