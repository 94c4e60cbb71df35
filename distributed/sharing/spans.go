package sharing

import (
	"fmt"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// spans are the ranges of the flat parameter vector that hold statistics. No gradient moves them, so they don't go
// through the codec: workers move their own, which are averaged now and then.
type spans []masters.Range

func statistics(net *nn.Network) spans { return masters.Statistics(net) }

// size is the number of values.
func (s spans) size() int {
	n := 0
	for _, r := range s {
		n += r.To - r.From
	}
	return n
}

// move applies the statistics' part of an update, and removes it from the update.
func (s spans) move(params, update []float32) {
	for _, r := range s {
		for i := r.From; i < r.To; i++ {
			params[i] -= update[i]
		}
		clear(update[r.From:r.To])
	}
}

// bytes encodes the statistics; nil if there are none.
func (s spans) bytes(params []float32) []byte {
	var b []byte
	for _, r := range s {
		b = tensor.AppendBytes(b, params[r.From:r.To])
	}
	return b
}

// set decodes the result of bytes.
func (s spans) set(params []float32, b []byte) error {
	if err := s.check(b); err != nil {
		return err
	}
	for _, r := range s {
		tensor.FromBytes(params[r.From:r.To], b)
		b = b[4*(r.To-r.From):]
	}
	return nil
}

// check checks the length of the result of bytes.
func (s spans) check(b []byte) error {
	if len(b) != 4*s.size() {
		return fmt.Errorf("%d bytes of statistics for a network with %d values of them", len(b), s.size())
	}
	return nil
}

// mean averages results of bytes, added in this order.
func (s spans) mean(all [][]byte) ([]byte, error) {
	sum := make([]float64, s.size())
	for _, b := range all {
		if len(b) != 4*len(sum) {
			return nil, fmt.Errorf("%d bytes of statistics for a network with %d values of them", len(b), len(sum))
		}
		for i, v := range tensor.Floats(b) {
			sum[i] += float64(v)
		}
	}
	out := make([]float32, len(sum))
	for i, v := range sum {
		out[i] = float32(v / float64(len(all)))
	}
	return tensor.AppendBytes(nil, out), nil
}
