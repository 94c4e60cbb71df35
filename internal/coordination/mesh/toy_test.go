package mesh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// dims is the size of the toy network. Its parameters are integers, so that every sum can be checked exactly. The
// minibatch's number determines an update, so the result of a run is known beforehand.
const dims = 5

type vector [dims]int64

func (v *vector) add(o vector) {
	for i := range v {
		v[i] += o[i]
	}
}

func (v vector) bytes() []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func readVector(b []byte) (v vector, err error) {
	if len(b) < 8*dims {
		return v, fmt.Errorf("%d bytes are no toy parameters", len(b))
	}
	for i := range v {
		v[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v, nil
}

// gradient returns the gradient of a minibatch.
func gradient(epoch, partition, ordinal uint32) (v vector) {
	key := random.Mix(uint64(epoch)<<40|uint64(partition), uint64(ordinal))
	for i := range v {
		v[i] = int64(random.Mix(key, uint64(i))%1001) - 500
	}
	return v
}

// model is a set of parameters and the number of updates in it.
type model struct {
	params vector
	count  int
}

func (m *model) Install(params []byte) (err error) {
	m.count = 0
	m.params, err = readVector(params)
	return err
}

func (m *model) Apply(e *coordination.Entry) error {
	v, err := readVector(e.Payload)
	if err != nil {
		return err
	}
	for i := range v {
		m.params[i] -= v[i]
	}
	m.count++
	return nil
}

func (m *model) Expect([][]byte)                    {}
func (m *model) CatchUp()                           {}
func (m *model) SetStatistics([]byte) error         { return nil }
func (m *model) Constrain() error                   { return nil }
func (m *model) Average(s [][]byte) ([]byte, error) { return s[0], nil }
func (m *model) Params() ([]byte, error)            { return m.params.bytes(), nil }
func (m *model) Sum() ([]byte, error)               { return nil, nil }

// toy is a worker's replica.
type toy struct {
	model
	padding int // bytes added to an update, to make it long
	steps   atomic.Int64
	round   vector
}

func (t *toy) Install(params, state []byte) error {
	t.round, _ = readVector(params)
	return t.model.Install(params)
}
func (t *toy) State() ([]byte, error)                              { return []byte("state"), nil }
func (t *toy) Report(bool, []*coordination.Update) ([]byte, error) { return t.params.bytes(), nil }
func (t *toy) Abandon(u *coordination.Update)                      {}

func (t *toy) Constrain([]*coordination.Update) error { return nil }

func (t *toy) Sum(parts [][]byte) ([]byte, error) {
	var sum vector
	for _, p := range parts {
		v, err := readVector(p)
		if err != nil {
			return nil, err
		}
		sum.add(v)
	}
	return sum.bytes(), nil
}

func (t *toy) train(a coordination.Train) coordination.Trained {
	t.steps.Add(1)
	g := gradient(a.Epoch, a.Partition, a.Ordinal)
	if a.Round {
		g = gradient(a.Epoch+1000, a.Partition, 0)
		g.add(t.round)
		return coordination.Trained{Payload: g.bytes()}
	}
	out := coordination.Trained{Payload: append(g.bytes(), make([]byte, t.padding)...), Score: 1}
	if a.Statistics {
		out.Statistics = []byte{1}
	}
	return out
}

var errKilled = errors.New("killed by the test")
