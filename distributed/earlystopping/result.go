package earlystopping

import (
	"fmt"

	"github.com/dl4go/dl4go/nn"
)

// Reason is why training ended, with Deeplearning4j's names (EarlyStoppingResult.TerminationReason).
type Reason string

// Error is a failure, or that the context was cancelled; the others are conditions of the two kinds.
const (
	ByError     Reason = "Error"
	ByIteration Reason = "IterationTerminationCondition"
	ByEpoch     Reason = "EpochTerminationCondition"
)

// Result is the result of a training with early stopping (Deeplearning4j: EarlyStoppingResult).
type Result[N nn.AnyNetwork] struct {
	Reason  Reason
	Details string // the condition, with its settings, or the error
	// Scores are those of the epochs that were scored, in order (scoreVsEpoch there).
	Scores []Score
	// BestEpoch is the epoch, from 0, whose network was the best; -1 if none was scored.
	BestEpoch int
	// BestScore is that epoch's.
	//
	// Deeplearning4j differs: EarlyStoppingTrainer puts the last training score of the best network there, its Spark
	// trainer this one.
	BestScore float64
	// Epochs is how many were trained to their end.
	Epochs int
	// Best is the best network, as the saver gives it back; nil if no epoch was scored.
	Best N
}

// Score is the score of an epoch, from 0.
type Score struct {
	Epoch int
	Score float64
}

func (r *Result[N]) String() string {
	return fmt.Sprintf("ended by %s, %s, after %d epochs; the best was epoch %d, of score %v", r.Reason, r.Details,
		r.Epochs, r.BestEpoch, r.BestScore)
}
