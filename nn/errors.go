package nn

import (
	"fmt"
)

// LayerError is an error in a layer of a network.
type LayerError struct {
	Index int    // counted from 0
	Name  string // the layer's name
	Err   error
}

func (e *LayerError) Error() string {
	return fmt.Sprintf("layer %d (%s): %v", e.Index, e.Name, e.Err)
}

// Unwrap returns the problem.
func (e *LayerError) Unwrap() error { return e.Err }

// VertexError is an error in a layer or vertex of a graph.
type VertexError struct {
	Name string
	Err  error
}

func (e *VertexError) Error() string { return fmt.Sprintf("vertex %s: %v", e.Name, e.Err) }

// Unwrap returns the problem.
func (e *VertexError) Unwrap() error { return e.Err }

// DivergedError means that training met a score, a parameter, an activation, an update or updater state that is not a
// finite number. The parameters are those before the step.
type DivergedError struct {
	Iteration int
	Epoch     int
	Layer     string // the first layer with such a number; empty if the labels or the loss have it
	What      string // what is not finite
	Score     float64
}

func (e *DivergedError) Error() string {
	where := e.What
	if e.Layer != "" {
		where = e.Layer + ": " + where
	}
	return fmt.Sprintf("training diverged at iteration %d (epoch %d): the score is %v; %s; "+
		"a lower learning rate, gradient normalisation or normalised data may help", e.Iteration, e.Epoch, e.Score, where)
}

// LengthError means that the length of a vector does not fit the network.
type LengthError struct {
	What      string // "parameters", "updater state"
	Want, Got int
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("%s: the network has %d, got %d", e.What, e.Want, e.Got)
}
