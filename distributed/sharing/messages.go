package sharing

import (
	"encoding/binary"
	"fmt"

	"github.com/dl4go/dl4go/threshold"
)

// A minibatch's payload has the messages of its steps, in their order, each after its length (uvarint): one or, with
// truncated back-propagation, one for each segment. It is empty for a single step that moves nothing.

// appendMessage appends a step's message, in the dense coding or the compact one.
func appendMessage(payload []byte, m *threshold.Message, dense bool) []byte {
	var b []byte
	if dense {
		b = m.AppendDense(nil)
	} else {
		b = m.AppendWire(nil)
	}
	return append(binary.AppendUvarint(payload, uint64(len(b))), b...)
}

// eachMessage reads an untrusted payload, and calls take with its messages one after the other. They share the memory
// of m, as many small messages may each cover all parameters. An error names the message.
func eachMessage(payload []byte, params int, m *threshold.Message, take func(*threshold.Message) error) error {
	for i := 0; len(payload) > 0; i++ {
		size, n := binary.Uvarint(payload)
		if n <= 0 || size > uint64(len(payload)-n) {
			return fmt.Errorf("message %d of a minibatch has not the length that it says, in %d bytes", i, len(payload))
		}
		err := m.ReadWire(payload[n:n+int(size)], params)
		if err == nil {
			err = take(m)
		}
		if err != nil {
			return fmt.Errorf("message %d of a minibatch: %w", i, err)
		}
		payload = payload[n+int(size):]
	}
	return nil
}

// several reports whether a payload has more than one message.
func several(payload []byte) bool {
	size, n := binary.Uvarint(payload)
	return n > 0 && size < uint64(len(payload)-n)
}

// checkMessages checks a payload without using it.
func checkMessages(payload []byte, params int, m *threshold.Message) error {
	return eachMessage(payload, params, m, func(*threshold.Message) error { return nil })
}
