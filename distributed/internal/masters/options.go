package masters

import (
	"log/slog"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
)

// Options are the options that all masters have, besides the settings in files.
type Options struct {
	Kernels     string // of the workers; empty: the driver's best
	Timing      distributed.Timing
	Augment     data.Augmentation
	Checkpoints distributed.Checkpoints // nil: no checkpoints
	Time        stats.TimeSource
	Looks       distributed.Looks
	Log         *slog.Logger
	Transport   resident.TransportKind // the zero value: the engine's
}

// withDefaults fills in the defaults of zero fields. step is the default of Timing.Step.
func (o Options) withDefaults(step time.Duration) (Options, error) {
	if o.Kernels == "" {
		o.Kernels = kernel.Best().String()
	}
	if o.Timing == (distributed.Timing{}) {
		o.Timing = distributed.DefaultTiming()
		o.Timing.Step = step
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, o.Timing.Validate()
}
