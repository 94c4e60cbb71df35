// Package png decodes PNG images of every kind to red, green and blue, or grey, with 8 bits. Transparent pixels are
// blended with black.
package png

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Decoder decodes one image after the other, and reuses its memory. It must not be used concurrently. The zero value
// is ready for use.
type Decoder struct {
	header
	inflater
	palette  [256][3]uint8
	opacity  [256]uint8
	clear    [3]uint16 // the transparent colour
	hasClear bool
	raw      []uint8 // rows with their filters
}

// header is the file's description of its image.
type header struct {
	width, height int
	depth         int // bits of a sample
	colour        byte
	interlaced    bool
}

// Colour types.
const (
	grey      = 0
	rgb       = 2
	indexed   = 3
	greyAlpha = 4
	rgbAlpha  = 6
)

var samples = [7]int{grey: 1, rgb: 3, indexed: 1, greyAlpha: 2, rgbAlpha: 4}

const signature = "\x89PNG\r\n\x1a\n"

// maxGrowth is the maximum number of bytes that one byte of Deflate can stand for.
const maxGrowth = 1032

// Is reports whether content begins like a PNG file.
func Is(content []byte) bool { return len(content) >= 8 && string(content[:8]) == signature }

// Decode decodes an image. It calls check with the image's size before it allocates memory, and returns check's error.
// room returns the memory of the pixels: width·height·channels bytes. The pixels are red, green and blue, row by row,
// or grey values if channels is 1.
func (d *Decoder) Decode(content []byte, check func(width, height int) error, room func(bytes int) []uint8) (
	pix []uint8, width, height, channels int, err error) {
	d.reset()
	if err := d.read(content, check); err != nil {
		return nil, 0, 0, 0, err
	}
	total := d.size()
	if total > maxGrowth*d.end {
		return nil, 0, 0, 0, errShort
	}
	d.raw = grow(d.raw, total)
	if err := d.inflate(d.raw); err != nil {
		return nil, 0, 0, 0, err
	}
	pix = room(d.width * d.height * d.channels())
	if err := d.rows(pix); err != nil {
		return nil, 0, 0, 0, err
	}
	return pix, d.width, d.height, d.channels(), nil
}

func (d *Decoder) channels() int {
	if d.colour == grey || d.colour == greyAlpha {
		return 1
	}
	return 3
}

func (d *Decoder) reset() {
	d.header, d.data, d.hasClear = header{}, d.data[:0], false
	d.palette = [256][3]uint8{}
	for i := range d.opacity {
		d.opacity[i] = 255
	}
}

// read reads all chunks, and collects the compressed data.
func (d *Decoder) read(content []byte, check func(width, height int) error) error {
	if !Is(content) {
		return errShort
	}
	content = content[len(signature):]
	const (
		before = iota
		within
		after
	)
	state, colours := before, false
	for first := true; ; first = false {
		if len(content) < 12 {
			return errShort
		}
		n := int64(binary.BigEndian.Uint32(content))
		if n+12 > int64(len(content)) {
			return errShort
		}
		kind, body := string(content[4:8]), content[8:8+n]
		if crc32.ChecksumIEEE(content[4:8+n]) != binary.BigEndian.Uint32(content[8+n:]) {
			return fmt.Errorf("the checksum of its chunk %q is wrong", kind)
		}
		content = content[12+n:]
		if first != (kind == "IHDR") {
			return errors.New("its header is not where it should be")
		}
		if state == within && kind != "IDAT" {
			state = after
		}
		var err error
		switch kind {
		case "IHDR":
			err = d.readHeader(body, check)
		case "PLTE":
			colours = true
			err = d.readPalette(body)
		case "tRNS":
			err = d.readClear(body)
		case "IDAT":
			if state == after {
				return errors.New("its pixels are in two places")
			}
			state = within
			d.data = append(d.data, body...)
		case "IEND":
			if d.colour == indexed && !colours {
				return errors.New("its palette is missing")
			}
			d.end = len(d.data)
			d.data = append(d.data, make([]byte, slack)...)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (d *Decoder) readHeader(b []byte, check func(width, height int) error) error {
	if len(b) != 13 {
		return errors.New("a header that is wrong")
	}
	d.width, d.height = int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	d.depth, d.colour, d.interlaced = int(b[8]), b[9], b[12] == 1
	known := false
	switch d.colour {
	case grey:
		known = d.depth == 1 || d.depth == 2 || d.depth == 4 || d.depth == 8 || d.depth == 16
	case indexed:
		known = d.depth == 1 || d.depth == 2 || d.depth == 4 || d.depth == 8
	case rgb, greyAlpha, rgbAlpha:
		known = d.depth == 8 || d.depth == 16
	}
	if !known || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return errors.New("a header that is wrong")
	}
	return check(d.width, d.height)
}

func (d *Decoder) readPalette(b []byte) error {
	if len(b) == 0 || len(b)%3 != 0 || len(b) > 3*256 {
		return errors.New("a palette that is wrong")
	}
	for i := range len(b) / 3 {
		d.palette[i] = [3]uint8(b[3*i:])
	}
	return nil
}

// readClear reads the transparency.
func (d *Decoder) readClear(b []byte) error {
	switch {
	case d.colour == indexed && len(b) <= 256:
		copy(d.opacity[:], b)
	case d.colour == grey && len(b) == 2 || d.colour == rgb && len(b) == 6:
		d.hasClear = true
		for i := range len(b) / 2 {
			d.clear[i] = binary.BigEndian.Uint16(b[2*i:]) & (1<<max(8, d.depth) - 1)
		}
	default:
		return errors.New("its transparency is wrong")
	}
	return nil
}

// grow returns a slice of n elements, in the same memory if it suffices.
func grow(s []uint8, n int) []uint8 {
	if cap(s) < n {
		return make([]uint8, n)
	}
	return s[:n]
}
