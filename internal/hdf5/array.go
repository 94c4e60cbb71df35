package hdf5

import "fmt"

// Array is an array of numbers in the file (an HDF5 data set).
type Array struct {
	*object
	shape  []uint64
	typ    datatype
	n      uint64 // elements
	layout layout
}

// layout says where the bytes of an array are.
type layout struct {
	class   byte   // 0 compact, 1 contiguous, 2 chunked
	inline  []byte // of compact ones
	address uint64
	size    uint64
	index   byte // of chunks: 0 is a version-1 B-tree, other values are those of layout message 4
	chunk   []uint64
	single  uint64 // length in bytes of a single filtered chunk
	mask    uint32 // filters that were not applied to it
	page    byte
	filters []filter
}

// array reads the description of an array.
func (o *object) array() (*Array, error) {
	a := &Array{object: o}
	return a, o.in(a.describe())
}

func (a *Array) describe() error {
	space, typ, where := a.find(spaceMessage), a.find(typeMessage), a.find(layoutMessage)
	if space == nil || typ == nil || where == nil {
		return errorAt(-1, "it is not an array")
	}
	if a.find(externalMessage) != nil {
		return errorAt(-1, "its numbers are in other files (external storage), which are not opened")
	}
	var null bool
	var err error
	if a.shape, null, err = readSpace(space); err != nil {
		return err
	}
	if null {
		a.shape = []uint64{0}
	}
	if a.typ, err = readType(typ); err != nil {
		return err
	}
	n, ok := elements(a.shape)
	if !ok || n > 1<<40 {
		return errorAt(-1, "the shape %v has too many elements", a.shape)
	}
	a.n = n
	if c := a.find(filterMessage); c != nil {
		if a.layout.filters, err = readFilters(c); err != nil {
			return err
		}
	}
	return a.layout.read(where, len(a.shape), a.typ.size)
}

// read reads a layout message.
func (l *layout) read(c *cursor, rank, size int) error {
	at := int64(c.at)
	version := c.u8()
	if version < 3 || version > 5 {
		return errorAt(at, "an array's layout of version %d: 3 to 5 are known", version)
	}
	switch l.class = c.u8(); l.class {
	case 0:
		l.inline = c.take(int(c.u16()))
	case 1:
		l.address, l.size = c.address(), c.length()
	case 2:
		if version == 3 {
			return l.chunked3(c, rank, size)
		}
		return l.chunked4(c, rank, size)
	case 3:
		return errorAt(at, "it is a virtual array of other files' ones, which are not opened")
	default:
		return errorAt(at, "an array's layout of class %d is unknown", l.class)
	}
	return c.err
}

// chunkShape reads the extents of a chunk. The last one is the size of an element.
func (l *layout) chunkShape(c *cursor, at int64, shape []uint64, rank, size int) error {
	if c.err != nil {
		return c.err
	}
	if len(shape) != rank+1 || shape[rank] != uint64(size) {
		return errorAt(at, "the chunks have the shape %v, for %d dimensions and elements of %d bytes", shape, rank, size)
	}
	l.chunk = shape[:rank]
	if n, ok := elements(shape); !ok || n == 0 || n > 1<<31 {
		return errorAt(at, "chunks of the shape %v", l.chunk)
	}
	return nil
}

func (l *layout) chunked3(c *cursor, rank, size int) error {
	at := int64(c.at)
	n := int(c.u8())
	l.address = c.address()
	var shape []uint64
	for range min(n, maxRank+1) {
		shape = append(shape, uint64(c.u32()))
	}
	return l.chunkShape(c, at, shape, rank, size)
}

func (l *layout) chunked4(c *cursor, rank, size int) error {
	at := int64(c.at)
	flags, n, wide := c.u8(), int(c.u8()), int(c.u8())
	if wide < 1 || wide > 8 {
		return errorAt(at, "the extents of chunks have %d bytes", wide)
	}
	var shape []uint64
	for range min(n, maxRank+1) {
		shape = append(shape, c.number(wide))
	}
	if err := l.chunkShape(c, at, shape, rank, size); err != nil {
		return err
	}
	switch l.index = c.u8(); l.index {
	case 1:
		if flags&2 != 0 {
			l.single, l.mask = c.length(), c.u32()
		}
	case 2:
	case 3:
		l.page = c.u8()
	case 4, 5:
		return errorAt(at, "the chunks are found by an extensible array or a B-tree of version 2, as those of arrays that "+
			"can grow; write the array with a fixed shape")
	default:
		return errorAt(at, "chunks with an index of kind %d are unknown", l.index)
	}
	l.address = c.address()
	return c.err
}

// Shape returns the extents.
func (a *Array) Shape() []uint64 { return a.shape }

// Path is the array's path.
func (a *Array) Path() string { return a.path }

// Floats reads the numbers as float32, in C order. Numbers of other types are converted.
func (a *Array) Floats() ([]float32, error) {
	b, err := a.raw()
	if err != nil {
		return nil, a.in(err)
	}
	out := make([]float32, a.n)
	for i := range out {
		out[i] = float32(a.typ.float(b[i*a.typ.size:]))
	}
	return out, nil
}

// raw reads the bytes.
func (a *Array) raw() ([]byte, error) {
	if a.typ.kind != integers && a.typ.kind != floats {
		return nil, errorAt(-1, "it holds no numbers")
	}
	size := a.n * uint64(a.typ.size)
	if size == 0 {
		return nil, nil
	}
	switch l := a.layout; l.class {
	case 0:
		if uint64(len(l.inline)) < size {
			return nil, errorAt(-1, "it should have %d bytes, and has %d", size, len(l.inline))
		}
		return l.inline[:size], nil
	case 1:
		if l.address == undefined {
			return nil, errorAt(-1, "it declares %d numbers and holds none", a.n)
		}
		if l.size < size {
			return nil, errorAt(int64(min(l.address, 1<<62)), "it should have %d bytes, and has %d", size, l.size)
		}
		return a.f.bytes(l.address, size)
	}
	return a.chunks(size)
}

// Held checks that the file has the bytes of the array, as far as possible without reading them.
func (a *Array) Held() error {
	size := a.n * uint64(a.typ.size)
	switch l := a.layout; {
	case size == 0:
		return nil
	case l.address == undefined && l.class != 0:
		return a.in(errorAt(-1, "it declares %d numbers and holds none", a.n))
	case l.class == 1:
		return a.in(a.f.within(l.address, size))
	case l.class == 2 && size > uint64(a.f.size)*maxRatio:
		return a.in(errorAt(-1, "it declares %d numbers, more than a file of %d bytes can hold", a.n, a.f.size))
	}
	return nil
}

func (a *Array) String() string { return fmt.Sprintf("%s %v", a.path, a.shape) }
