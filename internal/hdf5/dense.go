package hdf5

import "math/bits"

// Groups and objects with many links or attributes store them in a fractal heap, indexed by a version-2 B-tree.

// fractalHeap is such a heap.
type fractalHeap struct {
	f                      *File
	offsetBytes, sizeBytes int // of heap identifiers
	width                  int
	start, maxDirect       uint64 // sizes of blocks
	root                   uint64
	rows                   int // of the root if it is an indirect block; 0: it is a direct one
	checksums              bool
}

// denseRecords calls each for every object of the heap that the tree's records refer to.
func (f *File) denseRecords(heap, tree uint64, each func(*cursor) error) error {
	h, err := f.readFractalHeap(heap)
	if err != nil {
		return err
	}
	return f.records(tree, func(kind byte, c *cursor) error {
		switch kind {
		case 5: // links by the hashes of their names
			c.skip(4)
		case 6: // links by creation
			c.skip(8)
		case 8, 9: // attributes
		default:
			return errorAt(int64(c.at), "a B-tree of kind %d, where links or attributes should be", kind)
		}
		body, err := h.object(c)
		if err != nil {
			return err
		}
		return each(body)
	})
}

func (f *File) readFractalHeap(address uint64) (*fractalHeap, error) {
	c, err := f.cursorUpTo(address, 256)
	if err != nil {
		return nil, err
	}
	c.signature("FRHP", 0)
	c.skip(2)
	filters, flags := c.u16(), c.u8()
	maxManaged := uint64(c.u32())
	c.length()
	c.address()
	c.length()
	c.address()
	for range 8 {
		c.length()
	}
	h := &fractalHeap{f: f, checksums: flags&2 != 0}
	h.width = int(c.u16())
	h.start, h.maxDirect = c.length(), c.length()
	maxBits := int(c.u16())
	c.u16()
	h.root = c.address()
	h.rows = int(c.u16())
	switch {
	case c.err != nil:
		return nil, c.err
	case filters != 0:
		return nil, errorAt(int64(address), "the heap is compressed, which is not read")
	case h.width == 0 || h.start == 0 || h.maxDirect < h.start || maxBits == 0 || maxBits > 64 || h.rows > 64:
		return nil, errorAt(int64(address), "the heap's sizes do not fit together")
	}
	h.offsetBytes = (maxBits + 7) / 8
	h.sizeBytes = (bits.Len64(min(h.maxDirect, maxManaged)) + 7) / 8
	return h, nil
}

// object reads the object of an identifier.
func (h *fractalHeap) object(c *cursor) (*cursor, error) {
	at := c.place()
	first := c.u8()
	switch kind := first >> 4 & 3; {
	case c.err != nil:
		return nil, c.err
	case kind == 2: // tiny: in the identifier itself
		n := int(first&15) + 1
		return &cursor{b: c.take(n), at: uint64(at), offsets: c.offsets, lengths: c.lengths}, c.err
	case kind != 0:
		return nil, errorAt(at, "an object of the heap is a huge one, which is not read")
	}
	offset, size := c.number(h.offsetBytes), c.number(h.sizeBytes)
	if c.err != nil {
		return nil, c.err
	}
	address, room, err := h.find(h.root, h.rows, offset)
	if err != nil {
		return nil, err
	}
	if size > room {
		return nil, errorAt(at, "an object of the heap has %d bytes, its block %d", size, room)
	}
	return h.f.cursor(address, size)
}

// find returns the address of an offset of the heap below a block whose first offset counts as 0, and the number of
// bytes from there to the end of its direct block.
func (h *fractalHeap) find(address uint64, rows int, offset uint64) (at, room uint64, err error) {
	for range 64 {
		if rows == 0 {
			if offset >= h.maxDirect {
				return 0, 0, errorAt(int64(min(address, 1<<62)), "the heap has no offset %d", offset)
			}
			return address + offset, h.maxDirect - offset, nil
		}
		child, size, row, start := 0, h.start, 0, uint64(0)
		for ; row < rows; row++ {
			if row > 1 {
				size *= 2
			}
			if size == 0 || size > 1<<40 {
				break
			}
			if in := offset - start; in < size*uint64(h.width) {
				child = int(in / size)
				break
			}
			start += size * uint64(h.width)
		}
		if row == rows || size == 0 || size > 1<<40 {
			return 0, 0, errorAt(int64(min(address, 1<<62)), "the heap has no offset %d", offset)
		}
		c, err := h.f.cursor(address, uint64(5+h.f.offsets+h.offsetBytes+(row*h.width+child+1)*h.f.offsets))
		if err != nil {
			return 0, 0, err
		}
		c.signature("FHIB", 0)
		c.skip(h.f.offsets + h.offsetBytes + (row*h.width+child)*h.f.offsets)
		next := c.address()
		if c.err != nil {
			return 0, 0, c.err
		}
		offset -= start + uint64(child)*size
		if size <= h.maxDirect {
			return next + offset, size - offset, nil
		}
		address = next
		rows = bits.Len64(size / (h.start * uint64(h.width))) // rows needed for the size
	}
	return 0, 0, errorAt(-1, "the heap's blocks lead in a circle")
}

// records calls each for every record of a version-2 B-tree.
func (f *File) records(address uint64, each func(kind byte, c *cursor) error) error {
	c, err := f.cursorUpTo(address, 64)
	if err != nil {
		return err
	}
	c.signature("BTHD", 0)
	t := tree2{f: f, kind: c.u8(), node: uint64(c.u32()), record: int(c.u16()), each: each}
	depth := int(c.u16())
	c.skip(2)
	root, n := c.address(), int(c.u16())
	switch {
	case c.err != nil:
		return c.err
	case depth > 32 || t.record == 0 || t.node < 16 || t.node > maxStructure:
		return errorAt(int64(address), "the B-tree's sizes do not fit together")
	case root == undefined:
		return nil
	}
	t.plan(depth)
	return t.walk(root, depth, n)
}

// tree2 is a version-2 B-tree.
type tree2 struct {
	f      *File
	kind   byte
	node   uint64 // bytes of a node
	record int
	counts []int // width in bytes of a count of records, by level
	totals []int // width in bytes of a count of all records below, by level
	each   func(kind byte, c *cursor) error
}

// plan computes the widths of counts on each level.
func (t *tree2) plan(depth int) {
	wide := func(n uint64) int { return (bits.Len64(n) + 7) / 8 }
	most := (t.node - 10) / uint64(t.record)
	t.counts, t.totals = []int{wide(most)}, []int{0}
	total := most
	for level := 1; level <= depth; level++ {
		pointer := uint64(t.f.offsets + t.counts[level-1] + t.totals[level-1])
		most := (t.node - 10 - min(pointer, t.node-10)) / (uint64(t.record) + pointer)
		if total < 1<<40 {
			total = (most+1)*total + most
		}
		t.counts, t.totals = append(t.counts, wide(most)), append(t.totals, wide(total))
	}
}

func (t *tree2) walk(address uint64, level, n int) error {
	c, err := t.f.cursor(address, t.node)
	if err != nil {
		return err
	}
	if level == 0 {
		c.signature("BTLF", 0)
	} else {
		c.signature("BTIN", 0)
	}
	c.skip(1)
	for range n {
		r := &cursor{at: uint64(c.place()), offsets: c.offsets, lengths: c.lengths}
		r.b = c.take(t.record)
		if c.err != nil {
			return c.err
		}
		if err := t.each(t.kind, r); err != nil {
			return err
		}
	}
	if level == 0 {
		return c.err
	}
	for range n + 1 {
		child, below := c.address(), int(c.number(t.counts[level-1]))
		c.skip(t.totals[level-1])
		if c.err != nil {
			return c.err
		}
		if err := t.walk(child, level-1, below); err != nil {
			return err
		}
	}
	return nil
}
