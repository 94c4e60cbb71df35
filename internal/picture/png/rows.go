package png

import "errors"

// pass is a part of an interlaced image: the pixels from (x, y) on, in steps of dx and dy.
type pass struct{ x, y, dx, dy int }

var (
	whole  = []pass{{0, 0, 1, 1}}
	passes = []pass{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
)

func (d *Decoder) passes() []pass {
	if d.interlaced {
		return passes
	}
	return whole
}

// extent returns the number of columns and rows of a pass.
func (d *Decoder) extent(p pass) (wide, high int) {
	return (d.width - p.x + p.dx - 1) / p.dx, (d.height - p.y + p.dy - 1) / p.dy
}

// rowBytes returns the length of a row of wide pixels, without its filter byte.
func (d *Decoder) rowBytes(wide int) int { return (wide*d.depth*samples[d.colour] + 7) / 8 }

// size returns the length of all rows with their filters.
func (d *Decoder) size() int {
	total := 0
	for _, p := range d.passes() {
		if wide, high := d.extent(p); wide > 0 && high > 0 {
			total += high * (1 + d.rowBytes(wide))
		}
	}
	return total
}

// rows reverses the filters and writes the pixels.
func (d *Decoder) rows(pix []uint8) error {
	raw, channels := d.raw, d.channels()
	step := max(1, d.depth*samples[d.colour]/8)
	for _, p := range d.passes() {
		wide, high := d.extent(p)
		if wide <= 0 || high <= 0 {
			continue
		}
		n := d.rowBytes(wide)
		var above []uint8
		for y := range high {
			row := raw[1 : 1+n]
			if err := unfilter(raw[0], row, above, step); err != nil {
				return err
			}
			out := pix[channels*((p.y+y*p.dy)*d.width+p.x):]
			d.convert(out, row, wide, channels*p.dx)
			above, raw = row, raw[1+n:]
		}
	}
	return nil
}

var errFilter = errors.New("a row has a filter that is unknown")

// unfilter adds the filter's prediction to each byte of a row. The prediction uses the byte step before, and those in
// the row above, which is nil for the first row.
func unfilter(filter uint8, row, above []uint8, step int) error {
	if filter > 4 {
		return errFilter
	}
	if above == nil {
		switch filter {
		case 2:
			return nil // from zeros
		case 3:
			for i := step; i < len(row); i++ {
				row[i] += row[i-step] / 2
			}
			return nil
		case 4:
			filter = 1
		}
	}
	switch filter {
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		above = above[:len(row)]
		for i := range row {
			row[i] += above[i]
		}
	case 3:
		above = above[:len(row)]
		for i := range min(step, len(row)) {
			row[i] += above[i] / 2
		}
		for i := step; i < len(row); i++ {
			row[i] += uint8((int(row[i-step]) + int(above[i])) / 2)
		}
	case 4:
		paeth(row, above[:len(row)], step)
	}
	return nil
}

// paeth adds to each byte the neighbour nearest to left + above - corner.
func paeth(row, above []uint8, step int) {
	switch step {
	case 3:
		paeth3(row, above)
		return
	case 4:
		paeth4(row, above)
		return
	}
	for c := range min(step, len(row)) {
		left, corner := 0, 0
		for i := c; i < len(row); i += step {
			up := int(above[i])
			left = nearest(left, up, corner, row[i])
			row[i], corner = uint8(left), up
		}
	}
}

// paeth3 and paeth4 process the bytes of a pixel together, because each depends on the pixel before.

func paeth3(row, above []uint8) {
	var l0, l1, l2, c0, c1, c2 int
	for len(row) >= 3 && len(above) >= 3 {
		u0, u1, u2 := int(above[0]), int(above[1]), int(above[2])
		l0, l1, l2 = nearest(l0, u0, c0, row[0]), nearest(l1, u1, c1, row[1]), nearest(l2, u2, c2, row[2])
		row[0], row[1], row[2] = uint8(l0), uint8(l1), uint8(l2)
		c0, c1, c2 = u0, u1, u2
		row, above = row[3:], above[3:]
	}
}

func paeth4(row, above []uint8) {
	var l0, l1, l2, l3, c0, c1, c2, c3 int
	for len(row) >= 4 && len(above) >= 4 {
		u0, u1, u2, u3 := int(above[0]), int(above[1]), int(above[2]), int(above[3])
		l0, l1 = nearest(l0, u0, c0, row[0]), nearest(l1, u1, c1, row[1])
		l2, l3 = nearest(l2, u2, c2, row[2]), nearest(l3, u3, c3, row[3])
		row[0], row[1], row[2], row[3] = uint8(l0), uint8(l1), uint8(l2), uint8(l3)
		c0, c1, c2, c3 = u0, u1, u2, u3
		row, above = row[4:], above[4:]
	}
}

// nearest returns plus and the neighbour nearest to left + up - corner, in 8 bits.
func nearest(left, up, corner int, plus uint8) int {
	a, b := up-corner, left-corner
	c := a + b
	a, b, c = max(a, -a), max(b, -b), max(c, -c)
	best := left
	if b < a {
		a, best = b, up
	}
	if c < a {
		best = corner
	}
	return int(uint8(best) + plus)
}

// convert writes a row of pixels; each pixel is step bytes after the one before.
func (d *Decoder) convert(out, row []uint8, wide, step int) {
	switch {
	case d.depth == 8 && !d.hasClear && d.colour <= rgb && step == d.channels():
		copy(out, row)
	case d.colour == indexed:
		for x := range wide {
			i := d.sample(row, x)
			for c, v := range d.palette[i] {
				out[x*step+c] = shade(v, d.opacity[i])
			}
		}
	case d.colour == rgbAlpha && d.depth == 8:
		for x := range wide {
			from, to := row[4*x:4*x+4], out[x*step:x*step+3]
			to[0], to[1], to[2] = shade(from[0], from[3]), shade(from[1], from[3]), shade(from[2], from[3])
		}
	default:
		d.convertAny(out, row, wide, step)
	}
}

// shade blends a colour with black.
func shade(v, opacity uint8) uint8 { return uint8(uint32(v) * (uint32(opacity) * 0x101) / 0xff >> 8) }

// convertAny is convert for other kinds.
func (d *Decoder) convertAny(out, row []uint8, wide, step int) {
	n := samples[d.colour]
	colours := n
	if d.colour == greyAlpha || d.colour == rgbAlpha {
		colours--
	}
	scale := 0xff / (1<<min(d.depth, 8) - 1)
	for x := range wide {
		clear := d.hasClear
		for c := range colours {
			clear = clear && d.sample(row, x*n+c) == int(d.clear[c])
		}
		for c := range colours {
			v := d.sample(row, x*n+c)
			switch {
			case clear:
				v = 0
			case d.depth < 16 && n > colours:
				v = int(shade(uint8(v), uint8(d.sample(row, x*n+colours))))
			case d.depth == 16 && n > colours:
				v = v * d.sample(row, x*n+colours) / 0xffff >> 8
			case d.depth == 16:
				v >>= 8
			default:
				v *= scale
			}
			out[x*step+c] = uint8(v)
		}
	}
}

// sample returns sample i of a row.
func (d *Decoder) sample(row []uint8, i int) int {
	switch d.depth {
	case 8:
		return int(row[i])
	case 16:
		return int(row[2*i])<<8 | int(row[2*i+1])
	}
	at := i * d.depth
	return int(row[at/8]) >> (8 - d.depth - at%8) & (1<<d.depth - 1)
}
