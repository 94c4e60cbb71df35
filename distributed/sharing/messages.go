package sharing

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/threshold"
)

// A minibatch's payload has the messages of its steps, in their order, each after its length (uvarint): one or, with
// truncated back-propagation, one for each segment. The outliers of a step follow as a message of their own. The
// payload is empty for a single step that moves nothing.

// writer writes messages, in the dense coding or the compact one.
type writer struct {
	coder *threshold.Coder
	dense bool
	bytes []byte // of a message
}

// append appends a step's message to a payload. Payloads are not written again, but the writer's memory is.
func (w *writer) append(payload []byte, m *threshold.Message) []byte {
	w.bytes = m.AppendOn(w.coder, w.bytes[:0], w.dense)
	payload = slices.Grow(payload, binary.MaxVarintLen64+len(w.bytes))
	return append(binary.AppendUvarint(payload, uint64(len(w.bytes))), w.bytes...)
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
