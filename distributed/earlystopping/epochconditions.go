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
	// Begin is called when training begins. It returns a function that is called after each scored epoch, and reports
	// whether training ends. epoch is the number of the epoch, from 0. minimize is true if lower scores are better.
	Begin() func(epoch int, score float64, minimize bool) bool
	// String names the condition, for Result.Details.
	String() string
}

// MaxEpochs ends training after this number of epochs (Deeplearning4j: MaxEpochsTerminationCondition).
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

// BestScore ends training when the score of an epoch is better than Score: below it if lower scores are better,
// otherwise above it (Deeplearning4j: BestScoreEpochTerminationCondition).
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

// ScoreImprovement ends training after Patience epochs without an improvement (Deeplearning4j:
// ScoreImprovementEpochTerminationCondition). A score is an improvement if it is better than the last improvement by
// more than MinImprovement; the first score is one. So several small improvements in a row can add up to one. Patience
// also counts epochs that are not scored: see Config.Every.
//
// Deeplearning4j differs: there, nothing is an improvement after a first score of NaN; here, any number is.
type ScoreImprovement struct {
	Patience       int     // epochs; 0 means 1
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

// Begin returns the condition.
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
