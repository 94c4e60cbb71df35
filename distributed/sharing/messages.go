package sharing

import (
	"encoding/binary"
	"fmt"

	"github.com/dl4go/dl4go/threshold"
)

// A minibatch's payload is the messages of its steps, in their order, each after its length (uvarint): one, or under
// truncated back-propagation one for each segment. It is empty for a single step that moves nothing.

// appendMessage appends a step's message.
func appendMessage(payload []byte, m *threshold.Message) []byte {
	b := m.AppendWire(nil)
	return append(binary.AppendUvarint(payload, uint64(len(b))), b...)
}

// readMessages reads a payload whole, which may come from anywhere. The messages are in the memory of those that were read
// before. An error says which one is wrong.
func readMessages(payload []byte, params int, messages []threshold.Message) ([]threshold.Message, error) {
	messages = messages[:0]
	for len(payload) > 0 {
		i := len(messages)
		size, n := binary.Uvarint(payload)
		if n <= 0 || size > uint64(len(payload)-n) {
			return messages, fmt.Errorf("message %d of a minibatch has not the length that it says, in %d bytes", i, len(payload))
		}
		if i < cap(messages) {
			messages = messages[:i+1]
		} else {
			messages = append(messages, threshold.Message{})
		}
		if err := messages[i].ReadWire(payload[n:n+int(size)], params); err != nil {
			return messages, fmt.Errorf("message %d of a minibatch: %w", i, err)
		}
		payload = payload[n+int(size):]
	}
	return messages, nil
}
