// Package picture decodes images and makes rows of numbers of them: resized, cropped, and in one colour mode.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // the formats
	_ "image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/webp"
)

// MaxPixels bounds an image: one of 16,384 by 16,384 takes 1 GiB when it is decoded. A file says how large it is before
// anything is decoded.
const MaxPixels = 1 << 26

// maxGrowth bounds how many pixels a byte of a file may stand for. Pictures of one colour compress well, but not so
// well.
const maxGrowth = 1 << 14

// Decode reads an image: JPEG, PNG, GIF (the first frame), BMP or WebP, by its content. An image that claims more
// pixels than MaxPixels, or than its file can hold, is refused before memory is taken.
func Decode(content []byte) (*Image, error) {
	r := bytes.NewReader(content)
	conf, format, err := image.DecodeConfig(r)
	if errors.Is(err, image.ErrFormat) {
		return nil, errors.New("not an image that is known: JPEG, PNG, GIF, BMP and WebP are")
	}
	if err != nil {
		return nil, fmt.Errorf("a broken image: %w", err)
	}
	pixels := int64(conf.Width) * int64(conf.Height)
	switch {
	case pixels <= 0:
		return nil, fmt.Errorf("a %s of %d by %d pixels: there is nothing in it", format, conf.Width, conf.Height)
	case pixels > MaxPixels:
		return nil, fmt.Errorf("a %s of %d by %d pixels: images have at most %d pixels",
			format, conf.Width, conf.Height, MaxPixels)
	case pixels > maxGrowth*int64(len(content)):
		return nil, fmt.Errorf("a %s that claims %d by %d pixels in %d bytes: it is broken, or a decompression bomb",
			format, conf.Width, conf.Height, len(content))
	}
	r.Reset(content)
	img, err := decode(r)
	if err != nil {
		return nil, fmt.Errorf("a broken %s: %w", format, err)
	}
	return fromImage(img), nil
}

// decode turns a panic of a decoder into an error.
func decode(r *bytes.Reader) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	img, _, err = image.Decode(r)
	return img, err
}

// Image is a decoded image of 8 bits a channel: red, green and blue of each pixel, or one grey value, row by row. What
// is transparent is on black.
type Image struct {
	Width, Height, Channels int
	Pix                     []uint8 // Height·Width·Channels
}

func fromImage(img image.Image) *Image {
	b := img.Bounds()
	switch m := img.(type) {
	case *image.Gray:
		g := &Image{b.Dx(), b.Dy(), 1, make([]uint8, b.Dx()*b.Dy())}
		for y := range g.Height {
			copy(g.Pix[y*g.Width:(y+1)*g.Width], m.Pix[y*m.Stride:])
		}
		return g
	case *image.YCbCr:
		return fromYCbCr(m)
	}
	rgba, ok := img.(*image.RGBA)
	if !ok {
		rgba = image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(rgba, rgba.Rect, img, b.Min, draw.Src) // alpha is multiplied in
	}
	out := &Image{b.Dx(), b.Dy(), 3, make([]uint8, 3*b.Dx()*b.Dy())}
	for y := range out.Height {
		from, to := rgba.Pix[y*rgba.Stride:], out.Pix[3*y*out.Width:3*(y+1)*out.Width]
		for x := range out.Width {
			to[3*x], to[3*x+1], to[3*x+2] = from[4*x], from[4*x+1], from[4*x+2]
		}
	}
	return out
}

// fromYCbCr converts as color.YCbCrToRGB does, without a call for each pixel.
func fromYCbCr(m *image.YCbCr) *Image {
	b := m.Rect
	out := &Image{b.Dx(), b.Dy(), 3, make([]uint8, 3*b.Dx()*b.Dy())}
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		luma := m.Y[m.YOffset(b.Min.X, y):]
		for x := range out.Width {
			c := m.COffset(b.Min.X+x, y)
			yy := int32(luma[x]) * 0x10101
			cb, cr := int32(m.Cb[c])-128, int32(m.Cr[c])-128
			out.Pix[i] = clamp(yy + 91881*cr)
			out.Pix[i+1] = clamp(yy - 22554*cb - 46802*cr)
			out.Pix[i+2] = clamp(yy + 116130*cb)
			i += 3
		}
	}
	return out
}

// clamp is the upper byte of a number of 24 bits that may be out of range.
func clamp(x int32) uint8 {
	switch {
	case x < 0:
		return 0
	case x >= 1<<24:
		return 255
	}
	return uint8(x >> 16)
}
