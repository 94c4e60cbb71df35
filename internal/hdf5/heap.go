package hdf5

import "bytes"

// localHeap holds the names of an old-style group.
type localHeap struct{ data []byte }

func (f *File) readLocalHeap(address uint64) (*localHeap, error) {
	c, err := f.cursorUpTo(address, uint64(8+2*f.lengths+f.offsets))
	if err != nil {
		return nil, err
	}
	c.signature("HEAP", 0)
	c.skip(3)
	size := c.length()
	c.length()
	data := c.address()
	if c.err != nil {
		return nil, c.err
	}
	body, err := f.cursor(data, size)
	if err != nil {
		return nil, err
	}
	return &localHeap{body.b}, nil
}

// name returns the zero-terminated string at an offset.
func (h *localHeap) name(offset uint64) (string, bool) {
	if offset >= uint64(len(h.data)) {
		return "", false
	}
	end := bytes.IndexByte(h.data[offset:], 0)
	if end < 0 {
		return "", false
	}
	return string(h.data[offset:][:end]), true
}

// globalHeap is a collection of strings of any length, by number.
type globalHeap struct{ objects map[uint32][]byte }

// heapObject returns an object of the global heap.
func (f *File) heapObject(address uint64, index uint32) ([]byte, error) {
	h := f.heaps[address]
	if h == nil {
		var err error
		if h, err = f.readGlobalHeap(address); err != nil {
			return nil, err
		}
		f.heaps[address] = h
	}
	b, ok := h.objects[index]
	if !ok {
		return nil, errorAt(int64(address), "the global heap has no object %d", index)
	}
	return b, nil
}

func (f *File) readGlobalHeap(address uint64) (*globalHeap, error) {
	c, err := f.cursor(address, uint64(8+f.lengths))
	if err != nil {
		return nil, err
	}
	c.signature("GCOL", 1)
	c.skip(3)
	size := c.length()
	if c.err != nil {
		return nil, c.err
	}
	head := c.pos
	if size < uint64(head) {
		return nil, errorAt(int64(address), "the global heap has a size of %d bytes", size)
	}
	if c, err = f.cursor(address, size); err != nil {
		return nil, err
	}
	c.skip(head)
	h := &globalHeap{objects: map[uint32][]byte{}}
	for c.left() >= 8+f.lengths {
		index := uint32(c.u16())
		c.skip(6)
		n := c.length()
		if index == 0 || n > uint64(c.left()) { // the free space
			if index != 0 {
				return nil, errorAt(c.place(), "object %d of the global heap has %d bytes, the heap %d more", index, n, c.left())
			}
			break
		}
		h.objects[index] = c.take(int(n))
		c.align(8)
	}
	return h, c.err
}
