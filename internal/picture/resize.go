package picture

import "math"

// Resized gives the image in another size, by bilinear interpolation. Where it becomes smaller, each pixel is the mean
// of all that it stands for, with weights that fall off linearly: the filter is as wide as a pixel of the result. That
// is how Pillow's BILINEAR, and with it torchvision's Resize, does it.
func (m *Image) Resized(width, height int) *Image {
	if width == m.Width && height == m.Height {
		return m
	}
	across := taps(m.Width, width)
	narrow := &Image{width, m.Height, m.Channels, make([]uint8, width*m.Height*m.Channels)}
	for y := range m.Height {
		row := m.Pix[y*m.Width*m.Channels : (y+1)*m.Width*m.Channels]
		out := narrow.Pix[y*width*m.Channels:]
		for x, t := range across {
			for c := range m.Channels {
				sum := int32(rounding)
				for k, w := range t.weights {
					sum += w * int32(row[(t.first+k)*m.Channels+c])
				}
				out[x*m.Channels+c] = byteOf(sum)
			}
		}
	}
	return narrow.heightened(height)
}

// heightened gives the image in another height.
func (m *Image) heightened(height int) *Image {
	if height == m.Height {
		return m
	}
	n := m.Width * m.Channels
	out := &Image{m.Width, height, m.Channels, make([]uint8, n*height)}
	sums := make([]int32, n)
	for y, t := range taps(m.Height, height) {
		for i := range sums {
			sums[i] = rounding
		}
		for k, w := range t.weights {
			row := m.Pix[(t.first+k)*n : (t.first+k+1)*n]
			for i, p := range row {
				sums[i] += w * int32(p)
			}
		}
		for i, sum := range sums {
			out.Pix[y*n+i] = byteOf(sum)
		}
	}
	return out
}

// The weights are fixed-point numbers of 22 bits behind the point: 255 of them fit into 31 bits.
const (
	precision = 22
	rounding  = 1 << (precision - 1)
)

func byteOf(sum int32) uint8 {
	return uint8(min(max(sum>>precision, 0), 255))
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
	return m.Resized(w, h).Cropped((w-width)/2, (h-height)/2, width, height)
}
