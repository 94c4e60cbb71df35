package earlystopping

import (
	"fmt"
	"math"
)

// EpochCondition ends training after an epoch (Deeplearning4j: EpochTerminationCondition). Your own conditions
// implement it.
type EpochCondition interface {
	// Validate checks the settings.
	Validate() error
	// Begin is called when training begins. It returns a function that is called after each scored epoch, with the
	// number of the epoch, from 0, its score, and whether lower scores are better.
	Begin() func(epoch int, score float64, minimize bool) bool
	// String names the condition, for Result.Details.
	String() string
}

// MaxEpochs ends training when epoch + 1 ≥ Epochs (Deeplearning4j: MaxEpochsTerminationCondition).
//
// Deeplearning4j differs: it checks the condition after scored epochs only, so evaluateEveryNEpochs of N trains up to
// N-1 more epochs. Here the last epoch is always scored, and training ends with it.
type MaxEpochs struct {
	Epochs int // at least 1
}

// Validate checks that Epochs is at least 1.
func (c MaxEpochs) Validate() error {
	if c.Epochs < 1 {
		return wrong("MaxEpochs.Epochs", "%d: it must be at least 1", c.Epochs)
	}
	return nil
}

// Begin returns the condition.
func (c MaxEpochs) Begin() func(int, float64, bool) bool {
	return func(epoch int, _ float64, _ bool) bool { return epoch+1 >= c.Epochs }
}

func (c MaxEpochs) String() string { return fmt.Sprintf("MaxEpochs(%d)", c.Epochs) }

// BestScore ends training when the score is better than Score, which is enough: below it where lower scores are better,
// above it else (Deeplearning4j: BestScoreEpochTerminationCondition).
type BestScore struct {
	Score float64
}

// Validate checks that Score is not NaN.
func (c BestScore) Validate() error {
	if math.IsNaN(c.Score) {
		return wrong("BestScore.Score", "NaN: no score is better than that")
	}
	return nil
}

// Begin returns the condition.
func (c BestScore) Begin() func(int, float64, bool) bool {
	return func(_ int, score float64, minimize bool) bool { return better(score, c.Score, minimize) }
}

func (c BestScore) String() string { return fmt.Sprintf("BestScore(%v)", c.Score) }

// ScoreImprovement ends training when Patience epochs have gone by since the score last became better by more than
// MinImprovement: with b the last such epoch, the first to begin with, where epoch ≥ b + Patience and the epoch is no
// such one (Deeplearning4j: ScoreImprovementEpochTerminationCondition). Improvements that are too small do not move b,
// and they add up until they are not. With Config.Every > 1 epochs that are not scored count too.
//
// Deeplearning4j differs: after a first score of NaN nothing is an improvement; here every number is.
type ScoreImprovement struct {
	Patience       int     // epochs; 0 is as 1
	MinImprovement float64 // 0 or more
}

// Validate checks that there are no negative numbers.
func (c ScoreImprovement) Validate() error {
	if c.Patience < 0 {
		return wrong("ScoreImprovement.Patience", "%d: it must not be negative", c.Patience)
	}
	if !(c.MinImprovement >= 0) || math.IsInf(c.MinImprovement, 0) {
		return wrong("ScoreImprovement.MinImprovement", "%v: it must be a number that is not negative", c.MinImprovement)
	}
	return nil
}

// Begin returns the condition, before the first epoch.
func (c ScoreImprovement) Begin() func(int, float64, bool) bool {
	since, best := -1, math.NaN()
	return func(epoch int, score float64, minimize bool) bool {
		improvement := score - best
		if minimize {
			improvement = -improvement
		}
		if since < 0 || improvement > c.MinImprovement || math.IsNaN(best) && !math.IsNaN(score) {
			since, best = epoch, score
			return false
		}
		return epoch >= since+c.Patience
	}
}

func (c ScoreImprovement) String() string {
	return fmt.Sprintf("ScoreImprovement(patience %d, minImprovement %v)", c.Patience, c.MinImprovement)
}

// better reports whether a score is better than the best one so far. Any score is better than NaN.
func better(score, best float64, minimize bool) bool {
	switch {
	case math.IsNaN(best):
		return !math.IsNaN(score)
	case minimize:
		return score < best
	}
	return score > best
}
