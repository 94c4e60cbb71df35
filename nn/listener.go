package nn

import (
	"fmt"
	"io"
)

// Listener receives reports of a network's training (Deeplearning4j: TrainingListener). The training goroutine calls
// it.
type Listener interface {
	// IterationDone is called after each step. score is the minibatch's score before the step.
	IterationDone(net *Network, iteration, epoch int, score float64)
}

// ScoreListener writes the score at regular iterations (Deeplearning4j: ScoreIterationListener).
type ScoreListener struct {
	Every int // values below 1 mean 1
	To    io.Writer
}

// IterationDone writes a line.
func (l ScoreListener) IterationDone(_ *Network, iteration, _ int, score float64) {
	if iteration%max(l.Every, 1) == 0 {
		fmt.Fprintf(l.To, "Score at iteration %d is %v\n", iteration, score)
	}
}
