package train

import (
	"errors"
	"fmt"
	"sync"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// steer holds the requests of other goroutines to a training run.
type steer struct {
	mu sync.Mutex
	by float64 // a factor for the learning rate; 0: no request
}

// Remote watches and steers a run from other goroutines, between New and Close.
type Remote struct{ run *Run }

// Remote returns a handle of the run for other goroutines.
func (r *Run) Remote() *Remote { return &Remote{r} }

// Now returns the run so far, with the latest statistics of its workers. Long series are thinned out. Training does
// not wait for it.
func (m *Remote) Now() stats.Run {
	const most = 1_000_000 // values of 24 bytes
	r := m.run
	l := &r.learning
	now := stats.Run{Title: l.title(), Began: l.of.began, Settings: l.about, Failure: l.failed(),
		Series: l.series.Thinned(most), Histograms: l.series.Histograms()}
	if c := r.collector(); c != nil {
		now.Events = append(r.before[:len(r.before):len(r.before)], c.Events()...)
	}
	return now
}

// End ends the run after the current step, as at the end of Config.MaxTime: the model is saved. End does not wait for
// that.
func (m *Remote) End() { m.run.time.asked.Store(true) }

// LowerLearningRate multiplies all learning rates, including those of schedules, by a factor between 0 and 1. With
// Plain it takes effect after the current step. With other methods it takes effect when the next epoch begins, because
// the workers have the network until then. when describes that moment, for people. The model file and checkpoints have
// the new rates.
func (m *Remote) LowerLearningRate(by float64) (when string, err error) {
	r := m.run
	_, plain := r.conf.Method.(Plain)
	switch {
	case !(by > 0 && by < 1):
		return "", fmt.Errorf("%v is not a factor between 0 and 1", by)
	case r.learning.about["learning rate"] == "":
		return "", errors.New("the network's updater has no learning rate")
	case !plain && r.conf.Iterations > 0:
		return "", errors.New("workers train by Iterations, and take a new rate only when an epoch begins; train by Epochs")
	}
	r.steer.mu.Lock()
	defer r.steer.mu.Unlock()
	if r.steer.by == 0 {
		r.steer.by = 1
	}
	r.steer.by *= by
	if plain {
		return "after the step under way", nil
	}
	return "when the next epoch begins", nil
}

// lower lowers the learning rate if that was requested.
func (s *steer) lower(r *Run) {
	s.mu.Lock()
	by := s.by
	s.by = 0
	s.mu.Unlock()
	if by == 0 {
		return
	}
	net := r.conf.network()
	err := nn.ScaleLearningRate(net, by)
	if _, plain := r.conf.Method.(Plain); !plain && err == nil {
		err = r.trainer.close() // the next fit sends the workers the changed network
	}
	if err != nil {
		r.conf.Log.Warn("the learning rate was not lowered", "error", err)
		return
	}
	if r.keeper != nil {
		r.keeper.wait()
		r.keeper.twin = net.Copy()
	}
	lowered := RateLowered{By: by, Iteration: net.Iteration()}
	lowered.Rate, _ = net.LearningRate(net.Iteration(), net.Epoch())
	r.conf.Listen(lowered)
}
