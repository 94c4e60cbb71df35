package sharing

import "github.com/dl4go/dl4go/threshold"

// backlog has committed messages that are not subtracted from the parameters yet. Parameters are larger than a processor's own
// caches, so that what is subtracted together goes through memory once.
type backlog struct {
	coder *threshold.Coder
	all   []*threshold.Message
	own   *threshold.Message   // of all, that is an encoder's
	spare []*threshold.Message // whose memory serves the next ones
}

// mostBacklog bounds the memory that the messages take.
const mostBacklog = 8

// add takes a message that stays as it is until subtract.
func (b *backlog) add(m *threshold.Message, params []float32) error {
	b.all, b.own = append(b.all, m), m
	return b.bounded(params)
}

// read takes a message off the wire.
func (b *backlog) read(payload []byte, params []float32) (*threshold.Message, error) {
	m := new(threshold.Message)
	if n := len(b.spare); n > 0 {
		m, b.spare = b.spare[n-1], b.spare[:n-1]
	}
	if err := m.ReadWire(payload, len(params)); err != nil {
		b.spare = append(b.spare, m)
		return nil, err
	}
	b.all = append(b.all, m)
	return m, b.bounded(params)
}

func (b *backlog) bounded(params []float32) error {
	if len(b.all) < mostBacklog {
		return nil
	}
	return b.subtract(params)
}

// subtract takes all from the parameters, in the order in which they came.
func (b *backlog) subtract(params []float32) error {
	err := b.coder.SubtractAll(b.all, params)
	b.drop()
	return err
}

// drop forgets them.
func (b *backlog) drop() {
	for _, m := range b.all {
		if m != b.own {
			b.spare = append(b.spare, m)
		}
	}
	clear(b.all)
	b.all, b.own = b.all[:0], nil
}
