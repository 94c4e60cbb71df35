package sharing

import (
	"errors"
	"slices"

	"github.com/dl4go/dl4go/threshold"
)

// release adds up the updates of a release. It keeps their payloads, too, for updates whose sum would not be exact.
type release struct {
	sum      *threshold.Sum
	inexact  bool
	writer   writer // of sums
	payloads [][]byte
}

// take adds an update.
func (r *release) take(u *decoded, size int) error {
	r.payloads = append(r.payloads, u.payload)
	return u.each(size, func(m *threshold.Message) error {
		r.inexact = r.inexact || !r.sum.Add(m)
		return nil
	})
}

// end returns the payload of the release, and begins the next one. It is the message of the sum, to which it sets m. If
// the sum is not exact, it is all messages of all updates.
func (r *release) end(m *threshold.Message) (payload []byte, exact bool) {
	exact = !r.inexact
	if !exact {
		r.sum.Drop()
		payload = slices.Concat(r.payloads...)
	} else if r.sum.Take(m); m.Form != threshold.Empty {
		r.writer.append(m)
		payload = r.writer.take()
	}
	clear(r.payloads)
	r.payloads, r.inexact = r.payloads[:0], false
	return payload, exact
}

// Sum returns the payload of the release. The message of an exact sum waits to be subtracted.
func (r *reference) Sum() ([]byte, error) {
	if r.release == nil {
		return nil, errors.New("this reference adds nothing up")
	}
	r.catchUp()
	u := r.decoder.next(nil)
	u.n = 0
	payload, exact := r.release.end(u.next())
	if u.payload, u.n, u.many, u.err = payload, 1, false, nil; !exact {
		u.read(r.twin.Params)
	}
	r.waiting = append(r.waiting, u)
	r.released += int64(len(payload))
	return payload, u.err
}
