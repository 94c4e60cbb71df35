package picture

import "math"

// Resized gives the image in another size, by bilinear interpolation. Where it becomes smaller, each pixel is the mean
// of all that it stands for, with weights that fall off linearly: the filter is as wide as a pixel of the result. That
// is how Pillow's BILINEAR, and with it torchvision's Resize, does it.
func (m *Image) Resized(width, height int) *Image {
	if width == m.Width && height == m.Height {
		return m
	}
	return m.resampled(taps(m.Width, width), taps(m.Height, height))
}

// resampled gives the image of which each pixel is made of these columns and rows.
func (m *Image) resampled(across, down []tap) *Image {
	first, last := m.Height, 0 // the rows that are needed
	for _, t := range down {
		first, last = min(first, t.first), max(last, t.first+len(t.weights))
	}
	n := len(across) * m.Channels
	narrow := make([]uint8, (last-first)*n)
	for y := first; y < last; y++ {
		row, out := m.Pix[y*m.Width*m.Channels:(y+1)*m.Width*m.Channels], narrow[(y-first)*n:(y-first+1)*n]
		if m.Channels == 3 {
			squeezeRGB(row, out, across)
		} else {
			squeezeGrey(row, out, across)
		}
	}
	out := &Image{len(across), len(down), m.Channels, make([]uint8, n*len(down))}
	sums := make([]int32, n)
	for y, t := range down {
		for i := range sums {
			sums[i] = rounding
		}
		for k, w := range t.weights {
			row := narrow[(t.first-first+k)*n:][:len(sums)]
			for i, p := range row {
				sums[i] += w * int32(p)
			}
		}
		to := out.Pix[y*n:][:len(sums)]
		for i, sum := range sums {
			to[i] = byteOf(sum)
		}
	}
	return out
}

// squeezeRGB makes a row of pixels of another length.
func squeezeRGB(row, out []uint8, across []tap) {
	for x, t := range across {
		from := row[3*t.first : 3*(t.first+len(t.weights))]
		r, g, b := int32(rounding), int32(rounding), int32(rounding)
		for _, w := range t.weights {
			if len(from) < 3 {
				break
			}
			r += w * int32(from[0])
			g += w * int32(from[1])
			b += w * int32(from[2])
			from = from[3:]
		}
		to := out[3*x : 3*x+3]
		to[0], to[1], to[2] = byteOf(r), byteOf(g), byteOf(b)
	}
}

// squeezeGrey is squeezeRGB for one channel.
func squeezeGrey(row, out []uint8, across []tap) {
	for x, t := range across {
		from := row[t.first:][:len(t.weights)]
		sum := int32(rounding)
		for k, w := range t.weights {
			sum += w * int32(from[k])
		}
		out[x] = byteOf(sum)
	}
}

// The weights are fixed-point numbers of 22 bits behind the point: 255 of them fit into 31 bits.
const (
	precision = 22
	rounding  = 1 << (precision - 1)
)

func byteOf(sum int32) uint8 {
	if x := sum >> precision; uint32(x) <= 255 {
		return uint8(x)
	}
	return uint8(^(sum >> 31)) // 0 below, and 255 above
}

// tap is what a pixel is made of.
type tap struct {
	first   int
	weights []int32
}

// taps are those of a line of to pixels that is made of one of from pixels.
func taps(from, to int) []tap {
	scale := float64(from) / float64(to)
	support := max(scale, 1)
	all := make([]tap, to)
	for i := range all {
		center := (float64(i) + 0.5) * scale
		first := max(int(center-support+0.5), 0)
		last := min(int(center+support+0.5), from)
		weights := make([]float64, last-first)
		total := 0.0
		for k := range weights {
			weights[k] = max(0, 1-math.Abs((float64(k+first)-center+0.5)/support))
			total += weights[k]
		}
		fixed := make([]int32, len(weights))
		for k, w := range weights {
			fixed[k] = int32(math.Round(w / total * (1 << precision)))
		}
		all[i] = tap{first, fixed}
	}
	return all
}

// Cropped gives the part of the image that begins at (x, y); what is outside of the image is black.
func (m *Image) Cropped(x, y, width, height int) *Image {
	out := &Image{width, height, m.Channels, make([]uint8, width*height*m.Channels)}
	left, right := max(0, -x), min(width, m.Width-x)
	for row := range height {
		if y+row < 0 || y+row >= m.Height || left >= right {
			continue
		}
		from := ((y+row)*m.Width + x + left) * m.Channels
		copy(out.Pix[(row*width+left)*m.Channels:(row*width+right)*m.Channels], m.Pix[from:])
	}
	return out
}

// Fitted gives the image in a size. Without crop it is stretched. With it, its shape stays: the image is made as large
// as is needed to fill the size, and what is outside of it is cut off on both sides.
func (m *Image) Fitted(width, height int, crop bool) *Image {
	if !crop || m.Width*height == m.Height*width {
		return m.Resized(width, height)
	}
	scale := max(float64(width)/float64(m.Width), float64(height)/float64(m.Height))
	w := max(width, int(math.Round(float64(m.Width)*scale)))
	h := max(height, int(math.Round(float64(m.Height)*scale)))
	if w == m.Width && h == m.Height {
		return m.Cropped((w-width)/2, (h-height)/2, width, height)
	}
	return m.resampled(taps(m.Width, w)[(w-width)/2:][:width], taps(m.Height, h)[(h-height)/2:][:height])
}
