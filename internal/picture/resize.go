package picture

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel/pixel"
)

// Resized returns the image in another size, by bilinear interpolation. If it becomes smaller, each pixel is a mean of
// the pixels that it covers, with linearly decreasing weights: the filter is as wide as a pixel of the result.
// Pillow's BILINEAR, and so torchvision's Resize, does the same. The result is valid until the next call of one of the
// decoder's methods, unless it is m.
func (d *Decoder) Resized(m *Image, width, height int) *Image {
	if width == m.Width && height == m.Height {
		return m
	}
	d.across.set(m.Width, width)
	d.down.set(m.Height, height)
	return d.resampled(m, &d.across.Taps, &d.down.Taps)
}

// resampled returns an image with a pixel for each of the given columns and rows.
func (d *Decoder) resampled(m *Image, across, down *pixel.Taps) *Image {
	width, height := len(across.First), len(down.First)
	first, last := int(down.First[0]), int(down.First[height-1])+down.Count // the rows that are needed
	n := width * m.Channels
	d.narrow = grow(d.narrow, (last-first)*n)
	for y := first; y < last; y++ {
		row, out := m.Pix[y*m.Width*m.Channels:(y+1)*m.Width*m.Channels], d.narrow[(y-first)*n:(y-first+1)*n]
		if m.Channels == 3 {
			d.kernels.Squeeze(out, row, across)
		} else {
			pixel.SqueezeGrey(out, row, across)
		}
	}
	d.small = grow(d.small, n*height)
	for y, from := range down.First {
		weights := down.Weights[y*down.Count:][:down.Count]
		d.kernels.Mix(d.small[y*n:][:n], d.narrow[(int(from)-first)*n:], n, weights)
	}
	return &Image{width, height, m.Channels, d.small}
}

// taps are the taps for a line of to pixels computed from a line of from pixels.
type taps struct {
	pixel.Taps
	from, to int
	weights  []float64
}

func (t *taps) set(from, to int) {
	if t.from == from && t.to == to {
		return
	}
	t.from, t.to = from, to
	scale := float64(from) / float64(to)
	support := max(scale, 1)
	t.Count = min(int(math.Ceil(2*support)), from)
	t.First, t.Weights = grow(t.First, to), grow(t.Weights, to*t.Count)
	t.weights = grow(t.weights, t.Count)
	clear(t.Weights)
	for i := range t.First {
		center := (float64(i) + 0.5) * scale
		first := max(int(center-support+0.5), 0)
		last := min(int(center+support+0.5), from, first+t.Count)
		weights := t.weights[:last-first]
		total := 0.0
		for k := range weights {
			weights[k] = max(0, 1-math.Abs((float64(k+first)-center+0.5)/support))
			total += weights[k]
		}
		begin := min(first, from-t.Count) // keeps all of them in the line
		t.First[i] = int32(begin)
		for k, w := range weights {
			t.Weights[i*t.Count+first-begin+k] = int32(math.Round(w / total * (1 << pixel.Precision)))
		}
	}
}

// grow returns a slice of n elements, in the same memory if it suffices.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Cropped returns the part of the image that begins at (x, y); pixels outside the image are black.
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

// Fitted returns the image in a size. Without crop it is stretched. With crop it keeps its shape: it is scaled to fill
// the size, and the rest is cut off on both sides.
func (d *Decoder) Fitted(m *Image, width, height int, crop bool) *Image {
	if !crop || m.Width*height == m.Height*width {
		return d.Resized(m, width, height)
	}
	scale := max(float64(width)/float64(m.Width), float64(height)/float64(m.Height))
	w := max(width, int(math.Round(float64(m.Width)*scale)))
	h := max(height, int(math.Round(float64(m.Height)*scale)))
	if w == m.Width && h == m.Height {
		return m.Cropped((w-width)/2, (h-height)/2, width, height)
	}
	d.across.set(m.Width, w)
	d.down.set(m.Height, h)
	across := d.across.Slice((w-width)/2, (w-width)/2+width)
	down := d.down.Slice((h-height)/2, (h-height)/2+height)
	return d.resampled(m, &across, &down)
}
