package jpeg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// frame is the header's description of an image.
type frame struct {
	width, height int
	progressive   bool
	components    []component
	maxH, maxV    int // maximum of the components' h and v
}

// component is one of the channels, in the file's resolution.
type component struct {
	id, quant     byte
	h, v          int       // number of blocks in an MCU, horizontally and vertically
	width, height int       // in samples
	wide, high    int       // in blocks, of whole MCUs
	begun, seen   bool      // some scan contains it; some scan contains its first coefficients
	factors       [64]int16 // the quantization table
	plane         []uint8   // 8·wide by 8·high
	coefs         []int16   // of progressive images: 64 for each block
	row           []uint8   // a row in the image's resolution
}

// stride returns the number of samples in a row of the plane.
func (c *component) stride() int { return 8 * c.wide }

// readFrame reads the header of an image, and allocates memory for it.
func (d *Decoder) readFrame(body []byte, progressive bool, check func(width, height int) error) error {
	if len(d.components) > 0 {
		return errors.New("there are two images in it")
	}
	if len(body) < 6 || len(body) < 6+3*int(body[5]) {
		return errShort
	}
	if body[0] != 8 {
		return fmt.Errorf("it has %d bits a sample: save it with 8", body[0])
	}
	d.height, d.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	d.progressive = progressive
	if err := check(d.width, d.height); err != nil {
		return err
	}
	n := int(body[5])
	if n != 1 && n != 3 && n != 4 {
		return fmt.Errorf("it has %d channels: 1, 3 or 4 are known", n)
	}
	d.maxH, d.maxV = 1, 1
	for i := range n {
		b := body[6+3*i:]
		c := component{id: b[0], h: int(b[1] >> 4), v: int(b[1] & 15), quant: b[2]}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.quant > 3 {
			return errors.New("a header that is wrong")
		}
		if slices.ContainsFunc(d.components, func(o component) bool { return o.id == c.id }) {
			return errors.New("two channels of one name")
		}
		d.maxH, d.maxV = max(d.maxH, c.h), max(d.maxV, c.v)
		d.components = append(d.components, c)
	}
	return d.layOut()
}

// layOut computes the size of each component and allocates memory for it.
func (d *Decoder) layOut() error {
	for i := range d.components {
		c := &d.components[i]
		if d.maxH%c.h != 0 || d.maxV%c.v != 0 {
			return errors.New("its channels' resolutions are no multiples of each other")
		}
	}
	for i := range d.components {
		c, m := &d.components[i], &d.memory[i]
		c.width, c.height = ceil(d.width*c.h, d.maxH), ceil(d.height*c.v, d.maxV)
		c.wide, c.high = ceil(d.width, 8*d.maxH)*c.h, ceil(d.height, 8*d.maxV)*c.v
		m.plane = grow(m.plane, 64*c.wide*c.high+pad)
		m.row = grow(m.row, d.width+8+pad)
		c.plane, c.row = m.plane, m.row
		clear(c.plane)
		if d.progressive {
			m.coefs = grow(m.coefs, 64*c.wide*c.high)
			c.coefs = m.coefs
			clear(c.coefs)
		}
	}
	d.sums = grow(d.sums, d.width+2+pad)
	return nil
}

// pad is the number of bytes that kernels may read beyond the end of a row.
const pad = 32

func ceil(n, m int) int { return (n + m - 1) / m }

// grow returns a slice of n elements, in the same memory if it suffices.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// complete returns an error if a component was in no scan.
func (d *Decoder) complete() error {
	if len(d.components) == 0 {
		return errors.New("it has no header")
	}
	for i := range d.components {
		if !d.components[i].seen {
			return errors.New("a channel is missing")
		}
	}
	return nil
}
