package nn

import (
	"fmt"
	"io"
)

// Listener hears of a network's training (Deeplearning4j: TrainingListener). It is called by the goroutine that trains.
type Listener interface {
	// IterationDone is called after each step; score is the minibatch's, before the step.
	IterationDone(net Network, iteration, epoch int, score float64)
}

// ScoreListener writes the score every so many iterations (Deeplearning4j: ScoreIterationListener).
type ScoreListener struct {
	Every int // 1 where it is less
	To    io.Writer
}

// IterationDone writes a line.
func (l ScoreListener) IterationDone(_ Network, iteration, _ int, score float64) {
	if iteration%max(l.Every, 1) == 0 {
		fmt.Fprintf(l.To, "Score at iteration %d is %v\n", iteration, score)
	}
}
