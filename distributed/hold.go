package distributed

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/dl4go/dl4go/tensor"
)

// held is the network that the workers hold: for open results, and for Hold.
type held struct {
	mu  sync.Mutex
	now *holding // nil if none is held
}

type holding struct {
	sent
	sum     uint64 // of configuration and parameters
	users   int
	release func()
}

var holdSeed = maphash.MakeSeed()

// hold sends a copy of the network to the workers, unless they have it as it is now. They keep it until release is
// called.
func (m *placed) hold(ctx context.Context, batch int) (a applied, release func(), err error) {
	if a, err = m.settings(batch); err != nil {
		return a, nil, err
	}
	conf, err := m.net.Configuration()
	if err != nil {
		return a, nil, err
	}
	sum := checksum(conf, m.net.Params())
	s := &m.held
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.now
	if n == nil || n.sum != sum {
		// A copy, which later training does not change.
		there, release, err := m.send(ctx, conf, tensor.AppendBytes(nil, m.net.Params()))
		if err != nil {
			return a, nil, err
		}
		n = &holding{there, sum, 0, release}
		s.now = n
	}
	n.users++
	a.sent = n.sent
	return a, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if n.users--; n.users > 0 {
			return
		}
		n.release()
		if s.now == n {
			s.now = nil
		}
	}, nil
}

// Hold sends the network, as it is now, to the workers, and keeps it there until release is called. Evaluations, scores
// and predictions in between do not send it again.
func (m *placed) Hold(ctx context.Context) (release func(), err error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	_, release, err = m.hold(ctx, 0)
	return release, err
}

// borrow is hold if the workers hold a network for open results. Otherwise it copies nothing: the parameters must not
// change until release.
func (m *placed) borrow(ctx context.Context, batch int) (a applied, release func(), err error) {
	m.held.mu.Lock()
	open := m.held.now != nil
	m.held.mu.Unlock()
	if open {
		return m.hold(ctx, batch)
	}
	if a, err = m.settings(batch); err != nil {
		return a, nil, err
	}
	conf, err := m.net.Configuration()
	if err != nil {
		return a, nil, err
	}
	a.sent, release, err = m.send(ctx, conf, tensor.Bytes(slices.Clip(m.net.Params())))
	return a, release, err
}

func checksum(conf []byte, params []float32) uint64 {
	var h maphash.Hash
	h.SetSeed(holdSeed)
	h.Write(conf)
	b := make([]byte, 0, 64<<10)
	for i, x := range params {
		if b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x)); len(b) == cap(b) || i == len(params)-1 {
			h.Write(b)
			b = b[:0]
		}
	}
	return h.Sum64()
}
