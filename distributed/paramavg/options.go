package paramavg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
)

// Options are settings that a file cannot hold. The zero value has the defaults.
type Options struct {
	Splitter Splitter // ByIndex
	// Kernels names the instruction set of the workers' kernels, as distributed.Options does.
	Kernels string
	// Rounds is how they are run: by default as Resident, where the workers reach the coordinator, or else as Jobs.
	Rounds Way
	// Network and Timing are settings of resident workers: by default, those that suit the engine, and
	// [distributed.DefaultTiming].
	Network distributed.Residents
	Timing  distributed.Timing
	// Augment changes pictures at random, on the workers, before each minibatch.
	Augment data.Augmentation
	// Checkpoints, if not nil, receives the network between two rounds, with the state that Resume needs.
	Checkpoints distributed.Checkpoints
	// Time is the clock of the statistics' events, on the master and the workers: by default each machine's own.
	Time stats.TimeSource
	Log  *slog.Logger // slog.Default()

	transport resident.TransportKind // tests' own; else what the engine's workers use
}

// Way is how rounds are run. The results are the same, to the bit.
type Way string

const (
	// Jobs: each round is a job of the engine.
	Jobs Way = "jobs"
	// Resident: the workers stay for a pass over the data, and get each round from a coordinator in this process.
	Resident Way = "resident"
)

// withDefaults fills in the defaults of zero fields.
func (o Options) withDefaults() (Options, error) {
	if o.Splitter == nil {
		o.Splitter = ByIndex{}
	}
	if o.Kernels == "" {
		o.Kernels = kernel.Best().String()
	}
	if o.Rounds == Jobs && (o.Network != distributed.Residents{} || o.transport != resident.TransportKind{}) {
		return o, errors.New("parameter averaging: Network is of Resident rounds, and Rounds is Jobs")
	}
	if err := oneOf("rounds", o.Rounds, "", Jobs, Resident); err != nil {
		return o, err
	}
	if o.Timing == (distributed.Timing{}) {
		o.Timing = distributed.DefaultTiming()
		o.Timing.Step = time.Hour
	}
	if err := o.Timing.Validate(); err != nil {
		return o, err
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, nil
}

// runner is the way in which rounds are run.
func (m *TrainingMaster) runner(ctx context.Context, c *course) (runner, error) {
	if m.opts.Rounds == Jobs {
		return c.jobs(ctx)
	}
	end := m.times.Begin(stats.MasterProbe)
	err := resident.Probe(ctx, c.from.Engine(), m.opts.Network, m.opts.transport, m.opts.Log)
	var unreachable *resident.UnreachableError
	switch {
	case err == nil:
		end(0)
		return c.residents(ctx)
	case m.opts.Rounds == "" && errors.As(err, &unreachable):
		if !m.told {
			m.told = true
			m.opts.Log.Warn("parameter averaging: each round is a job of the cluster, which takes longer than rounds by workers that stay, but " +
				unreachable.Problem() + ". " + unreachable.Advice())
		}
		end(0)
		return c.jobs(ctx)
	}
	return nil, fmt.Errorf("parameter averaging by workers that stay: %w", err)
}
