package serve

import "time"

// Limits of an unused seat: the memory that it may keep, and how long it keeps more.
const (
	keptMemory = 32 << 20
	keptTime   = 30 * time.Second
)

// memory is the bytes of the seat's programs and arrays.
func (s *seat) memory() (n int64) {
	for _, t := range s.slots {
		n = max(n, t.held)
	}
	return n
}

// tidy gives the seat's memory back. The next minibatch compiles its program again.
func (s *seat) tidy() {
	if s.net.OnDevice() { // whose executor takes long to open
		s.slots = nil
		return
	}
	s.close()
}

// tidyLater has the memory of large minibatches given back once a seat is not used for a while. The caller holds the
// lock.
func (d *dispatcher) tidyLater(s *seat) {
	s.used = time.Now()
	if d.idle == nil && !d.closed && s.memory() > keptMemory {
		d.idle = time.AfterFunc(keptTime, d.tidy)
	}
}

// tidy tidies the seats that were not used for a while.
func (d *dispatcher) tidy() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = nil
	if d.closed {
		return
	}
	wait := time.Duration(0)
	for _, s := range d.free {
		if s.memory() <= keptMemory {
			continue
		}
		if unused := time.Since(s.used); unused >= keptTime {
			s.tidy()
		} else {
			wait = max(wait, keptTime-unused)
		}
	}
	if wait > 0 {
		d.idle = time.AfterFunc(wait, d.tidy)
	}
}
