package hdf5

import "slices"

// maxRatio bounds how much deflate can shorten its input.
const maxRatio = 1032

// chunk is a part of an array in the file.
type chunk struct {
	address, size uint64
	mask          uint32   // filters that were not applied to it
	at            []uint64 // its first element
}

// chunks reads an array stored in chunks.
func (a *Array) chunks(size uint64) ([]byte, error) {
	l := &a.layout
	if l.address == undefined {
		return nil, errorAt(-1, "it declares %d numbers and holds none", a.n)
	}
	full, _ := elements(l.chunk)
	full *= uint64(a.typ.size)
	grid, count := make([]uint64, len(l.chunk)), uint64(1)
	for i, d := range l.chunk {
		grid[i] = (a.shape[i] + d - 1) / d
		count *= grid[i] // at most the number of elements, which is bounded
	}
	list, err := a.listChunks(grid, count, full)
	if err != nil {
		return nil, err
	}
	if uint64(len(list)) != count {
		return nil, errorAt(-1, "it has %d of its %d chunks", len(list), count)
	}
	stored := uint64(0)
	for _, c := range list {
		if err := a.f.within(c.address, c.size); err != nil {
			return nil, err
		}
		stored += c.size
	}
	if size/maxRatio > stored {
		return nil, errorAt(-1, "it declares %d numbers, and has %d bytes of chunks", a.n, stored)
	}
	out := make([]byte, size)
	for _, c := range list {
		b, err := a.f.bytes(c.address, c.size)
		if err == nil {
			b, err = unfilter(b, l.filters, c.mask, a.typ.size, full)
		}
		if err != nil {
			return nil, placed(err, c.address)
		}
		if uint64(len(b)) != full {
			return nil, errorAt(int64(c.address), "a chunk has %d bytes, not %d", len(b), full)
		}
		a.place(out, b, c.at)
	}
	return out, nil
}

// placed adds the place of a chunk to an error.
func placed(err error, address uint64) error {
	if _, ok := err.(*Error); ok {
		return err
	}
	return errorAt(int64(address), "a chunk cannot be read: %w", err)
}

// place copies the rows of a chunk to their places.
func (a *Array) place(out, b []byte, at []uint64) {
	rank, size := len(a.shape), uint64(a.typ.size)
	last := rank - 1
	index := make([]uint64, rank) // of a row in the chunk
	for {
		to, from, inside := uint64(0), uint64(0), true
		for i := range rank {
			x := at[i] + index[i]
			inside = inside && x < a.shape[i]
			to, from = to*a.shape[i]+x, from*a.layout.chunk[i]+index[i]
		}
		if inside {
			n := min(a.layout.chunk[last], a.shape[last]-at[last])
			copy(out[to*size:], b[from*size:][:n*size])
		}
		i := last - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < a.layout.chunk[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// listChunks finds the chunks.
func (a *Array) listChunks(grid []uint64, count, full uint64) (list []chunk, err error) {
	l := &a.layout
	if len(grid) == 0 {
		return nil, errorAt(-1, "a single value is stored in chunks")
	}
	if count > uint64(a.f.size) {
		return nil, errorAt(-1, "it has %d chunks, more than the file has bytes", count)
	}
	switch l.index {
	case 1:
		size := full
		if len(l.filters) > 0 {
			size = l.single
		}
		return []chunk{{l.address, size, l.mask, make([]uint64, len(grid))}}, nil
	case 2:
		for i := range count {
			list = append(list, chunk{l.address + i*full, full, 0, a.origin(i, grid)})
		}
		return list, nil
	case 3:
		return a.fixedArray(grid, count, full)
	}
	seen := map[uint64]bool{}
	err = a.chunkTree(l.address, -1, func(c chunk) error {
		number := uint64(0)
		for i, x := range c.at {
			if x%l.chunk[i] != 0 || x/l.chunk[i] >= grid[i] {
				return errorAt(int64(min(c.address, 1<<62)), "a chunk begins at %v, in an array of %v", c.at, a.shape)
			}
			number = number*grid[i] + x/l.chunk[i]
		}
		if seen[number] {
			return errorAt(int64(min(c.address, 1<<62)), "two chunks begin at %v", c.at)
		}
		seen[number] = true
		list = append(list, c)
		return nil
	})
	return list, err
}

// origin returns the first element of a chunk by its number.
func (a *Array) origin(number uint64, grid []uint64) []uint64 {
	at := make([]uint64, len(grid))
	for i := len(grid) - 1; i >= 0; i-- {
		at[i] = number % grid[i] * a.layout.chunk[i]
		number /= grid[i]
	}
	return at
}

// chunkTree walks a version-1 B-tree.
func (a *Array) chunkTree(address uint64, level int, each func(chunk) error) error {
	f := a.f
	rank := len(a.shape)
	head, key := 8+2*f.offsets, 8+8*(rank+1)
	c, err := f.cursorUpTo(address, uint64(head))
	if err != nil {
		return err
	}
	entries, at, err := f.treeNode(c, 1, level)
	if err != nil {
		return err
	}
	if c, err = f.cursor(address, uint64(head+(entries+1)*key+entries*f.offsets)); err != nil {
		return err
	}
	c.skip(head)
	for range entries {
		one := chunk{size: uint64(c.u32()), mask: c.u32()}
		for range rank {
			one.at = append(one.at, c.number(8))
		}
		c.skip(8)
		one.address = c.address()
		if c.err != nil {
			return c.err
		}
		if at > 0 {
			err = a.chunkTree(one.address, at-1, each)
		} else {
			err = each(one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fixedArray reads the chunks of an array that cannot grow.
func (a *Array) fixedArray(grid []uint64, count, full uint64) (list []chunk, err error) {
	f := a.f
	c, err := f.cursorUpTo(a.layout.address, 64)
	if err != nil {
		return nil, err
	}
	c.signature("FAHD", 0)
	client, wide, pageBits := c.u8(), int(c.u8()), c.u8()
	n, data := c.length(), c.address()
	switch {
	case c.err != nil:
		return nil, c.err
	case n != count || client > 1 || wide < f.offsets || wide > 32:
		return nil, errorAt(int64(a.layout.address), "the list of chunks has %d entries of %d bytes, for %d chunks", n, wide,
			count)
	case pageBits < 64 && n > 1<<pageBits:
		return nil, errorAt(int64(a.layout.address), "the list of %d chunks is in pages, which is not read", n)
	}
	if c, err = f.cursor(data, 6+uint64(f.offsets)+n*uint64(wide)); err != nil {
		return nil, err
	}
	c.signature("FADB", 0)
	c.skip(1 + f.offsets)
	for i := range n {
		one := chunk{address: c.address(), size: full, at: a.origin(i, grid)}
		if client == 1 {
			one.size, one.mask = c.number(wide-f.offsets-4), c.u32()
		}
		if c.err != nil {
			return nil, c.err
		}
		if one.address != undefined {
			list = append(list, one)
		}
	}
	return slices.Clip(list), nil
}
