package paramavg

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
)

// state is what a round begins with, and, added up over workers, what it ends with. In bytes it is the length of the
// JSON of everything but the vectors (uint32, little-endian), that JSON, and the vectors' elements.
type state struct {
	Iteration int `json:"iteration"`
	Epoch     int `json:"epoch"`

	// Of a result:
	Workers     int           `json:"workers,omitempty"`     // whose vectors are added up
	Minibatches int           `json:"minibatches,omitempty"` // the most that one of them trained
	Examples    int           `json:"examples,omitempty"`    // of all of them
	Score       float64       `json:"score,omitempty"`       // the sum of their last scores
	Events      []stats.Event `json:"events,omitempty"`

	Params  int `json:"params"` // the vectors' lengths
	Updater int `json:"updater"`

	vectors []byte // of the parameters and the updater state, one behind the other
}

func (s *state) encode(params, updater []float32) ([]byte, error) {
	s.Params, s.Updater = len(params), len(updater)
	head, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 4+len(head)+4*(len(params)+len(updater)))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(head))), head...)
	return tensor.AppendBytes(tensor.AppendBytes(b, params), updater), nil
}

func decodeState(b []byte) (*state, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("a state of parameters ends after %d bytes", len(b))
	}
	n := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if n > len(b) {
		return nil, fmt.Errorf("a state of parameters ends in its head, of %d bytes", n)
	}
	var s state
	if err := json.Unmarshal(b[:n], &s); err != nil {
		return nil, fmt.Errorf("the head of a state of parameters: %w", err)
	}
	s.vectors = b[n:]
	if s.Params < 0 || s.Updater < 0 || len(s.vectors) != 4*(s.Params+s.Updater) {
		return nil, fmt.Errorf("a state of %d parameters and %d updater values has %d bytes", s.Params, s.Updater, len(s.vectors))
	}
	return &s, nil
}

// into copies the vectors out.
func (s *state) into(params, updater []float32) error {
	if len(params) != s.Params || len(updater) != s.Updater {
		return fmt.Errorf("a state of %d parameters and %d updater values for a network of %d and %d", s.Params, s.Updater, len(params), len(updater))
	}
	tensor.FromBytes(params, s.vectors)
	tensor.FromBytes(updater, s.vectors[4*s.Params:])
	return nil
}

// sum adds results up, in the order in which they come.
type sum struct {
	state
	params, updater []float32
	scratch         []float32
}

func (t *sum) add(s *state) error {
	if t.params == nil {
		t.state = *s
		t.params, t.updater = make([]float32, s.Params), make([]float32, s.Updater)
		return s.into(t.params, t.updater)
	}
	if s.Params != len(t.params) || s.Updater != len(t.updater) {
		return fmt.Errorf("results of %d and %d parameters cannot be averaged", len(t.params), s.Params)
	}
	t.Workers += s.Workers
	t.Minibatches = max(t.Minibatches, s.Minibatches)
	t.Examples += s.Examples
	t.Score += s.Score
	t.Events = append(t.Events, s.Events...)
	t.accumulate(t.params, s.vectors)
	t.accumulate(t.updater, s.vectors[4*s.Params:])
	return nil
}

// accumulate adds a vector in bytes, in pieces that stay in the cache.
func (t *sum) accumulate(x []float32, b []byte) {
	const piece = 4096
	if t.scratch == nil {
		t.scratch = make([]float32, piece)
	}
	for i := 0; i < len(x); i += piece {
		y := t.scratch[:min(piece, len(x)-i)]
		tensor.FromBytes(y, b[4*i:])
		for k, v := range y {
			x[i+k] += v
		}
	}
}

// mean divides by the number of workers, into params and updater; a nil updater is left out.
func (t *sum) mean(params, updater []float32) error {
	if len(params) != len(t.params) || updater != nil && len(updater) != len(t.updater) {
		return fmt.Errorf("a mean of %d parameters for a network of %d", len(t.params), len(params))
	}
	for _, v := range []struct{ to, from []float32 }{{params, t.params}, {updater, t.updater}} {
		if v.to != nil {
			quotient(v.to, v.from, t.Workers)
		}
	}
	return nil
}

// quotient gives x/n. For a power of two the product with the reciprocal, which is faster, is the same number.
func quotient(to, x []float32, n int) {
	if d := float32(n); n&(n-1) == 0 {
		r := 1 / d
		for i, v := range x {
			to[i] = v * r
		}
	} else {
		for i, v := range x {
			to[i] = v / d
		}
	}
}
