package paramavg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
)

// Options are settings that a file cannot hold. The zero value has the defaults.
type Options struct {
	Splitter Splitter // nil means ByIndex
	// Kernels names the instruction set of the workers' kernels, as distributed.Options does.
	Kernels string
	// Rounds says how rounds run. By default it is Resident if the workers reach the coordinator, and otherwise Jobs.
	Rounds Way
	// AutoFrequency chooses the averaging frequency of each pass from the times of the previous one. The first pass has
	// Config's. It chooses the most frequent averaging that takes at most a quarter of the computing time. A round has at
	// most 20 minibatches, or 100 with an outer optimiser. Times differ from run to run, and so do results.
	AutoFrequency bool
	// Paced, if not nil, is called with each choice of AutoFrequency.
	Paced func(Pace)
	// Stay lets resident workers on a cluster stay for the next fit, and move the rows for it among themselves. That saves
	// the start of a job for each pass. Until then, or until Close, they occupy their slots, so other jobs of the engine
	// may wait for them. It has no effect with an outer optimiser, with SparkDefault, with a Splitter of your own, or with
	// more than 2 million examples: the next fit then starts other workers. Results are the same, to the bit.
	Stay bool
	// Network and Timing are settings of resident workers. The defaults suit the engine; that of Timing is
	// [distributed.DefaultTiming], with an hour for a Step.
	Network distributed.Residents
	Timing  distributed.Timing
	// Augment changes pictures at random, on the workers, before each minibatch.
	Augment data.Augmentation
	// Checkpoints, if not nil, receives the network between two rounds, with the state that Resume needs.
	Checkpoints distributed.Checkpoints
	// Time is the clock of the statistics' events, on the master and the workers: by default each machine's own.
	Time stats.TimeSource
	// Looks configure the workers' checks and measurements of their steps.
	Looks distributed.Looks
	Log   *slog.Logger // slog.Default()

	transport resident.TransportKind // for tests; otherwise the engine's
	slicing   slicing                // for tests; otherwise usualSlicing
	anywhere  bool                   // for tests: workers stay on every engine
}

// Way is how rounds run. The results are the same, to the bit.
type Way string

const (
	// Jobs: each round is a job of the engine.
	Jobs Way = "jobs"
	// Resident: the workers stay for a pass over the data, or longer with Options.Stay. They get each round from a
	// coordinator in this process. 2 to 32 workers with results of 1 MiB or more exchange them among themselves, in
	// slices. The network then gets a result once a second, at the end of a pass, and for a checkpoint.
	Resident Way = "resident"
)

// common returns the options that other masters have, too.
func (o Options) common() masters.Options {
	return masters.Options{Kernels: o.Kernels, Timing: o.Timing, Augment: o.Augment, Checkpoints: o.Checkpoints,
		Time: o.Time, Looks: o.Looks, Log: o.Log, Transport: o.transport}
}

// validate checks the options that only this master has.
func (o Options) validate() error {
	if o.Rounds == Jobs && (o.Network != distributed.Residents{} || o.transport != resident.TransportKind{}) {
		return way.Errorf("Network is of Resident rounds, and Rounds is Jobs")
	}
	return masters.OneOf(way, "rounds", o.Rounds, "", Jobs, Resident)
}

// runner returns the runner of the rounds: resident workers or jobs.
func (m *TrainingMaster) runner(ctx context.Context, c *course) (runner, error) {
	if m.opts.Rounds == Jobs {
		return c.jobs(ctx)
	}
	if r, err := m.staying.goOn(ctx, c); r != nil || err != nil {
		return r, err
	}
	err := m.base.Probe(ctx, c.from.Engine(), m.opts.Network)
	var unreachable *resident.UnreachableError
	switch {
	case err == nil:
		return c.residents(ctx)
	case m.opts.Rounds == "" && errors.As(err, &unreachable):
		if !m.told {
			m.told = true
			m.base.Log.Warn("parameter averaging: each round is a job of the cluster, which takes longer than rounds by " +
				"workers " +
				"that stay, but " + unreachable.Problem() + ". " + unreachable.Advice())
		}
		return c.jobs(ctx)
	}
	return nil, fmt.Errorf("parameter averaging by resident workers: %w", err)
}
