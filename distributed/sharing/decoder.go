package sharing

import (
	"slices"
	"sync"

	"github.com/dl4go/dl4go/threshold"
)

// decoder decodes the updates that a coordinator receives, several at a time.
type decoder struct {
	size     int // parameters
	threads  int
	expected [][]byte   // payloads that are not decoded yet
	ready    []*decoded // decoded before they were asked for
	free     []*decoded // memory for others
}

// decoded is an update's messages, or the error in its payload.
type decoded struct {
	payload  []byte
	messages []*threshold.Message // those after the first n are memory for others
	n        int
	many     bool // there are more than messages has
	err      error
}

// all returns the messages, unless there are many.
func (d *decoded) all() []*threshold.Message { return d.messages[:d.n] }

// each calls take with the messages, one after the other.
func (d *decoded) each(size int, take func(*threshold.Message) error) error {
	if d.many {
		return eachMessage(d.payload, size, d.next(), take)
	}
	for _, m := range d.all() {
		if err := take(m); err != nil {
			return err
		}
	}
	return nil
}

// next returns memory for a message.
func (d *decoded) next() *threshold.Message {
	if d.n == len(d.messages) {
		d.messages = append(d.messages, &threshold.Message{})
	}
	return d.messages[d.n]
}

// words returns the memory of the messages, in words of 4 bytes.
func (d *decoded) words() (n int) {
	for _, m := range d.all() {
		n += len(m.Entries) + len(m.Multiples) + len(m.Words)
	}
	return n
}

// mostMessages bounds the messages of an update that are in memory at the same time. Truncated back-propagation makes
// several.
const mostMessages = 32

// read decodes the payload. It only checks messages that would take much memory together.
func (d *decoded) read(size int) {
	d.n, d.many = 0, false
	d.err = eachPayload(d.payload, func(b []byte) error {
		if d.n == mostMessages || d.n > 0 && d.words() > size/15 {
			d.n, d.many = 0, true
		}
		err := d.next().ReadWire(b, size)
		if !d.many {
			d.n++
		}
		return err
	})
}

// expect lists the payloads that take is likely to be called with, in this order.
func (d *decoder) expect(payloads [][]byte) {
	d.free = append(d.free, d.ready...)
	d.ready, d.expected = d.ready[:0], payloads
}

// fewBytes is the size of payloads for which other threads would take longer to begin than one takes to decode them.
const fewBytes = 16 << 10

// take returns a payload's messages. With them it decodes as many of the expected payloads as there are threads.
// Whoever takes messages gives their memory back.
func (d *decoder) take(payload []byte) *decoded {
	for i, u := range d.ready {
		if identical(u.payload, payload) {
			d.ready = slices.Delete(d.ready, i, i+1)
			return u
		}
	}
	first := d.next(payload)
	group, bytes := []*decoded{first}, len(payload)
	if at := slices.IndexFunc(d.expected, func(b []byte) bool { return identical(b, payload) }); at >= 0 {
		d.expected = d.expected[at+1:]
		for len(group) < d.threads && len(d.expected) > 0 {
			bytes += len(d.expected[0])
			group = append(group, d.next(d.expected[0]))
			d.expected = d.expected[1:]
		}
	}
	var others sync.WaitGroup
	for _, u := range group[1:] {
		if bytes < fewBytes {
			u.read(d.size)
			continue
		}
		others.Go(func() { u.read(d.size) })
	}
	first.read(d.size)
	others.Wait()
	d.ready = append(d.ready, group[1:]...)
	return first
}

// next returns memory for a payload's messages.
func (d *decoder) next(payload []byte) *decoded {
	u := &decoded{}
	if n := len(d.free); n > 0 {
		u, d.free = d.free[n-1], d.free[:n-1]
	}
	u.payload = payload
	return u
}

func (d *decoder) give(all ...*decoded) { d.free = append(d.free, all...) }

// identical reports whether two payloads are the same memory.
func identical(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
