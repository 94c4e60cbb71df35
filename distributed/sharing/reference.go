package sharing

import (
	"fmt"

	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// reference is the coordinator's parameters, which become the network's, and an account of what was applied to them.
type reference struct {
	params     []float32
	statistics spans
	coder      *threshold.Coder
	message    threshold.Message

	account
}

// account is what the committed updates came to.
type account struct {
	updates   int
	bytes     int64   // of their messages
	values    int64   // in them
	threshold float64 // of the last one that was not empty
}

var _ gradshare.Reference = (*reference)(nil)

func (r *reference) Install(params []byte) error {
	if len(params) != 4*len(r.params) {
		return fmt.Errorf("%d bytes of parameters for a network of %d", len(params), len(r.params))
	}
	tensor.FromBytes(r.params, params)
	return nil
}

func (r *reference) Apply(e *gradshare.Entry) error {
	r.updates++
	if len(e.Payload) == 0 {
		return nil
	}
	err := r.message.ReadWire(e.Payload, len(r.params))
	if err == nil {
		err = r.coder.Subtract(&r.message, r.params)
	}
	if err != nil {
		r.updates--
		return err
	}
	r.bytes += int64(len(e.Payload))
	r.values += int64(r.message.Count)
	r.threshold = float64(r.message.Threshold)
	return nil
}

func (r *reference) Average(all [][]byte) ([]byte, error) { return r.statistics.mean(all) }

func (r *reference) SetStatistics(b []byte) error { return r.statistics.set(r.params, b) }

func (r *reference) Params() ([]byte, error) { return tensor.AppendBytes(nil, r.params), nil }
