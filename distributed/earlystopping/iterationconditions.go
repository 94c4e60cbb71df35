package earlystopping

import (
	"fmt"
	"math"
	"time"
)

// IterationCondition ends training after a step, in the middle of an epoch (Deeplearning4j:
// IterationTerminationCondition). Your own conditions implement it.
type IterationCondition interface {
	// Validate checks the settings.
	Validate() error
	// Begin is called when training begins. It returns a function that is called after each step with its score, and
	// reports whether training ends. The score is NaN or infinite if the step diverged, which also ends training.
	Begin() func(score float64) bool
	// String names the condition, for Result.Details.
	String() string
}

// MaxTime ends training after this time, when the current step is complete (Deeplearning4j:
// MaxTimeIterationTerminationCondition). The time of scoring counts, too.
type MaxTime struct {
	Time time.Duration // more than 0
}

// Validate requires a positive time.
func (c MaxTime) Validate() error {
	if c.Time <= 0 {
		return wrong("MaxTime.Time", "%v: it must be more than 0", c.Time)
	}
	return nil
}

// Begin starts the clock.
func (c MaxTime) Begin() func(float64) bool {
	end := time.Now().Add(c.Time)
	return func(float64) bool { return !time.Now().Before(end) }
}

func (c MaxTime) String() string { return fmt.Sprintf("MaxTime(%v)", c.Time) }

// MaxScore ends training when the score of a step is above Score, or NaN (Deeplearning4j:
// MaxScoreIterationTerminationCondition).
type MaxScore struct {
	Score float64
}

// Validate requires a number.
func (c MaxScore) Validate() error {
	if math.IsNaN(c.Score) {
		return wrong("MaxScore.Score", "NaN: no score is above that")
	}
	return nil
}

// Begin returns the condition.
func (c MaxScore) Begin() func(float64) bool {
	return func(score float64) bool { return score > c.Score || math.IsNaN(score) }
}

func (c MaxScore) String() string { return fmt.Sprintf("MaxScore(%v)", c.Score) }

// InvalidScore ends training when the score of a step is NaN or infinite (Deeplearning4j:
// InvalidScoreIterationTerminationCondition). Without it, such a score makes training fail with an *[nn.DivergedError].
type InvalidScore struct{}

// Validate always returns nil.
func (InvalidScore) Validate() error { return nil }

// Begin returns the condition.
func (InvalidScore) Begin() func(float64) bool {
	return func(score float64) bool { return math.IsNaN(score) || math.IsInf(score, 0) }
}

func (InvalidScore) String() string { return "InvalidScore()" }
