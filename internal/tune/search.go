package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// Deadline is the time limit of a trial: a month, because a long trial does not indicate a problem.
const Deadline = 30 * 24 * time.Hour

// search is a running search.
type search struct {
	Config
	plan       []Rung
	trials     []*Trial
	conf       trialConfig
	broadcasts []engine.Broadcast

	mu sync.Mutex // held to change trials, and to write the directory
}

// draw draws the trials, each with different settings.
func (s *search) draw() error {
	seen := map[string]bool{}
	for n := 1; n <= s.Trials; n++ {
		for again := range 100 {
			drawn := s.Space.Draw(s.Seed, n, again)
			if text := drawn.String(); !seen[text] {
				seen[text] = true
				s.trials = append(s.trials, &Trial{Number: n, Settings: drawn})
				break
			}
		}
	}
	s.plan[0].Trials = len(s.trials)
	return nil
}

// restore restores the trials of an earlier part of the search.
func (s *search) restore(ctx context.Context) error {
	for _, old := range s.Dir.trials {
		i := slices.IndexFunc(s.trials, func(t *Trial) bool { return t.Number == old.Number })
		if i < 0 || s.trials[i].Settings.String() != old.Settings.String() {
			return fmt.Errorf("%s: trial %d has the settings %s, which this search does not draw: it is of another version",
				s.Dir.file(trialsFile), old.Number, old.Settings)
		}
		*s.trials[i] = *old
	}
	// The best network is needed at the end. If its state is lost, the trial starts again.
	for {
		b := s.best()
		if b == nil {
			return nil
		}
		if _, err := s.Dir.bestState(ctx, b, s.Metric); err == nil {
			return nil
		}
		*b = Trial{Number: b.Number, Settings: b.Settings}
	}
}

// send sends data and normalizer to the workers.
func (s *search) send(ctx context.Context) error {
	s.conf = trialConfig{Normalizer: s.Normalizer, Kernels: s.Kernels}
	train, err := ship(ctx, s.Data)
	if err != nil {
		return err
	}
	heldOut, err := ship(ctx, s.HeldOut)
	if err != nil {
		return err
	}
	if s.conf.Data, err = s.broadcast(ctx, train); err != nil {
		return err
	}
	s.conf.HeldOut, err = s.broadcast(ctx, heldOut)
	return err
}

func (s *search) broadcast(ctx context.Context, b []byte) (engine.BroadcastID, error) {
	there, err := s.Engine.Broadcast(ctx, b)
	if err != nil {
		s.release()
		return "", err
	}
	s.broadcasts = append(s.broadcasts, there)
	return there.ID(), nil
}

func (s *search) release() {
	for _, b := range s.broadcasts {
		b.Release()
	}
	s.broadcasts = nil
}

// rung trains trials up to the epochs of a rung, as many at a time as the engine has slots. Each is a job of its own,
// so that it counts as soon as it is done.
func (s *search) rung(ctx context.Context, r int, members []*Trial) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan *Trial)
	var all sync.WaitGroup
	for range min(s.Engine.Slots(), len(members)) {
		all.Go(func() {
			for t := range next {
				if err := s.trial(ctx, r, t); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, t := range members {
		if t.Diverged != "" || len(t.Epochs) >= s.plan[r].Epochs {
			continue
		}
		select {
		case next <- t:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}

// trial trains one trial on a worker, and records its result.
func (s *search) trial(ctx context.Context, r int, t *Trial) error {
	task := head{Batch: t.Settings.Batch(), Epochs: s.plan[r].Epochs, Seed: s.Seed, Metric: s.Metric}
	net, err := s.network(t)
	if err != nil {
		return err
	}
	task.Configuration, err = net.Configuration()
	net.Close()
	if err != nil {
		return err
	}
	var states [][]byte
	if state := s.Dir.state(ctx, t); len(t.Epochs) > 0 && state != nil {
		states = append(states, state)
		if best := t.Best(s.Metric, len(t.Epochs)); best >= 0 {
			task.Before = &t.Epochs[best]
		}
	}
	message, err := task.pack(states...)
	if err != nil {
		return err
	}
	rows := [][]engine.Row{{engine.Unindexed(message)}}
	got, err := engine.Parallelize(s.Engine, rows).Map(trainTrial.With(s.conf)).CollectAll(ctx)
	if err != nil {
		return fmt.Errorf("trial %d (%s): %w", t.Number, t.Settings, err)
	}
	if len(got) != 1 {
		return fmt.Errorf("trial %d: %w", t.Number, errMessage)
	}
	done, after, err := unpack(got[0].Bytes)
	if err != nil || done.Diverged == "" && len(after) != 2 {
		return fmt.Errorf("trial %d: %w", t.Number, cmp.Or(err, errMessage))
	}
	return s.count(ctx, r, t, len(states) > 0, done, after)
}

// count records a trial's result: first the networks, and then the line that makes it count.
func (s *search) count(ctx context.Context, r int, t *Trial, went bool, done head, states [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := *t
	if !went {
		after.Epochs, after.Seconds = nil, 0
	}
	after.Epochs = append(slices.Clip(after.Epochs), done.Trained...)
	after.Diverged, after.Seconds = done.Diverged, after.Seconds+done.Seconds
	before := s.best()
	leads := after.usable(len(after.Epochs), s.Metric) &&
		(before == nil || before == t || after.compare(before, s.Metric, s.Epochs) < 0)
	if done.Diverged == "" {
		if r+1 < len(s.plan) {
			if err := s.Dir.put(ctx, stateFile(&after), states[0]); err != nil {
				return err
			}
		}
		if leads && len(states[1]) > 0 {
			if err := s.Dir.put(ctx, s.Dir.bestFile(&after, s.Metric), states[1]); err != nil {
				return err
			}
		}
	}
	was, old := stateFile(t), before
	gone := []string{was}
	if leads && old != nil {
		gone = append(gone, s.Dir.bestFile(old, s.Metric))
	}
	*t = after
	if err := s.Dir.write(ctx, s.trials, s.Metric); err != nil {
		return err
	}
	for _, name := range gone {
		if name == stateFile(t) || name == s.Dir.bestFile(s.bestOr(t), s.Metric) {
			continue
		}
		if err := s.Dir.remove(ctx, name); err != nil {
			return err
		}
	}
	s.Listen(Event{Trial: t, Rung: r, Rungs: len(s.plan), Best: s.best() == t, Trained: len(done.Trained)})
	return nil
}

// promote returns the trials that continue after a rung, in the order of their numbers.
func (s *search) promote(r int, members []*Trial) []*Trial {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(a, b *Trial) int { return a.compare(b, s.Metric, s.plan[r].Epochs) })
	sorted = slices.DeleteFunc(sorted[:min(len(sorted), s.plan[r+1].Trials)], func(t *Trial) bool {
		return !t.usable(s.plan[r].Epochs, s.Metric)
	})
	slices.SortFunc(sorted, func(a, b *Trial) int { return cmp.Compare(a.Number, b.Number) })
	return sorted
}

// best returns the best trial so far; nil if there is none.
func (s *search) best() *Trial {
	var best *Trial
	for _, t := range s.trials {
		if t.usable(s.Epochs, s.Metric) && (best == nil || t.compare(best, s.Metric, s.Epochs) < 0) {
			best = t
		}
	}
	return best
}

// bestOr returns the best trial, or t if there is none.
func (s *search) bestOr(t *Trial) *Trial { return cmp.Or(s.best(), t) }

func (s *search) network(t *Trial) (*nn.Network, error) {
	wish, err := t.Settings.Wish()
	if err != nil {
		return nil, err
	}
	return s.Network(wish)
}

// bestNetwork makes the best trial's network from its state.
func (s *search) bestNetwork(ctx context.Context) (*nn.Network, error) {
	b := s.best()
	if b == nil {
		why := ""
		for _, t := range s.trials {
			why = cmp.Or(why, t.Diverged)
		}
		return nil, fmt.Errorf("%w; the first: %s; search lower learning rates, such as --learning-rate 1e-6..1e-3:log",
			ErrAllDiverged, cmp.Or(why, "its loss on held-out data is not a finite number"))
	}
	state, err := s.Dir.bestState(ctx, b, s.Metric)
	if err != nil {
		return nil, err
	}
	net, err := s.network(b)
	if err != nil {
		return nil, err
	}
	if err := adopt(net, state); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Dir.bestFile(b, s.Metric), err)
	}
	return net, nil
}
