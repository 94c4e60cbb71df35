package sharing

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// state is what a worker begins with besides parameters: the network's state, or another worker's. In bytes it is
// sealed, with two vectors: the updater state and the carried residual.
type state struct {
	Iteration int       `json:"iteration"`
	Encoder   string    `json:"encoder,omitempty"`  // threshold.EncoderState; empty: an encoder's initial one
	Residual  int       `json:"residual,omitempty"` // length of carried
	Portions  *portions `json:"portions,omitempty"` // of carried; nil: there is none

	updater, carried []float32
}

// report is a worker's report, or the sum of several. Its bytes are like those of a state.
type report struct {
	Workers    int          `json:"workers"`
	Score      float64      `json:"score"`           // the sum of their last scores
	Scored     int          `json:"scored"`          // the number of scores in the sum
	Thresholds string       `json:"thresholds"`      // []threshold.State
	Sent       uint64       `json:"sent"`            // bytes of messages, by the workers
	Received   uint64       `json:"received"`        // the same, received
	Moved      float64      `json:"moved,omitempty"` // Σ |value| of sent updates
	Lost       Losses       `json:"lost"`
	Took       took         `json:"took"`
	Events     stats.Record `json:"events,omitempty"`

	Residual int `json:"residual,omitempty"` // length of residual
	// Ahead counts, by partition, the minibatches whose updates are in residual but not committed by the coordinator.
	Ahead map[uint32]uint32 `json:"ahead,omitempty"`

	updater  []float32 // the sum
	residual []float32 // the sum of unsent updates
}

// Losses counts changes that were computed by steps and reached no replica.
type Losses struct {
	// Dropped counts the residuals of workers that were given up, came back in the same process and started over. It also
	// has the one of the last fit if the network's parameters were changed since. Residuals at the end of a fit, and at a
	// checkpoint, are not lost: they are carried into the next fit.
	Dropped threshold.Removed `json:"dropped"`
	// Clipped is the amount that the residual post-processor removed.
	Clipped threshold.Removed `json:"clipped"`
	// Abandoned is the number of updates that were never committed, because their worker was lost.
	Abandoned int `json:"abandoned"`
	// Residuals counts the workers whose residuals were lost with their process. Either the worker was lost, or it ended
	// with the coordinator before a checkpoint had its residual. The lost amount is unknown.
	Residuals int `json:"residuals,omitempty"`
}

// clippedShare returns the clipped fraction of everything that left the residuals, 0 to 1.
func (r *report) clippedShare() float64 {
	if r.Lost.Clipped.Magnitude == 0 {
		return 0
	}
	return r.Lost.Clipped.Magnitude / (r.Lost.Clipped.Magnitude + r.Moved)
}

func (l *Losses) add(o Losses) {
	l.Dropped.Add(o.Dropped)
	l.Clipped.Add(o.Clipped)
	l.Abandoned += o.Abandoned
}

// pack encodes vectors and v.
func pack(v any, vectors ...[]float32) ([]byte, error) {
	n := 1 << 10 // enough for most data besides vectors
	for _, x := range vectors {
		n += 4 * len(x)
	}
	b := make([]byte, 0, n)
	for _, x := range vectors {
		b = tensor.AppendBytes(b, x)
	}
	return masters.Seal(b, v)
}

func (s *state) pack() ([]byte, error) {
	s.Residual = len(s.carried)
	return pack(s, s.updater, s.carried)
}

func unpackState(b []byte) (s state, err error) {
	both, err := masters.Unseal(b, &s)
	if err == nil {
		s.updater, s.carried, err = split(both, s.Residual)
	}
	if err == nil && len(s.carried) > 0 {
		err = s.Portions.validate()
	}
	return s, err
}

// split cuts a residual off the end of vectors.
func split(both []float32, residual int) (updater, rest []float32, err error) {
	if residual < 0 || residual > len(both) {
		return nil, nil, fmt.Errorf("a worker's vectors of %d values have a residual of %d", len(both), residual)
	}
	at := len(both) - residual
	return both[:at], both[at:], nil
}

func (r *report) pack() ([]byte, error) {
	r.Residual = len(r.residual)
	return pack(r, r.updater, r.residual)
}

func unpackReport(b []byte) (r report, err error) {
	both, err := masters.Unseal(b, &r)
	if err == nil {
		r.updater, r.residual, err = split(both, r.Residual)
	}
	return r, err
}

// sum adds up reports, in this order.
func sum(parts [][]byte) ([]byte, error) {
	var total report
	var states []threshold.State
	for i, b := range parts {
		r, err := unpackReport(b)
		if err != nil {
			return nil, err
		}
		own, err := r.thresholds()
		if err != nil {
			return nil, err
		}
		states = append(states, own...)
		if i == 0 {
			total = r
			total.updater, total.residual = slices.Clone(r.updater), slices.Clone(r.residual)
			continue
		}
		if len(r.updater) != len(total.updater) {
			return nil, fmt.Errorf("updater states of %d and %d values", len(total.updater), len(r.updater))
		}
		if len(r.residual) != len(total.residual) {
			return nil, fmt.Errorf("residuals of %d and %d values", len(total.residual), len(r.residual))
		}
		for k, v := range r.updater {
			total.updater[k] += v
		}
		for k, v := range r.residual {
			total.residual[k] += v
		}
		if total.Ahead == nil {
			total.Ahead = r.Ahead
		} else {
			maps.Copy(total.Ahead, r.Ahead) // each partition is in one report
		}
		total.Workers += r.Workers
		total.Score += r.Score
		total.Scored += r.Scored
		total.Sent += r.Sent
		total.Received += r.Received
		total.Moved += r.Moved
		total.Lost.add(r.Lost)
		total.Took.add(r.Took)
		total.Events = append(total.Events, r.Events...)
	}
	if err := total.setThresholds(states); err != nil {
		return nil, err
	}
	return total.pack()
}

func (r *report) thresholds() (states []threshold.State, err error) {
	err = dl4j.Unmarshal([]byte(r.Thresholds), &states)
	return states, err
}

func (r *report) setThresholds(states []threshold.State) error {
	b, err := dl4j.Marshal(states)
	r.Thresholds = string(b)
	return err
}
