package analysis

// numberTable counts 64-bit integers, with open addressing.
type numberTable struct {
	slots []numberSlot // the number of slots is a power of two; a slot with n = 0 is free
	used  int
}

type numberSlot struct {
	key uint64
	count
}

// at returns the count of a key, which the caller must make positive. It is valid until the next call.
func (t *numberTable) at(key uint64) *count {
	if t.used >= len(t.slots)/4*3 {
		t.grow()
	}
	s := t.slot(key)
	if s.n == 0 {
		s.key = key
		t.used++
	}
	return &s.count
}

// slot returns the slot of a key, or the free slot for it.
func (t *numberTable) slot(key uint64) *numberSlot {
	mask := uint64(len(t.slots) - 1)
	for i := scramble(key); ; i++ {
		if s := &t.slots[i&mask]; s.n == 0 || s.key == key {
			return s
		}
	}
}

// reserve makes an empty table large enough for n keys.
func (t *numberTable) reserve(n int) {
	size := 64
	for n >= size/4*3 {
		size *= 2
	}
	t.slots = make([]numberSlot, size)
}

func (t *numberTable) grow() {
	old := t.slots
	t.slots = make([]numberSlot, max(64, 2*len(old)))
	for i := range old {
		if old[i].n != 0 {
			*t.slot(old[i].key) = old[i]
		}
	}
}

// each calls do for all keys and counts. The order must not matter.
func (t *numberTable) each(do func(key uint64, c count)) {
	for i := range t.slots {
		if s := &t.slots[i]; s.n != 0 {
			do(s.key, s.count)
		}
	}
}

// get returns the count of a key.
func (t *numberTable) get(key uint64) count {
	if t.used == 0 {
		return count{}
	}
	return t.slot(key).count
}
