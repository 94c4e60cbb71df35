// Package picture decodes images and turns them into rows of numbers: resized, cropped, and in one colour mode.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // registers the formats

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/webp"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/pixel"
	"github.com/dl4go/dl4go/internal/picture/jpeg"
	"github.com/dl4go/dl4go/internal/picture/png"
)

// MaxPixels bounds an image: one of 16,384 by 16,384 takes 1 GiB when it is decoded. The file's header has the size,
// so it is checked before decoding.
const MaxPixels = 1 << 26

// maxGrowth bounds how many pixels a byte of a file may stand for. Even pictures of one colour don't compress that
// well.
const maxGrowth = 1 << 14

// maxGrowthJPEG is maxGrowth for JPEG, whose blocks take at least one bit each.
const maxGrowthJPEG = 1 << 10

// Decoder decodes images and resizes them, one after the other. It reuses its memory. It must not be used
// concurrently.
type Decoder struct {
	kernels            *pixel.Set
	jpeg               *jpeg.Decoder
	png                png.Decoder
	pix, narrow, small []uint8
	across, down       taps
}

// NewDecoder makes a decoder with this machine's fastest kernels. All kernels give the same pixels.
func NewDecoder() *Decoder {
	return &Decoder{kernels: pixel.For(kernel.Best()), jpeg: jpeg.New(kernel.Best())}
}

// Decode reads an image by its content: JPEG, PNG, GIF (the first frame), BMP or WebP. It refuses an image that claims
// more pixels than MaxPixels, or than its file can hold, before it allocates memory. The image is valid until the next
// call of Decode.
func (d *Decoder) Decode(content []byte) (*Image, error) {
	switch {
	case jpeg.Is(content):
		return d.decodeWith(d.jpeg.Decode, "jpeg", maxGrowthJPEG, content)
	case png.Is(content):
		return d.decodeWith(d.png.Decode, "png", maxGrowth, content)
	}
	r := bytes.NewReader(content)
	conf, format, err := image.DecodeConfig(r)
	if errors.Is(err, image.ErrFormat) {
		return nil, errors.New("not an image that is known: JPEG, PNG, GIF, BMP and WebP are")
	}
	if err != nil {
		return nil, fmt.Errorf("a broken image: %w", err)
	}
	if err := sensible(format, conf.Width, conf.Height, maxGrowth, content); err != nil {
		return nil, err
	}
	r.Reset(content)
	img, err := decode(r)
	if err != nil {
		return nil, fmt.Errorf("a broken %s: %w", format, err)
	}
	return fromImage(img), nil
}

// sensible returns an error for an image that claims an impossible size.
func sensible(format string, width, height, growth int, content []byte) error {
	pixels := int64(width) * int64(height)
	switch {
	case pixels <= 0:
		return fmt.Errorf("a %s of %d by %d pixels: there is nothing in it", format, width, height)
	case pixels > MaxPixels:
		return fmt.Errorf("a %s of %d by %d pixels: images have at most %d pixels", format, width, height, MaxPixels)
	case pixels > int64(growth)*int64(len(content)):
		return fmt.Errorf("a %s that claims %d by %d pixels in %d bytes: it is broken, or a decompression bomb",
			format, width, height, len(content))
	}
	return nil
}

// decoding is the type of the Decode methods of packages jpeg and png.
type decoding func(content []byte, check func(width, height int) error, room func(bytes int) []uint8) (
	pix []uint8, width, height, channels int, err error)

// decodeWith decodes into the decoder's memory.
func (d *Decoder) decodeWith(decode decoding, format string, growth int, content []byte) (*Image, error) {
	var refused error
	check := func(width, height int) error {
		refused = sensible(format, width, height, growth, content)
		return refused
	}
	room := func(n int) []uint8 {
		d.pix = grow(d.pix, n)
		return d.pix
	}
	pix, width, height, channels, err := decode(content, check, room)
	if refused != nil {
		return nil, refused
	}
	if err != nil {
		return nil, fmt.Errorf("a broken %s: %w", format, err)
	}
	return &Image{width, height, channels, pix}, nil
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

// Image is a decoded image with 8 bits per channel: red, green and blue of each pixel, or one grey value, row by row.
// Transparent pixels are blended with black.
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

// fromYCbCr converts like color.YCbCrToRGB, without a call for each pixel.
func fromYCbCr(m *image.YCbCr) *Image {
	b := m.Rect
	out := &Image{b.Dx(), b.Dy(), 3, make([]uint8, 3*b.Dx()*b.Dy())}
	shift := map[image.YCbCrSubsampleRatio]int{image.YCbCrSubsampleRatio422: 1, image.YCbCrSubsampleRatio420: 1,
		image.YCbCrSubsampleRatio411: 2, image.YCbCrSubsampleRatio410: 2}[m.SubsampleRatio]
	if b.Min.X&(1<<shift-1) != 0 {
		shift = -1
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		luma := m.Y[m.YOffset(b.Min.X, y):][:out.Width]
		row := out.Pix[3*(y-b.Min.Y)*out.Width:][:3*out.Width]
		c := m.COffset(b.Min.X, y)
		if shift >= 0 {
			convertRow(luma, m.Cb[c:], m.Cr[c:], shift, row)
			continue
		}
		for x := range luma {
			c := m.COffset(b.Min.X+x, y)
			convertRow(luma[x:x+1], m.Cb[c:], m.Cr[c:], 0, row[3*x:])
		}
	}
	return out
}

// convertRow converts the pixels of a row. Each chroma value covers 1<<shift pixels.
func convertRow(luma, cb, cr []uint8, shift int, out []uint8) {
	step := 1 << shift
	for i := 0; len(luma) > 0; i++ {
		blue, red := int32(cb[i])-128, int32(cr[i])-128
		r, g, b := 91881*red, -22554*blue-46802*red, 116130*blue
		n := min(step, len(luma))
		for k, l := range luma[:n] {
			y := int32(l) * 0x10101
			to := out[3*k : 3*k+3]
			to[0], to[1], to[2] = clamp(y+r), clamp(y+g), clamp(y+b)
		}
		luma, out = luma[n:], out[3*n:]
	}
}

// clamp returns the upper byte of a 24-bit number that may be out of range.
func clamp(x int32) uint8 {
	if uint32(x) < 1<<24 {
		return uint8(x >> 16)
	}
	return uint8(^(x >> 31)) // 0 below, and 255 above
}
