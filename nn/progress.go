package nn

// progress counts the steps and epochs of training.
type progress struct {
	iteration, epoch int
	score            float64
}

// Iteration returns the number of steps so far.
func (n *progress) Iteration() int { return n.iteration }

// SetIteration sets the number of steps so far. Schedules and updaters depend on it.
func (n *progress) SetIteration(i int) { n.iteration = i }

// Epoch returns the number of passes over the data so far.
func (n *progress) Epoch() int { return n.epoch }

// SetEpoch sets the number of passes over the data so far.
func (n *progress) SetEpoch(e int) { n.epoch = e }

// LastScore returns the score of the last fitted minibatch, before its update; NaN before the first.
func (n *progress) LastScore() float64 { return n.score }

// SetLastScore sets the last score. Training masters pass the score of their workers' minibatches.
func (n *progress) SetLastScore(s float64) { n.score = s }
