package earlystopping

import (
	"fmt"

	"github.com/dl4go/dl4go/nn"
)

// Reason says why training ended, with Deeplearning4j's names (EarlyStoppingResult.TerminationReason).
type Reason string

// ByError means a failure, or a cancelled context. The others are the two kinds of conditions.
const (
	ByError     Reason = "Error"
	ByIteration Reason = "IterationTerminationCondition"
	ByEpoch     Reason = "EpochTerminationCondition"
)

// Result is the result of a training with early stopping (Deeplearning4j: EarlyStoppingResult).
type Result[N nn.AnyNetwork] struct {
	Reason  Reason
	Details string // the condition that ended training, with its settings, or the error
	// Scores has the scores of the epochs that were scored, in order (Deeplearning4j: scoreVsEpoch).
	Scores []Score
	// BestEpoch is the epoch, from 0, of the best network; -1 if none was scored.
	BestEpoch int
	// BestScore is the score of that epoch.
	//
	// Deeplearning4j differs: its EarlyStoppingTrainer reports the last training score of the best network. Its Spark
	// trainer reports this score.
	BestScore float64
	// Epochs is the number of complete epochs.
	Epochs int
	// Best is the best network, as the saver returns it; nil if no epoch was scored.
	Best N
}

// Score is the score of an epoch. Epochs are numbered from 0.
type Score struct {
	Epoch int
	Score float64
}

func (r *Result[N]) String() string {
	return fmt.Sprintf("ended by %s, %s, after %d epochs; the best was epoch %d, of score %v", r.Reason, r.Details,
		r.Epochs, r.BestEpoch, r.BestScore)
}
