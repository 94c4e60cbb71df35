package paramavg

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
)

// state is what a round begins with, and, added up over workers, what it ends with. In bytes it is the vectors' elements,
// the parameters and then the updater state, the JSON of everything else, and that JSON's length (uint32, little-endian):
// the vectors come first so that they are aligned, and are used where they lie.
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

	vectors []float32 // parameters and updater state, one behind the other; shared, read only
}

func (s *state) encode(params, updater []float32) ([]byte, error) {
	s.Params, s.Updater = len(params), len(updater)
	b := slices.Grow([]byte(nil), 4*(len(params)+len(updater))+tailRoom)
	return s.appendTail(tensor.AppendBytes(tensor.AppendBytes(b, params), updater))
}

// tailRoom is more than a state without events has after its vectors.
const tailRoom = 512

func (s *state) appendTail(b []byte) ([]byte, error) {
	tail, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(append(b, tail...), uint32(len(tail))), nil
}

func decodeState(b []byte) (*state, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("a state of parameters has %d bytes", len(b))
	}
	n := int(binary.LittleEndian.Uint32(b[len(b)-4:]))
	b = b[:len(b)-4]
	if n > len(b) {
		return nil, fmt.Errorf("a state of parameters of %d bytes ends with %d bytes of JSON", len(b), n)
	}
	var s state
	if err := json.Unmarshal(b[len(b)-n:], &s); err != nil {
		return nil, fmt.Errorf("the end of a state of parameters: %w", err)
	}
	b = b[:len(b)-n]
	if s.Params < 0 || s.Updater < 0 || len(b)%4 != 0 || len(b)/4 != s.Params+s.Updater {
		return nil, fmt.Errorf("a state of %d parameters and %d updater values has %d bytes", s.Params, s.Updater, len(b))
	}
	s.vectors = tensor.Floats(b)
	return &s, nil
}

// into copies the vectors out.
func (s *state) into(params, updater []float32) error {
	if len(params) != s.Params || len(updater) != s.Updater {
		return fmt.Errorf("a state of %d parameters and %d updater values for a network of %d and %d", s.Params, s.Updater, len(params), len(updater))
	}
	copy(params, s.vectors)
	copy(updater, s.vectors[s.Params:])
	return nil
}

// sum adds results up, in the order in which they come. Addition and division are exact to IEEE in every variant of the
// kernels, so that the result does not depend on it.
type sum struct {
	state
	total []float32 // nil while there is one result, which is used where it lies
	vec   *vector.Set
}

func (t *sum) add(s *state) error {
	if t.vec == nil {
		t.state, t.vec = *s, vector.For(kernel.Best())
		return nil
	}
	if s.Params != t.Params || s.Updater != t.Updater {
		return fmt.Errorf("results of %d and %d parameters cannot be averaged", t.Params, s.Params)
	}
	t.Workers += s.Workers
	t.Minibatches = max(t.Minibatches, s.Minibatches)
	t.Examples += s.Examples
	t.Score += s.Score
	t.Events = append(t.Events, s.Events...)
	if t.total == nil {
		t.total = slices.Grow([]float32(nil), len(s.vectors)+tailRoom/4)[:len(s.vectors)]
		t.vec.Add(t.total, t.vectors, s.vectors)
		t.vectors = t.total
		return nil
	}
	t.vec.Add(t.total, t.total, s.vectors)
	return nil
}

// row gives the sum in bytes. It gives its memory away.
func (t *sum) row() ([]byte, error) { return t.appendTail(tensor.Bytes(t.vectors)) }

// mean divides by the number of workers, into params and updater; a nil updater is left out.
func (t *sum) mean(params, updater []float32) error {
	if len(params) != t.Params || updater != nil && len(updater) != t.Updater {
		return fmt.Errorf("a mean of %d parameters and %d updater values for a network of %d and %d", t.Params, t.Updater, len(params), len(updater))
	}
	n := float32(t.Workers)
	t.vec.DivScalar(params, t.vectors[:t.Params], n)
	if updater != nil {
		t.vec.DivScalar(updater, t.vectors[t.Params:], n)
	}
	return nil
}
