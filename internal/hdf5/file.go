// Package hdf5 reads HDF5 files: groups, attributes and arrays of numbers and strings, as written by Keras and h5py.
// It supports superblocks 0 to 3, groups of both styles, object headers 1 and 2, compact, contiguous and chunked
// arrays, and the filters deflate, shuffle and Fletcher's checksum. It refuses everything that leads out of the file
// (external links and storage, virtual arrays).
//
// Files are untrusted: each address and length is checked before it is used, walks are bounded, and memory stays in
// proportion to the bytes of the file. Errors are [Error]s.
package hdf5

import (
	"bytes"
	"fmt"
	"io"
)

// Signature begins an HDF5 file.
const Signature = "\x89HDF\r\n\x1a\n"

// maxStructure bounds the bytes of one structure, such as a header block or a heap.
const maxStructure = 64 << 20

// File is an open file. Only one goroutine may use it at a time.
type File struct {
	r    io.ReaderAt
	size int64
	base uint64 // the origin of addresses

	offsets, lengths int // the sizes of addresses and lengths, in bytes

	root  uint64 // the address of the root group's header
	steps int    // number of structures that may still be read
	// room is the number of bytes of structures and arrays that may still be read. It stops at a file that contains
	// itself again and again.
	room  int64
	heaps map[uint64]*globalHeap
}

// Error says what is wrong with a file.
type Error struct {
	Offset int64  // the byte of the file; -1 if there is no such place
	Path   string // the group or array, if it is known
	Err    error
}

func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Path != "" {
		s = e.Path + ": " + s
	}
	if e.Offset >= 0 {
		s += fmt.Sprintf(" (at byte %d)", e.Offset)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

func errorAt(offset int64, format string, args ...any) error {
	return &Error{Offset: offset, Err: fmt.Errorf(format, args...)}
}

// Open reads the superblock of a file of size bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size, steps: 1<<16 + int(min(size/16, 1<<24)), room: 4*size + 1<<20,
		heaps: map[uint64]*globalHeap{}}
	for at := int64(0); at+8 <= size; at = max(512, 2*at) {
		head, err := f.bytes(uint64(at), 8)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(head, []byte(Signature)) {
			return f, f.superblock(at)
		}
		if at > 1<<30 {
			break
		}
	}
	return nil, errorAt(0, "no HDF5 file: the signature is missing")
}

// superblock reads the superblock at an offset.
func (f *File) superblock(at int64) error {
	c, err := f.cursorUpTo(uint64(at)+8, 96)
	if err != nil {
		return err
	}
	version := c.u8()
	f.base = 0
	var end uint64
	switch version {
	case 0, 1:
		c.skip(4) // versions of parts, reserved
		f.offsets, f.lengths = int(c.u8()), int(c.u8())
		c.skip(1 + 2 + 2 + 4)
		if version == 1 {
			c.skip(4)
		}
	case 2, 3:
		f.offsets, f.lengths = int(c.u8()), int(c.u8())
		c.skip(1)
	default:
		return errorAt(at+8, "the superblock has version %d: 0 to 3 are known", version)
	}
	if !wide(f.offsets) || !wide(f.lengths) {
		return errorAt(at+8, "addresses of %d and lengths of %d bytes: they have 2, 4 or 8", f.offsets, f.lengths)
	}
	c.offsets, c.lengths = f.offsets, f.lengths
	base := c.address()
	c.address() // free space, or the extension
	end = c.address()
	if version < 2 {
		c.address() // of the driver
		c.length()  // the root's name
	}
	f.root = c.address()
	if c.err != nil {
		return c.err
	}
	if base > uint64(f.size) {
		return errorAt(at, "the base address %d is past the end of the file", base)
	}
	f.base = base
	if end == undefined || end > uint64(f.size) {
		return errorAt(at, "the file should have %d bytes, and has %d: it is cut off", end, f.size)
	}
	return nil
}

func wide(n int) bool { return n == 2 || n == 4 || n == 8 }

// step counts a structure.
func (f *File) step() error {
	if f.steps--; f.steps < 0 {
		return errorAt(-1, "the file has more structures than its size allows: some lead in a circle")
	}
	return nil
}

// bytes reads n bytes at an address.
func (f *File) bytes(address, n uint64) ([]byte, error) {
	if err := f.within(address, n); err != nil {
		return nil, err
	}
	if f.room -= int64(n); f.room < 0 {
		return nil, errorAt(int64(address),
			"the parts of the file are together larger than the file: some are used many times")
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, int64(f.base+address)); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}

// within checks that n bytes at an address are in the file.
func (f *File) within(address, n uint64) error {
	left := uint64(f.size) - f.base
	if address > left || n > left-address {
		at := int64(-1)
		if address <= left {
			at = int64(address)
		}
		return errorAt(at, "%d bytes at address %d reach past the end of the file, %d", n, address, left)
	}
	return nil
}

// cursor reads a structure of n bytes.
func (f *File) cursor(address, n uint64) (*cursor, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	if n > maxStructure {
		return nil, errorAt(int64(min(address, 1<<62)), "a structure of %d bytes: there may be %d", n, maxStructure)
	}
	b, err := f.bytes(address, n)
	return &cursor{b: b, at: address, offsets: f.offsets, lengths: f.lengths}, err
}

// cursorUpTo is cursor for n bytes, or fewer at the end of the file.
func (f *File) cursorUpTo(address, n uint64) (*cursor, error) {
	if left := uint64(f.size) - f.base; address < left {
		n = min(n, left-address)
	}
	return f.cursor(address, n)
}
