package paramavg

import (
	"fmt"
	"sync"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
)

// state is what a round begins with and, added up over workers, its result. In bytes it is sealed, with the parameters,
// the updater state, and then the workers' own updater states as vectors.
type state struct {
	Workers   int `json:"workers"`   // in the sums; 1 for the network with which a fit begins
	Iteration int `json:"iteration"` // the highest of the workers

	// Of a result:
	Minibatches int                     `json:"minibatches,omitempty"` // of the worker with most
	Examples    int                     `json:"examples,omitempty"`    // of all workers
	Score       float64                 `json:"score,omitempty"`       // the sum of the workers' last scores
	Computing   time.Duration           `json:"computing,omitempty"`   // of the slowest worker, if the master wants it
	Events      stats.Record            `json:"events,omitempty"`
	Iterations  []distributed.Iteration `json:"iterations,omitempty"` // if there is a listener

	Params  int `json:"params"` // the lengths of the vectors that are added up
	Updater int `json:"updater"`

	// Of a result with an outer optimiser: the workers that sent their own updater states, and each one's length.
	Places []int `json:"places,omitempty"`
	Each   int   `json:"each,omitempty"`

	vectors []float32   // one after the other; shared, read only
	slices  [][]float32 // in their place, one after the other, in a start that a worker has kept
}

// common returns the length of the vectors that are added up.
func (s *state) common() int { return s.Params + s.Updater }

// own returns a worker's own updater state.
func (s *state) own(i int) []float32 { return s.vectors[s.common()+i*s.Each:][:s.Each:s.Each] }

// initial encodes the start of the first round.
func initial(iteration int, params, updater []float32) ([]byte, error) {
	s := state{Workers: 1, Iteration: iteration, Params: len(params), Updater: len(updater),
		vectors: vectors(len(params)+len(updater), false)}
	copy(s.vectors, params)
	copy(s.vectors[len(params):], updater)
	return s.row()
}

// tailRoom is more than the bytes after the vectors of a state without events and iterations. eventRoom is enough for
// those of most rounds. Without this room, row would copy the vectors.
const (
	tailRoom  = 512
	eventRoom = 32 << 10
)

// vectors allocates n elements, with room after them for the bytes that row appends.
func vectors(n int, events bool) []float32 {
	room := tailRoom
	if events {
		room += eventRoom
	}
	return make([]float32, n, n+room/4)
}

// row encodes the state in the vectors' memory. The state must not be used afterwards.
func (s *state) row() ([]byte, error) {
	return masters.Seal(tensor.Bytes(s.vectors), s)
}

// begin turns a result's row, in place, into the start of the next round. It leaves out the events and iterations,
// which workers do not need. The row must not be used elsewhere.
func (s *state) begin(row []byte) ([]byte, error) {
	if len(s.Events)+len(s.Iterations) == 0 {
		return row, nil
	}
	next := *s
	next.Events, next.Iterations = nil, nil
	return masters.Seal(row[:4*len(s.vectors)], next)
}

func decodeState(b []byte) (*state, error) {
	var s state
	vectors, err := masters.Unseal(b, &s)
	if err != nil {
		return nil, err
	}
	own := len(vectors) - s.common()
	if s.Params < 0 || s.Updater < 0 || s.Each < 0 || own < 0 || own != 0 && (s.Each == 0 || own%s.Each != 0) ||
		s.Each != 0 && own/s.Each != len(s.Places) {
		return nil, fmt.Errorf("a state of %d parameters, %d updater values and %d of each of %d workers has %d numbers",
			s.Params, s.Updater, s.Each, len(s.Places), len(vectors))
	}
	s.vectors = vectors
	return &s, nil
}

// mean divides the sums by the number of workers, into params and updater; a nil updater is left out. Division and
// addition are exact to IEEE in all kernels, so results do not depend on the kernels.
func (s *state) mean(params, updater []float32) error {
	if len(params) != s.Params || updater != nil && len(updater) != s.Updater {
		return fmt.Errorf("a state of %d parameters and %d updater values for a network of %d and %d",
			s.Params, s.Updater, len(params), len(updater))
	}
	s.divide(params, 0)
	s.divide(updater, s.Params)
	return nil
}

// divide writes the elements from a position on, divided by the number of workers.
func (s *state) divide(to []float32, from int) {
	vec, n := vector.For(kernel.Best()), float32(s.Workers)
	slices := s.slices
	if slices == nil {
		slices = [][]float32{s.vectors}
	}
	for _, slice := range slices {
		if from < len(slice) && len(to) > 0 {
			part := slice[from:min(len(slice), from+len(to))]
			vec.DivScalar(to[:len(part)], part, n)
			to = to[len(part):]
		}
		from = max(0, from-len(slice))
	}
}

// sum adds up results, in the order in which they come.
type sum struct {
	state
	mine bool // the vectors belong to the sum, not to a result
	vec  *vector.Set
}

func (t *sum) addRow(b []byte) error {
	s, err := decodeState(b)
	if err != nil {
		return err
	}
	return t.add(s)
}

func (t *sum) add(s *state) error {
	if t.vec == nil {
		t.state, t.vec = *s, vector.For(kernel.Best())
		return nil
	}
	if s.Params != t.Params || s.Updater != t.Updater || s.Each != t.Each {
		return fmt.Errorf("results of %d and %d parameters cannot be averaged", t.Params, s.Params)
	}
	t.Workers += s.Workers
	t.Iteration = max(t.Iteration, s.Iteration)
	t.Minibatches = max(t.Minibatches, s.Minibatches)
	t.Computing = max(t.Computing, s.Computing)
	t.Examples += s.Examples
	t.Score += s.Score
	t.Events = append(t.Events, s.Events...)
	t.Iterations = append(t.Iterations, s.Iterations...)
	t.Places = append(t.Places[:len(t.Places):len(t.Places)], s.Places...)
	total, n := t.vectors, t.common()
	if !t.mine || len(s.Places) > 0 {
		total, t.mine = vectors(n+len(t.Places)*t.Each, len(t.Events)+len(t.Iterations) > 0), true
		first := copy(total[n:], t.vectors[n:])
		copy(total[n+first:], s.vectors[n:])
	}
	half := n / 2 // no worker trains while results are added up
	var second sync.WaitGroup
	second.Go(func() { t.vec.Add(total[half:n], t.vectors[half:n], s.vectors[half:n]) })
	t.vec.Add(total[:half], t.vectors[:half], s.vectors[:half])
	second.Wait()
	t.vectors = total
	return nil
}
