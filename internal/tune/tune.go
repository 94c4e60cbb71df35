// Package tune searches the settings of a network: it trains trials beside each other on the workers of an engine,
// each plainly by one task, and finds the one that scores best on held-out data.
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
	Halving = "halving" // trials train in rungs, and the better ones of a rung go on (Jamieson and Talwalkar 2016)
)

// Defaults of Config.
const (
	DefaultTrials      = 30
	DefaultKeep        = 3
	DefaultEpochs      = 9  // of 10,000 examples and more
	DefaultEpochsSmall = 27 // of fewer
)

// Config is a search.
type Config struct {
	Space  Space
	Search string // Random or Halving
	Trials int
	Epochs int // of a trial, at most
	Keep   int // Halving: one trial in Keep goes on
	Metric string
	Seed   int64 // of the draw, and of each trial's training

	Data, HeldOut source.Source
	// Network makes the network of a wish, with all that its model file keeps.
	Network func(modelfile.Wish) (*nn.Network, error)
	// Normalizer is that in the networks' files.
	Normalizer []byte
	Kernels    string
	Engine     engine.Engine

	// Dir keeps the trials.
	Dir *Directory
	// Listen is called with each trial that has finished a rung or the search. One goroutine at a time calls it.
	Listen func(Event)
}

// Event tells that a trial has trained its epochs of a rung.
type Event struct {
	*Trial
	Rung, Rungs int
	Best        bool // of all trials so far
	Trained     int  // epochs now, and not in an earlier part of the search
}

// Result is what a search came to.
type Result struct {
	Best   *Trial
	Trials []*Trial
	// Network is the best trial's, at its best epoch.
	Network  *nn.Network
	Diverged int
	Duration time.Duration
}

// ErrAllDiverged means that no trial can be used.
var ErrAllDiverged = errors.New("all trials diverged")

// Run searches. When the context ends, the trials that are complete are in the directory.
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

// clean removes the states of trials that were not the best. That one stays, so that the search can be asked again.
func (s *search) clean(ctx context.Context) error {
	for _, t := range s.trials {
		if err := s.Dir.remove(ctx, stateFile(t)); err != nil {
			return err
		}
	}
	return nil
}

// Check finds a default setting of the space that the network has no use for and takes it out. What a user has
// asked for stays, and is an error.
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

// Plan returns the rungs of the search: the epochs that each trains to, and its trials.
func (c Config) Plan() []Rung {
	plan := []Rung{{c.Epochs, c.Trials}}
	if c.Search == Random {
		return plan
	}
	epochs, trials := c.Epochs, c.Trials
	var rungs []Rung // from the top
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

// Rung is a part of a search.
type Rung struct{ Epochs, Trials int }

// Passes is how many passes over the data a search takes.
func Passes(plan []Rung) (n int) {
	before := 0
	for _, r := range plan {
		n += (r.Epochs - before) * r.Trials
		before = r.Epochs
	}
	return n
}

// Describe says how the search goes.
func (c Config) Describe() string {
	plan := c.Plan()
	text := fmt.Sprintf("%d trials of %d epochs", plan[0].Trials, plan[0].Epochs)
	for _, r := range plan[1:] {
		text += fmt.Sprintf("; the best %d go on to %d", r.Trials, r.Epochs)
	}
	return text
}
