// Package tune searches the settings of a network. It trains trials in parallel on the workers of an engine, each by
// plain training in one task, and finds the one that scores best on held-out data.
package tune

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/nn"
)

// The ways to search.
const (
	Random  = "random"  // each trial trains all epochs
	Halving = "halving" // trials train in rungs, and the better ones continue (Jamieson and Talwalkar 2016)
)

// Defaults of Config.
const (
	DefaultTrials      = 30
	DefaultKeep        = 3
	DefaultEpochs      = 9  // for 10,000 examples and more
	DefaultEpochsSmall = 27 // for fewer
)

// Config describes a search.
type Config struct {
	Space  Space
	Search string // Random or Halving
	Trials int
	Epochs int // maximum for a trial
	Keep   int // Halving: one trial in Keep continues
	Metric string
	Seed   int64 // of the draw, and of each trial's training

	Data, HeldOut source.Source
	// Network makes the network for a wish, including everything that its model file keeps.
	Network func(modelfile.Wish) (*nn.Network, error)
	// Normalizer is the normalizer in the networks' files.
	Normalizer []byte
	Kernels    string
	Engine     engine.Engine

	// Dir keeps the trials.
	Dir *Directory
	// Listen is called for each trial that has finished a rung or the search. Calls don't overlap.
	Listen func(Event)
}

// Event reports that a trial has finished the epochs of a rung.
type Event struct {
	*Trial
	Rung, Rungs int
	Best        bool // of all trials so far
	Trained     int  // epochs trained now, not in an earlier part of the search
}

// Result is the result of a search.
type Result struct {
	Best   *Trial
	Trials []*Trial
	// Network is the network of the best trial, after its best epoch.
	Network  *nn.Network
	Diverged int
	Duration time.Duration
}

// ErrAllDiverged means that no trial is usable.
var ErrAllDiverged = errors.New("all trials diverged")

// Run searches. When the context ends, the directory has the complete trials.
func Run(ctx context.Context, c Config) (*Result, error) {
	begin := time.Now()
	s := &search{Config: c, plan: c.Plan()}
	if err := s.draw(); err != nil {
		return nil, err
	}
	if err := s.restore(ctx); err != nil {
		return nil, err
	}
	if err := s.send(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	members := s.trials
	for r := range s.plan {
		if err := s.rung(ctx, r, members); err != nil {
			return nil, err
		}
		if r+1 < len(s.plan) {
			members = s.promote(r, members)
		}
	}
	net, err := s.bestNetwork(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{Best: s.best(), Trials: s.trials, Network: net, Duration: time.Since(begin)}
	for _, t := range s.trials {
		if t.Diverged != "" {
			result.Diverged++
		}
	}
	return result, s.clean(ctx)
}

// clean removes the states of all trials except the best one, which is kept so that the search can be repeated.
func (s *search) clean(ctx context.Context) error {
	for _, t := range s.trials {
		if err := s.Dir.remove(ctx, stateFile(t)); err != nil {
			return err
		}
	}
	return nil
}

// Check removes default settings from the space that have no effect on the network. Settings that the user asked for
// are kept; if they have no effect, they are an error.
func (c *Config) Check() error {
	for {
		wish, err := c.Space.sample().Wish()
		if err != nil {
			return err
		}
		net, err := c.Network(wish)
		if err == nil {
			net.Close()
			break
		}
		wrong := (*nn.ShapeError)(nil)
		if !errors.As(err, &wrong) || !c.Space.remove(wrong.Setting) {
			return err
		}
	}
	if n := c.Space.Size(); n == 1 {
		return &SpaceError{Err: errors.New("there is nothing to search: each setting has one value; give ranges or lists, " +
			"or use dl4go train")}
	} else if n > 0 && n < c.Trials {
		c.Trials = n
	}
	return nil
}

// Plan returns the rungs of the search: the epochs up to which each trains, and its number of trials.
func (c Config) Plan() []Rung {
	plan := []Rung{{c.Epochs, c.Trials}}
	if c.Search == Random {
		return plan
	}
	epochs, trials := c.Epochs, c.Trials
	var rungs []Rung // from the last to the first
	for epochs >= c.Keep && trials >= c.Keep {
		rungs = append(rungs, Rung{Epochs: epochs})
		epochs, trials = epochs/c.Keep, trials/c.Keep
	}
	rungs = append(rungs, Rung{Epochs: epochs})
	plan = plan[:0]
	trials = c.Trials
	for i := len(rungs) - 1; i >= 0; i-- {
		plan = append(plan, Rung{rungs[i].Epochs, trials})
		trials = max(1, trials/c.Keep)
	}
	return plan
}

// Rung is a stage of a search.
type Rung struct{ Epochs, Trials int }

// Passes returns the number of passes over the data in a search.
func Passes(plan []Rung) (n int) {
	before := 0
	for _, r := range plan {
		n += (r.Epochs - before) * r.Trials
		before = r.Epochs
	}
	return n
}

// Describe describes the search.
func (c Config) Describe() string {
	plan := c.Plan()
	text := fmt.Sprintf("%d trials of %d epochs", plan[0].Trials, plan[0].Epochs)
	for _, r := range plan[1:] {
		text += fmt.Sprintf("; the best %d go on to %d", r.Trials, r.Epochs)
	}
	return text
}
