package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"
)

// BenchmarkPicture reads a JPEG of 500 by 375 pixels and resizes it to 224 by 224.
func BenchmarkPicture(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 500, 375))
	for y := range 375 {
		for x := range 500 {
			wave := func(k int) uint8 {
				return uint8(128 + 110*math.Sin(float64(3*k*x+2*y)/90) + float64((x*7919+y*104729+k*31)%16))
			}
			m.SetRGBA(x, y, color.RGBA{wave(1), wave(2), wave(3), 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	d := NewDecoder()
	for b.Loop() {
		m, err := d.Decode(file.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		d.Fitted(m, 224, 224, true)
	}
}
