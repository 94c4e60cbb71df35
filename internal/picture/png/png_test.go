package png

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// chunk returns a chunk of a file.
func chunk(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// file returns a PNG file with random rows, each with a random filter.
func file(r *rand.Rand, h header, level int) []byte {
	d := Decoder{header: h}
	var raw []byte
	for _, p := range d.passes() {
		wide, high := d.extent(p)
		for range max(high, 0) * min(max(wide, 0), 1) {
			raw = append(raw, uint8(r.IntN(5)))
			for range d.rowBytes(wide) {
				raw = append(raw, uint8(r.Uint32())>>(r.IntN(3)*2)) // few colours, so that they repeat
			}
		}
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(h.width)), uint32(h.height))
	head = append(head, uint8(h.depth), h.colour, 0, 0, 0)
	if h.interlaced {
		head[12] = 1
	}
	b := append([]byte(signature), chunk("IHDR", head)...)
	if h.colour == indexed {
		colours := make([]byte, 3*(1<<h.depth-r.IntN(2)))
		for i := range colours {
			colours[i] = uint8(r.Uint32())
		}
		b = append(b, chunk("PLTE", colours)...)
		if r.IntN(2) == 0 {
			b = append(b, chunk("tRNS", colours[:len(colours)/3])...)
		}
	}
	if (h.colour == grey || h.colour == rgb) && r.IntN(2) == 0 {
		b = append(b, chunk("tRNS", bytes.Repeat([]byte{0, uint8(r.IntN(2))}, samples[h.colour]))...)
	}
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, level)
	if err != nil {
		panic(err)
	}
	w.Write(raw)
	w.Close()
	half := packed.Len() / 2
	b = append(b, chunk("IDAT", packed.Bytes()[:half])...)
	b = append(b, chunk("IDAT", packed.Bytes()[half:])...)
	return append(b, chunk("IEND", nil)...)
}

// every calls do for files of all kinds.
func every(do func(name string, content []byte)) {
	r := rand.New(rand.NewPCG(5, 6))
	depths := map[byte][]int{grey: {1, 2, 4, 8, 16}, rgb: {8, 16}, indexed: {1, 2, 4, 8}, greyAlpha: {8, 16},
		rgbAlpha: {8, 16}}
	for _, colour := range []byte{grey, rgb, indexed, greyAlpha, rgbAlpha} {
		for _, depth := range depths[colour] {
			for i, size := range [][2]int{{1, 1}, {3, 2}, {9, 7}, {17, 33}, {2, 9}, {64, 5}, {100, 80}} {
				h := header{size[0], size[1], depth, colour, i%2 == 1}
				do(fmt.Sprintf("%+v", h), file(r, h, []int{9, 0, -2, 6}[r.IntN(4)]))
			}
		}
	}
}

func decode(d *Decoder, content []byte) ([]uint8, [3]int, error) {
	check := func(width, height int) error {
		if width == 0 || height == 0 || width > 1<<16 || height > 1<<16/width {
			return errors.New("large")
		}
		return nil
	}
	pix, w, h, c, err := d.Decode(content, check, func(n int) []uint8 { return make([]uint8, n) })
	return pix, [3]int{w, h, c}, err
}

// other decodes with image/png.
func other(content []byte, channels int) ([]uint8, error) {
	m, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	black := image.NewRGBA(m.Bounds())
	draw.Draw(black, black.Rect, m, image.Point{}, draw.Src)
	var pix []uint8
	for i := 0; i < len(black.Pix); i += 4 {
		pix = append(pix, black.Pix[i:i+channels]...)
	}
	return pix, nil
}

// TestLikeImagePNG: files of all kinds give the pixels of Go's decoder.
func TestLikeImagePNG(t *testing.T) {
	d := &Decoder{}
	every(func(name string, content []byte) {
		got, size, err := decode(d, content)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := other(content, size[2])
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s, %v: %v, or other pixels:\n%v, want\n%v", name, size, err, got, want)
		}
	})
}

// TestLong tests a large image with long matches, and one with none.
func TestLong(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	m := image.NewNRGBA(image.Rect(0, 0, 200, 150))
	for i := range m.Pix {
		m.Pix[i] = uint8(i / 4 % 200 / 3)
		if i > len(m.Pix)/2 {
			m.Pix[i] = uint8(r.Uint32())
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	got, _, err := decode(&Decoder{}, b.Bytes())
	want, otherErr := other(b.Bytes(), 3)
	if err != nil || otherErr != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, or other pixels", err, otherErr)
	}
}

// sealed corrects the checksums of a file's chunks.
func sealed(content []byte) []byte {
	for at := len(signature); at+12 <= len(content); {
		n := int(binary.BigEndian.Uint32(content[at:]))
		if n > len(content)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(content[at+8+n:], crc32.ChecksumIEEE(content[at+4:at+8+n]))
		at += 12 + n
	}
	return content
}

// TestDamaged: a truncated file is an error. With a wrong byte, it is an error or gives the pixels of Go's decoder.
func TestDamaged(t *testing.T) {
	d := &Decoder{}
	every(func(name string, content []byte) {
		if len(content) > 2000 {
			return
		}
		for n := range content {
			if _, _, err := decode(d, content[:n]); err == nil {
				t.Fatalf("%s: %d of %d bytes are a whole image", name, n, len(content))
			}
			broken := slices.Clone(content)
			broken[n] ^= []byte{1, 0xff, 0x80, 0x10}[n%4]
			same(t, d, sealed(broken))
		}
	})
}

// same compares the pixels with those of Go's decoder, if both succeed.
func same(t *testing.T, d *Decoder, content []byte) {
	got, size, err := decode(d, content)
	if err != nil {
		return
	}
	if want, err := other(content, size[2]); err == nil && !slices.Equal(got, want) {
		t.Fatalf("%x: other pixels:\n%v, want\n%v", content, got, want)
	}
}

// TestRefused: errors name the problem.
func TestRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	good := file(r, header{5, 4, 8, rgb, false}, 9)
	head := len(signature) + 25
	ihdr, rest := good[len(signature):head], good[head:]
	for want, parts := range map[string][][]byte{
		"checksum":       {good[:20], {99}, good[21:]},
		"where it":       {good[:head], ihdr, rest},
		"header that":    {good[:len(signature)], chunk("IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 3, 2, 0, 0, 0}), rest},
		"palette that":   {good[:head], chunk("PLTE", []byte{1}), rest},
		"transparency":   {good[:head], chunk("tRNS", []byte{1}), rest},
		"two places":     {good[:len(good)-12], chunk("tEXt", nil), chunk("IDAT", nil), good[len(good)-12:]},
		"damaged":        {good[:head], chunk("IDAT", bytes.Repeat([]byte{9}, 50)), chunk("IEND", nil)},
		"ends too early": {good[:head], chunk("IEND", nil)},
		"palette is": {good[:len(signature)], chunk("IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 0, 0}),
			chunk("IEND", nil)},
	} {
		if _, _, err := decode(&Decoder{}, slices.Concat(parts...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// FuzzDecode: any content gives an error, or the pixels of Go's decoder.
func FuzzDecode(f *testing.F) {
	every(func(_ string, content []byte) {
		if len(content) < 1000 {
			f.Add(content)
		}
	})
	d := &Decoder{}
	f.Fuzz(func(t *testing.T, content []byte) { same(t, d, sealed(slices.Clone(content))) })
}
