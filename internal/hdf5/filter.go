package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

// filter is a transformation of chunks before they are stored.
type filter struct {
	id     uint16
	values []uint32
}

// The supported filters.
const (
	deflate    = 1
	shuffle    = 2
	fletcher32 = 3
)

// readFilters reads a filter message.
func readFilters(c *cursor) (list []filter, err error) {
	at := int64(c.at)
	version, n := c.u8(), int(c.u8())
	switch version {
	case 1:
		c.skip(6)
	case 2:
	default:
		return nil, errorAt(at, "filters of version %d: 1 and 2 are known", version)
	}
	if n > 32 {
		return nil, errorAt(at, "%d filters: there may be 32", n)
	}
	for range n {
		f := filter{id: c.u16()}
		name := 0
		if version == 1 || f.id >= 256 {
			name = int(c.u16())
		}
		c.skip(2)
		values := int(c.u16())
		if version == 1 {
			name = (name + 7) / 8 * 8
		}
		c.skip(name)
		for i := 0; i < values && c.err == nil; i++ {
			f.values = append(f.values, c.u32())
		}
		if version == 1 && values%2 == 1 {
			c.skip(min(4, c.left()))
		}
		if c.err != nil {
			return nil, c.err
		}
		if f.id < deflate || f.id > fletcher32 {
			names := map[uint16]string{4: "szip", 5: "nbit", 6: "scaleoffset", 32000: "LZF",
				32001: "Blosc", 32004: "LZ4",
				32015: "Zstandard"}
			return nil, errorAt(at, "its chunks go through the filter %d (%s): deflate, shuffle and Fletcher-32 are known",
				f.id, names[f.id])
		}
		list = append(list, f)
	}
	return list, nil
}

// unfilter reverses the filters, from last to first. full is the size of the chunk.
func unfilter(b []byte, filters []filter, mask uint32, size int, full uint64) (_ []byte, err error) {
	for i := len(filters) - 1; i >= 0; i-- {
		if mask>>i&1 != 0 {
			continue
		}
		switch filters[i].id {
		case deflate:
			b, err = inflate(b, full)
		case shuffle:
			b = unshuffle(b, size)
		case fletcher32:
			b, err = checked(b)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// inflate decompresses at most a chunk and a checksum.
func inflate(b []byte, full uint64) ([]byte, error) {
	if full/maxRatio > uint64(len(b)) {
		return nil, fmt.Errorf("%d bytes cannot inflate to %d", len(b), full)
	}
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(full)+8))
	if err == nil && uint64(len(out)) > full+4 {
		err = fmt.Errorf("it inflates to more than %d bytes", full)
	}
	return out, err
}

// unshuffle reassembles the bytes of each element.
func unshuffle(b []byte, size int) []byte {
	n := len(b) / size
	out := make([]byte, len(b))
	for i := range n {
		for k := range size {
			out[i*size+k] = b[k*n+i]
		}
	}
	copy(out[n*size:], b[n*size:])
	return out
}

// checked checks a Fletcher-32 checksum and removes it.
func checked(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("the checksum is missing")
	}
	data, want := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	var low, high uint32
	for i := 0; i < len(data); i += 2 {
		word := uint32(data[i]) << 8
		if i+1 < len(data) {
			word |= uint32(data[i+1])
		}
		low = (low + word) % 65535
		high = (high + low) % 65535
	}
	if want>>16%65535 != high || want&0xffff%65535 != low { // 0 may be written as 65535
		return nil, fmt.Errorf("the checksum is %08x, not %08x", high<<16|low, want)
	}
	return data, nil
}
