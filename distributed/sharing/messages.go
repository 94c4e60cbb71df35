package sharing

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/threshold"
)

// A minibatch's payload has the messages of its steps, in their order, each after its length (uvarint): one or, with
// truncated back-propagation, one for each segment. The outliers of a step follow as a message of their own. The
// payload is empty for a single step that moves nothing.

// writer writes payloads, in the dense coding or the compact one.
type writer struct {
	coder *threshold.Coder
	dense bool
	bytes []byte // of a payload
	room  int    // bytes of the last message's length
}

// append appends a step's message to the payload.
func (w *writer) append(m *threshold.Message) {
	from := len(w.bytes)
	body := from + max(1, w.room) // most messages are as long as the one before
	w.bytes = m.AppendOn(w.coder, slices.Grow(w.bytes, body-from)[:body], w.dense)
	var length [binary.MaxVarintLen64]byte
	w.room = binary.PutUvarint(length[:], uint64(len(w.bytes)-body))
	w.bytes = slices.Replace(w.bytes, from, body, length[:w.room]...)
}

// take returns the payload, and begins the next one. Others may keep a payload, so it has memory of its own. It is nil
// without messages.
func (w *writer) take() (payload []byte) {
	if len(w.bytes) > 0 {
		payload = bytes.Clone(w.bytes)
	}
	w.bytes = w.bytes[:0]
	return payload
}

// eachPayload calls take with the messages of an untrusted payload, in bytes, one after the other. An error names the
// message.
func eachPayload(payload []byte, take func([]byte) error) error {
	for i := 0; len(payload) > 0; i++ {
		size, n := binary.Uvarint(payload)
		if n <= 0 || size > uint64(len(payload)-n) {
			return fmt.Errorf("message %d of a minibatch has not the length that it says, in %d bytes", i, len(payload))
		}
		if err := take(payload[n : n+int(size)]); err != nil {
			return fmt.Errorf("message %d of a minibatch: %w", i, err)
		}
		payload = payload[n+int(size):]
	}
	return nil
}

// eachMessage reads an untrusted payload, and calls take with its messages one after the other. They share the memory
// of m, as many small messages may each cover all parameters. An error names the message.
func eachMessage(payload []byte, params int, m *threshold.Message, take func(*threshold.Message) error) error {
	return eachPayload(payload, func(b []byte) error {
		if err := m.ReadWire(b, params); err != nil {
			return err
		}
		return take(m)
	})
}
