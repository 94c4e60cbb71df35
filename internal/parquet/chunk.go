package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/dl4go/dl4go/pipeline"
)

// chunk reads the values of a leaf in a row group, page by page.
type chunk struct {
	leaf
	meta  chunkMeta
	codec *codec
	in    *bufio.Reader
	left  int64 // bytes of pages that are not read
	to    []byte
	fixed bool // a page may reuse the memory of the one before
	text  bool // the values are read as texts

	dict     *values
	texts    *textDictionary // instead of dict, for texts
	dictSize int
	shared   *pipeline.Dictionary // of the values in dict; nil before it is asked for
	entries  int64                // of pages that are not read
	page     int                  // entries left in the page
	rep, def hybrid
	source   decoder

	textSource textDecoder // instead of source, for texts
}

// open begins with a row group's column, with a buffer of the given bytes.
func (c *chunk) open(in io.ReaderAt, meta chunkMeta, buffer int) {
	c.meta = meta
	from := meta.data
	if meta.dictionary > 0 && meta.dictionary < from {
		from = meta.dictionary
	}
	section := io.NewSectionReader(in, from, meta.size)
	buffer = min(buffer, max(int(meta.size), 16))
	if c.in == nil {
		if s, ok := spares.Get().(*spare); ok {
			c.in, c.to = s.in, s.to
		}
	}
	if c.in == nil || c.in.Size() < buffer {
		c.in = bufio.NewReaderSize(section, buffer)
	} else {
		c.in.Reset(section)
	}
	c.left, c.entries, c.page = meta.size, meta.values, 0
	c.dict, c.texts, c.dictSize, c.shared = nil, nil, 0, nil
	c.fixed = c.text || c.physical != physicalBytes && c.physical != physicalFixed && c.physical != physicalInt96
}

// spare is the memory of a chunk whose file has been read.
type spare struct {
	in *bufio.Reader
	to []byte
}

// spares holds memory for chunks of later files. Clearing new large buffers takes long.
var spares sync.Pool

// release gives the chunk's memory back. No value may refer to it.
func (c *chunk) release() {
	if c.in == nil {
		return
	}
	c.in.Reset(nil)
	spares.Put(&spare{c.in, c.to})
	c.in, c.to, c.source, c.textSource, c.dict, c.texts, c.shared = nil, nil, nil, nil, nil, nil, nil
}

// header reads the header of the next page.
func (c *chunk) header() (pageHeader, error) {
	for n := 256; ; n *= 4 {
		b, err := c.in.Peek(min(n, c.in.Size()))
		if len(b) == 0 {
			if err == io.EOF || err == nil {
				err = errors.New("its pages have fewer values than the file says")
			}
			return pageHeader{}, err
		}
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return pageHeader{}, err
		}
		h, length := readPageHeader(b)
		if length > 0 {
			c.in.Discard(length)
			c.left -= int64(length)
			return h, h.check(c.left)
		}
		if err == io.EOF || n >= c.in.Size() {
			return pageHeader{}, errors.New("the header of a page is damaged")
		}
	}
}

// check refuses a page that is larger than what is left.
func (h pageHeader) check(left int64) error {
	switch {
	case h.compressed < 0 || int64(h.compressed) > left:
		return fmt.Errorf("a page claims %d bytes, and %d are left", h.compressed, left)
	case h.uncompressed < 0 || h.values < 0 || h.defBytes < 0 || h.repBytes < 0 || h.defBytes+h.repBytes > h.compressed:
		return errors.New("the header of a page is damaged")
	}
	return nil
}

// payload reads the bytes of a page in the file. They are valid until the next page.
func (c *chunk) payload(h pageHeader) (b []byte, err error) {
	c.left -= int64(h.compressed)
	if h.compressed <= c.in.Size() {
		b, err = c.in.Peek(h.compressed)
		c.in.Discard(len(b))
	} else {
		b, err = readAll(io.LimitReader(c.in, int64(h.compressed)), nil, h.compressed)
	}
	if err == nil && len(b) < h.compressed || err == io.EOF {
		err = errShort
	}
	if err == nil && h.hasCRC && crc32.ChecksumIEEE(b) != h.crc {
		err = errors.New("the checksum of a page is wrong: the file is damaged")
	}
	return b, err
}

// body decompresses a page, except its first bytes, which are never compressed.
func (c *chunk) body(h pageHeader, b []byte, size int) ([]byte, error) {
	if c.meta.codec == codecNone || h.plain {
		if !c.fixed {
			b = append([]byte(nil), b...)
		}
		return b, nil
	}
	to := c.to
	if !c.fixed {
		to = nil
	}
	out, err := c.codec.decompress(c.meta.codec, b, to, size)
	if err == nil && c.fixed {
		c.to = out
	}
	return out, err
}

// next goes to the next page of data.
func (c *chunk) next() error {
	for {
		h, err := c.header()
		if err != nil {
			return err
		}
		b, err := c.payload(h)
		if err != nil {
			return err
		}
		switch h.kind {
		case pageDictionary:
			err = c.dictionary(h, b)
		case pageData, pageDataV2:
			if int64(h.values) > c.entries {
				return errors.New("its pages have more values than the file says")
			}
			if h.values == 0 {
				continue
			}
			c.page = h.values
			c.entries -= int64(h.values)
			if h.kind == pageDataV2 {
				return c.dataV2(h, b)
			}
			return c.data(h, b)
		}
		if err != nil {
			return err
		}
	}
}

func (c *chunk) dictionary(h pageHeader, b []byte) error {
	if c.dict != nil || c.texts != nil || h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return errors.New("its dictionary is damaged")
	}
	b, err := c.body(h, b, h.uncompressed)
	if err != nil {
		return err
	}
	if c.text {
		c.texts, err = newTextDictionary(b, h.values)
		return err
	}
	if c.fixed { // the next page reuses the memory
		c.to = nil
	}
	c.dict, c.dictSize = &values{}, h.values
	return (&plain{b: b, physical: c.physical, length: c.length}).decode(h.values, c.dict)
}

// data begins a page of version 1: its levels are compressed with its values, each after its length.
func (c *chunk) data(h pageHeader, b []byte) error {
	b, err := c.body(h, b, h.uncompressed)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		to       *hybrid
		max      uint8
		encoding int
	}{{&c.rep, c.maxRep, h.repEncoding}, {&c.def, c.maxDef, h.defEncoding}} {
		if l.max == 0 {
			continue
		}
		if l.encoding != encodingRLE {
			return fmt.Errorf("its levels have the encoding %s, which is not read: write the file again",
				encodingName(l.encoding))
		}
		if len(b) < 4 || int(le.Uint32(b)) > len(b)-4 {
			return errShort
		}
		n := 4 + int(le.Uint32(b))
		*l.to = newHybrid(b[4:n], widthOf(int(l.max)))
		b = b[n:]
	}
	return c.begin(h.encoding, b)
}

// dataV2 begins a page of version 2: its levels stand before the values, and are not compressed.
func (c *chunk) dataV2(h pageHeader, b []byte) error {
	levels := append([]byte(nil), b[:h.repBytes+h.defBytes]...)
	c.rep = newHybrid(levels[:h.repBytes], widthOf(int(c.maxRep)))
	c.def = newHybrid(levels[h.repBytes:], widthOf(int(c.maxDef)))
	if h.uncompressed < len(levels) {
		return errShort
	}
	rest := b[len(levels):]
	if len(rest) == 0 { // nothing but nulls
		return c.begin(h.encoding, nil)
	}
	rest, err := c.body(h, rest, h.uncompressed-len(levels))
	if err != nil {
		return err
	}
	return c.begin(h.encoding, rest)
}
