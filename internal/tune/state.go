package tune

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// head is the first part of a message between driver and worker, and of a network's state.
type head struct {
	// Fields of a task.
	Configuration json.RawMessage `json:"configuration,omitempty"`
	Batch         int             `json:"batch,omitempty"`
	Epochs        int             `json:"epochs,omitempty"` // number to train up to
	Seed          int64           `json:"seed,omitempty"`
	Metric        string          `json:"metric,omitempty"`
	Before        *Epoch          `json:"before,omitempty"` // the best epoch so far

	// Fields of a result.
	Trained  []Epoch `json:"trained,omitempty"`
	Diverged string  `json:"diverged,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`

	// Sizes are the lengths of the network states that follow.
	Sizes []int `json:"sizes,omitempty"`
}

var errMessage = errors.New("the bytes of a trial are cut off or damaged")

// pack encodes a head and the states after it.
func (h head) pack(states ...[]byte) ([]byte, error) {
	h.Sizes = nil
	for _, s := range states {
		h.Sizes = append(h.Sizes, len(s))
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	b := append(binary.AppendUvarint(nil, uint64(len(text))), text...)
	for _, s := range states {
		b = append(b, s...)
	}
	return b, nil
}

// unpack decodes the bytes of pack.
func unpack(b []byte) (h head, states [][]byte, err error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return h, nil, errMessage
	}
	b = b[used:]
	if err := json.Unmarshal(b[:n], &h); err != nil {
		return h, nil, fmt.Errorf("%w: %w", errMessage, err)
	}
	b = b[n:]
	for _, size := range h.Sizes {
		if size < 0 || size > len(b) {
			return h, nil, errMessage
		}
		states, b = append(states, b[:size]), b[size:]
	}
	if len(b) > 0 {
		return h, nil, errMessage
	}
	return h, states, nil
}

// place is the progress of a network's training.
type place struct {
	Iteration int     `json:"iteration"`
	Epoch     int     `json:"epoch"`
	LastScore float64 `json:"lastScore"`
	Params    int     `json:"params"`
	State     int     `json:"state"`
}

// stateOf returns the bytes of a network's parameters and updater state. They end with a checksum.
func stateOf(net *nn.Network) ([]byte, error) {
	p := place{net.Iteration(), net.Epoch(), net.LastScore(), len(net.Params()), len(net.UpdaterState())}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	b := append(binary.AppendUvarint(nil, uint64(len(text))), text...)
	b = tensor.AppendBytes(b, net.Params())
	b = tensor.AppendBytes(b, net.UpdaterState())
	return binary.LittleEndian.AppendUint32(b, engine.CRC32C(0, b)), nil
}

// checkState checks the checksum.
func checkState(b []byte) error {
	if len(b) < 4 || engine.CRC32C(0, b[:len(b)-4]) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return errMessage
	}
	return nil
}

// adopt gives a network the state.
func adopt(net *nn.Network, b []byte) error {
	if err := checkState(b); err != nil {
		return err
	}
	b = b[:len(b)-4]
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return errMessage
	}
	var p place
	if err := json.Unmarshal(b[used:used+int(n)], &p); err != nil {
		return fmt.Errorf("%w: %w", errMessage, err)
	}
	b = b[used+int(n):]
	if p.Params != len(net.Params()) || p.State != len(net.UpdaterState()) || len(b) != 4*(p.Params+p.State) {
		return fmt.Errorf("%w: it is the state of another network", errMessage)
	}
	for _, of := range []struct {
		to  []float32
		set func([]float32) error
	}{{net.Params(), net.SetParams}, {net.UpdaterState(), net.SetUpdaterState}} {
		x := make([]float32, len(of.to))
		if len(x) == 0 {
			continue
		}
		tensor.FromBytes(x, b)
		b = b[4*len(x):]
		if err := of.set(x); err != nil {
			return err
		}
	}
	net.SetIteration(p.Iteration)
	net.SetEpoch(p.Epoch)
	net.SetLastScore(p.LastScore)
	return nil
}
