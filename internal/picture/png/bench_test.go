package png

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"
)

// BenchmarkDecode decodes waves of colours with noise, of 500 by 375 pixels.
func BenchmarkDecode(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 500, 375))
	for i := range m.Pix {
		x, y, k := i/4%500, i/2000, i%4
		m.Pix[i] = uint8(128 + 100*math.Sin(float64(3*k*x+2*y)/90) + float64((x*7919+y*104729+k*31)%16))
		m.Pix[i|3] = 255
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(m.Pix)))
	d := &Decoder{}
	pix := make([]uint8, len(m.Pix))
	for b.Loop() {
		check, room := func(int, int) error { return nil }, func(n int) []uint8 { return pix[:n] }
		if _, _, _, _, err := d.Decode(file.Bytes(), check, room); err != nil {
			b.Fatal(err)
		}
	}
}
