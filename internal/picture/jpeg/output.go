package jpeg

// output computes the pixels from the components.
func (d *Decoder) output(pix []uint8) {
	n := d.width
	if len(d.components) == 1 {
		c := &d.components[0]
		for y := range d.height {
			copy(pix[y*n:(y+1)*n], c.plane[y*c.stride():])
		}
		return
	}
	var rows [4][]uint8
	for y := range d.height {
		for i := range d.components {
			rows[i] = d.samples(&d.components[i], y)
		}
		d.colours(pix[3*y*n:3*(y+1)*n], rows)
	}
}

// colours computes a row of red, green and blue.
func (d *Decoder) colours(out []uint8, rows [4][]uint8) {
	if d.isYCbCr() {
		d.kernels.Colours(out, rows[0], rows[1], rows[2])
	} else {
		for x := range d.width {
			out[3*x], out[3*x+1], out[3*x+2] = rows[0][x], rows[1][x], rows[2][x]
		}
	}
	if len(d.components) < 4 {
		return
	}
	// CMYK is stored as the remaining light, as Adobe's programs do.
	for x, k := range rows[3][:d.width] {
		for i := 3 * x; i < 3*x+3; i++ {
			ink := 255 - int(out[i])
			if d.transform > 0 {
				ink = int(out[i])
			}
			product := ink*int(k) + 128
			out[i] = k - uint8((product+product>>8)>>8)
		}
	}
}

// isYCbCr reports whether the first three channels are luma and chroma, by libjpeg's rules.
func (d *Decoder) isYCbCr() bool {
	switch {
	case len(d.components) == 4:
		return d.transform > 0
	case d.jfif:
		return true
	case d.transform >= 0:
		return d.transform != 0
	}
	c := d.components
	return c[0].id != 'R' || c[1].id != 'G' || c[2].id != 'B'
}

// samples returns row y of a component in the image's resolution. A component of half the resolution is interpolated:
// a sample is 3/4 of the nearest one in each direction, plus 1/4 of the next.
func (d *Decoder) samples(c *component, y int) []uint8 {
	h, v := d.maxH/c.h, d.maxV/c.v
	near := c.at(y / v)
	far := near
	if v == 2 {
		far = c.at(min(max(y/2-1+2*(y&1), 0), c.height-1))
	}
	switch {
	case h == 1 && v == 1:
		return near
	case h == 2 && v <= 2 && c.width > 2:
		sums := d.sums[:c.width+2]
		d.kernels.Blend(sums[1:c.width+1], near, far)
		sums[0], sums[c.width+1] = sums[1], sums[c.width]
		if v == 2 {
			d.kernels.Widen(c.row[:2*c.width], sums, 8, 7)
		} else {
			d.kernels.Widen(c.row[:2*c.width], sums, 4, 8)
		}
	case h == 1 && v == 2:
		bias := uint16(1 + y&1)
		sums := d.sums[:c.width]
		d.kernels.Blend(sums, near, far)
		for x, sum := range sums {
			c.row[x] = uint8((sum + bias) >> 2)
		}
	default:
		for x := range d.width {
			c.row[x] = near[x/h]
		}
	}
	return c.row
}

// at returns a row of a component's samples.
func (c *component) at(y int) []uint8 { return c.plane[y*c.stride():][:c.width] }
