package train

import (
	"context"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// Tracker passes the figures of a run on, such as to TensorBoard.
type Tracker interface {
	// Track is called before training, after each epoch and at the end, by the goroutine that trains, which waits for it.
	// After an error the run trains on.
	Track(ctx context.Context, p Progress) error
}

// Progress is a run as a [Tracker] sees it. Trackers don't change it.
type Progress struct {
	// Run has the settings, and all series so far.
	Run stats.Run
	// Network is the one that is trained.
	Network *nn.Network
	// From is the iteration from which the run was resumed; 0 for a new one.
	From int
	// EpochEnded: an epoch has ended since the last call.
	EpochEnded bool
	// Ended: the run has reached its end.
	Ended bool
}

// track tells the trackers, and warns of each one that fails for the first time.
func (l *learning) track(ctx context.Context, epochEnded, ended bool) {
	if len(l.of.conf.Trackers) == 0 {
		return
	}
	p := Progress{Run: l.account(nil), Network: l.of.conf.network(), From: l.from,
		EpochEnded: epochEnded, Ended: ended}
	for _, t := range l.of.conf.Trackers {
		if err := t.Track(ctx, p); err != nil && !l.untracked[t] {
			l.of.conf.Log.Warn("the run could not be tracked; training goes on", "error", err)
			if l.untracked == nil {
				l.untracked = map[Tracker]bool{}
			}
			l.untracked[t] = true
		}
	}
}

// measures: figures of the network's inside are wanted.
func (c Config) measures() bool { return c.StatsFile != "" || len(c.Trackers) > 0 || c.Measure }
