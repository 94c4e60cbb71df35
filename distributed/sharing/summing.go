package sharing

import (
	"errors"

	"github.com/dl4go/dl4go/threshold"
)

// release adds up the updates of a release. It keeps their payloads, too, for updates whose sum would not be exact.
type release struct {
	sum      *threshold.Sum
	inexact  bool
	dense    bool // the messages of sums are dense
	payloads []byte
	message  threshold.Message
}

// add adds an update's message to the sum.
func (r *release) add(m *threshold.Message) {
	if !r.inexact && !r.sum.Add(m) {
		r.inexact = true
	}
}

// take returns the payload of the release, and begins the next one. It is the message of the sum. If the sum is not
// exact, it is all messages of all updates.
func (r *release) take() []byte {
	payloads, inexact := r.payloads, r.inexact
	r.payloads, r.inexact = nil, false
	if inexact {
		r.sum.Drop()
		return payloads
	}
	r.sum.Take(&r.message)
	if r.message.Form == threshold.Empty {
		return nil
	}
	return appendMessage(nil, &r.message, r.dense)
}

// Sum subtracts the sum of the release's updates from the parameters, and returns its payload.
func (r *reference) Sum() ([]byte, error) {
	if r.release == nil {
		return nil, errors.New("this reference adds nothing up")
	}
	payload := r.release.take()
	r.released += int64(len(payload))
	return payload, eachMessage(payload, r.size, &r.message, func(m *threshold.Message) error {
		return r.coder.Subtract(m, r.params)
	})
}
