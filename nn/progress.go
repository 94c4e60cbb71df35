package nn

// Iteration is the number of steps done.
func (n *Network) Iteration() int { return n.iteration }

// SetIteration sets the number of steps done, by which schedules and updaters go.
func (n *Network) SetIteration(i int) { n.iteration = i }

// Epoch is the number of passes over the data done.
func (n *Network) Epoch() int { return n.epoch }

// SetEpoch sets the number of passes done.
func (n *Network) SetEpoch(e int) { n.epoch = e }

// LastScore is the score of the last minibatch that was fitted, before its update; NaN before the first.
func (n *Network) LastScore() float64 { return n.score }

// SetLastScore is for training masters: the score that their workers' minibatches had.
func (n *Network) SetLastScore(s float64) { n.score = s }
