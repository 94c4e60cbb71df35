package train

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// Tracker forwards the figures of a run, for example to TensorBoard.
type Tracker interface {
	// Track is called before training, after each epoch and at the end, also of a run that fails. The goroutine that
	// trains calls it, and waits for it. After an error the run continues.
	Track(ctx context.Context, p Progress) error
}

// Progress is the state of a run for a [Tracker]. Trackers must not change it.
type Progress struct {
	// Run has the settings, and all series so far.
	Run stats.Run
	// Network is the network that is trained.
	Network *nn.Network
	// From is the iteration from which the run was resumed; 0 for a new one.
	From int
	// EpochEnded reports that an epoch has ended since the last call.
	EpochEnded bool
	// Ended reports that the run is complete.
	Ended bool
	// Failed is why the run ended early; Interrupted reports that its context ended it. Then this is the last call, as
	// with Ended.
	Failed      error
	Interrupted bool
	// Model is the file with the network, in the last call; empty if there is none.
	Model string
	// Example reads the features and labels of an example, before Config.Normalizer. It fails if only workers can read
	// them.
	Example func() (*data.MultiDataSet, error)
}

// Over reports that this is the last call.
func (p *Progress) Over() bool { return p.Ended || p.Failed != nil }

// track calls the trackers, and warns of each one that fails for the first time, or at the end.
func (l *learning) track(ctx context.Context, p Progress) {
	if len(l.of.conf.Trackers) == 0 {
		return
	}
	p.Run, p.Network, p.From = l.account(nil), l.of.conf.network(), l.from
	p.Example = func() (*data.MultiDataSet, error) { return l.of.conf.Data.Object(0) }
	for _, t := range l.of.conf.Trackers {
		err := t.Track(ctx, p)
		if err == nil || l.untracked[t] && !p.Over() {
			continue
		}
		if p.Over() {
			l.of.conf.Log.Warn("the run is not tracked to its end", "error", err)
		} else {
			l.of.conf.Log.Warn("the run could not be tracked; training goes on", "error", err)
		}
		if l.untracked == nil {
			l.untracked = map[Tracker]bool{}
		}
		l.untracked[t] = true
	}
}

// broken tells the trackers that the run ended early.
func (r *Run) broken(err error) {
	p := Progress{Failed: err, Model: r.model.holding()}
	var u *UnfinishedError
	p.Interrupted = errors.As(err, &u) && u.Interrupted
	r.learning.track(r.saving, p)
}

// holding returns the model file if the run has written it; empty otherwise.
func (f *modelFile) holding() string {
	if f.holds == "" {
		return ""
	}
	return f.path
}

// measures reports whether figures of the inside of the network are wanted.
func (c Config) measures() bool { return c.StatsFile != "" || len(c.Trackers) > 0 || c.Measure }
