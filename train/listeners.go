package train

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// Listener receives the events of a run. The goroutine that trains calls it, and waits for it.
type Listener interface{ Hear(Event) }

// Tell returns a function for Config.Listen that calls several listeners in order.
func Tell(all ...Listener) func(Event) {
	return func(e Event) {
		for _, l := range all {
			l.Hear(e)
		}
	}
}

// CollectScores keeps the score of one step in Every (Deeplearning4j: CollectScoresIterationListener,
// CollectScoresListener). [Result.Series] has the scores of all steps, thinned out.
type CollectScores struct {
	Every int // steps; 0 is 1

	// Iterations and Scores are the kept ones: the network's iteration after a step, and the step's score.
	Iterations []int
	Scores     []float64
	heard      int
}

// Hear keeps a step's score.
func (c *CollectScores) Hear(e Event) {
	s, ok := e.(Step)
	if !ok {
		return
	}
	if c.heard++; (c.heard-1)%max(1, c.Every) == 0 {
		c.Iterations, c.Scores = append(c.Iterations, s.Iteration), append(c.Scores, s.Score)
	}
}

// Write writes the scores as CSV, with the header of Deeplearning4j's exportScores.
func (c *CollectScores) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"Iteration", "Score"})
	for i, at := range c.Iterations {
		out.Write([]string{strconv.Itoa(at), strconv.FormatFloat(c.Scores[i], 'g', -1, 64)})
	}
	out.Flush()
	return out.Error()
}

// Performance reports the speed of training once every few steps (Deeplearning4j: PerformanceListener).
type Performance struct {
	Every int // steps; 0 is 1
	Told  func(Speed)

	now    func() time.Time // the clock; nil: time.Now
	since  time.Time
	last   int // iteration
	speed  Speed
	parted int // steps
}

// Speed is the speed of training since the last report: see [Performance].
type Speed struct {
	Iteration           int // of the network
	Score               float64
	Examples            int
	Iterations          int
	Duration            time.Duration
	ExamplesPerSecond   float64
	IterationsPerSecond float64
}

// String returns the speed as a line.
func (s Speed) String() string {
	return fmt.Sprintf("iteration %d: %.1f examples/s, %.2f iterations/s, score %.4g", s.Iteration, s.ExamplesPerSecond,
		s.IterationsPerSecond, s.Score)
}

// Hear counts a step. Time between epochs, such as for scoring held-out data, does not count.
func (p *Performance) Hear(e Event) {
	now := time.Now
	if p.now != nil {
		now = p.now
	}
	switch e := e.(type) {
	case EpochBegan:
		p.since, p.last = now(), e.Iteration
	case Step:
		at := now()
		p.speed.Duration += at.Sub(p.since)
		p.since = at
		p.speed.Examples += e.Examples
		p.speed.Iterations += e.Iteration - p.last
		p.last = e.Iteration
		if p.parted++; p.parted < p.Every {
			return
		}
		p.speed.Iteration, p.speed.Score = e.Iteration, e.Score
		if s := p.speed.Duration.Seconds(); s > 0 {
			p.speed.ExamplesPerSecond = float64(p.speed.Examples) / s
			p.speed.IterationsPerSecond = float64(p.speed.Iterations) / s
		}
		p.Told(p.speed)
		p.speed, p.parted = Speed{}, 0
	}
}

// Evaluative evaluates the network once every few epochs (Deeplearning4j: EvaluativeListener with EPOCH_END).
// [Config.Metrics] computes single figures of HeldOut without an extra pass.
type Evaluative struct {
	// Context ends an evaluation under way: give it the context of the run. Nil: nothing ends it.
	Context context.Context

	On   *distributed.Network[*nn.Network] // the network of the run
	Data *distributed.Data
	// Evaluations select the measures. They do not change.
	Evaluations []eval.Evaluator
	Every       int // epochs; 0 is 1
	// Told is called with the evaluations of an epoch, in the order of Evaluations, or with the error.
	Told func(epoch int, done []eval.Evaluator, err error)
}

// Hear evaluates at the end of an epoch.
func (v *Evaluative) Hear(e Event) {
	ended, ok := e.(EpochEnded)
	if !ok || (ended.Epoch+1)%max(1, v.Every) != 0 {
		return
	}
	ctx := v.Context
	if ctx == nil {
		ctx = context.Background()
	}
	done, err := v.On.DoEvaluation(ctx, v.Data, distributed.EvaluationOptions{}, v.Evaluations...)
	v.Told(ended.Epoch, done, err)
}
