package jpeg

import (
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// file is a JPEG file, and the pixels that Pillow decodes from it.
type file struct {
	Name                    string
	JPEG                    []byte
	Width, Height, Channels int
	CRC                     uint32
}

func files(t testing.TB) (all []file) {
	b, err := os.ReadFile("testdata/pillow.json")
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// decode decodes with no limit and new memory.
func decode(d *Decoder, content []byte) ([]uint8, [3]int, error) {
	check := func(int, int) error { return nil }
	pix, w, h, c, err := d.Decode(content, check, func(n int) []uint8 { return make([]uint8, n) })
	return pix, [3]int{w, h, c}, err
}

// TestPillow: files of all kinds decode to Pillow's exact pixels, with all kernels and with one reused decoder.
func TestPillow(t *testing.T) {
	all := files(t)
	for _, v := range kernel.Available() {
		d := New(v)
		for _, f := range all {
			pix, size, err := decode(d, f.JPEG)
			if err != nil || size != [3]int{f.Width, f.Height, f.Channels} || crc32.ChecksumIEEE(pix) != f.CRC {
				t.Errorf("%s, %s: %v, %v, or other pixels", v, f.Name, size, err)
			}
		}
	}
}

// TestEndsEarly: a file that is cut off anywhere is an error.
func TestEndsEarly(t *testing.T) {
	d := New(kernel.Best())
	for _, f := range files(t) {
		if f.Width > 25 {
			continue
		}
		for n := range f.JPEG {
			if _, _, err := decode(d, f.JPEG[:n]); err == nil {
				t.Fatalf("%s: %d of %d bytes are a whole image", f.Name, n, len(f.JPEG))
			}
		}
	}
}

// TestDamaged: a wrong byte leads to other pixels or an error, but not to a panic, and leaves nothing behind in the
// decoder.
func TestDamaged(t *testing.T) {
	d := New(kernel.Best())
	small := func(width, height int) error {
		if width*height > 1<<12 {
			return errors.New("large")
		}
		return nil
	}
	for i, f := range files(t) {
		for n := i % 7; n < len(f.JPEG); n += 7 {
			broken := slices.Clone(f.JPEG)
			broken[n] ^= []byte{1, 0xff, 0x80, 0x10}[(i+n)%4]
			d.Decode(broken, small, func(n int) []uint8 { return make([]uint8, n) })
		}
		if pix, _, err := decode(d, f.JPEG); err != nil || crc32.ChecksumIEEE(pix) != f.CRC {
			t.Fatalf("%s after damaged ones: %v, or other pixels", f.Name, err)
		}
	}
}

// TestRefused: each error says what is wrong.
func TestRefused(t *testing.T) {
	all := files(t)
	base := all[slices.IndexFunc(all, func(f file) bool { return f.Name == "sequential 17 by 9" })].JPEG
	segment := func(marker byte, body ...byte) []byte {
		return append([]byte{0xff, marker, 0, byte(len(body) + 2)}, body...)
	}
	frame := func(body ...byte) []byte { return append([]byte{0xff, soi}, segment(sof0, body...)...) }
	for want, content := range map[string][]byte{
		"ends too early":           base[:len(base)-2],
		"no header":                {0xff, soi, 0xff, eoi},
		"SOF9":                     append([]byte{0xff, soi}, segment(0xc9)...),
		"12 bits":                  frame(12, 0, 1, 0, 1, 1, 1, 0x11, 0),
		"2 channels":               frame(8, 0, 1, 0, 1, 2, 1, 0x11, 0, 2, 0x11, 0),
		"header that is wrong":     frame(8, 0, 1, 0, 1, 1, 1, 0x51, 0),
		"of one name":              frame(8, 0, 1, 0, 1, 3, 1, 0x11, 0, 1, 0x11, 0, 2, 0x11, 0),
		"no multiples":             frame(8, 0, 1, 0, 1, 3, 1, 0x31, 0, 2, 0x21, 0, 3, 0x11, 0),
		"channel is missing":       append(frame(8, 0, 1, 0, 1, 1, 1, 0x11, 0), 0xff, eoi),
		"quantization table":       append([]byte{0xff, soi}, segment(dqt, 0x25)...),
		"Huffman table":            append([]byte{0xff, soi}, segment(dht, 0x25)...),
		"Huffman table is":         append(frame(8, 0, 1, 0, 1, 1, 1, 0x11, 0), segment(sos, 1, 1, 0, 0, 63, 0)...),
		"restart interval":         append([]byte{0xff, soi}, segment(dri, 1)...),
		"restart marker":           slices.Insert(slices.Clone(base), 2, segment(dri, 0, 1)...),
		"header of a scan":         append(frame(8, 0, 1, 0, 1, 1, 1, 0x11, 0), segment(sos, 1, 2, 0, 0, 63, 0)...),
		"two images":               append(frame(8, 0, 1, 0, 1, 1, 1, 0x11, 0), frame(8, 0, 1, 0, 1, 1, 1, 0x11, 0)...),
		"more than 1000 scans":     manyScans(all),
		"a size that is not taken": base,
	} {
		check := func(int, int) error { return nil }
		if strings.HasPrefix(want, "a size") {
			check = func(int, int) error { return errors.New(want) }
		}
		d := New(kernel.Best())
		_, _, _, _, err := d.Decode(content, check, func(n int) []uint8 { return make([]uint8, n) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// manyScans is a progressive file that repeats one of its scans.
func manyScans(all []file) []byte {
	b := all[slices.IndexFunc(all, func(f file) bool { return f.Name == "progressive grey 1 by 1" })].JPEG
	first := slices.Index(b, sos) - 1
	for b[first] != 0xff {
		first += 1 + slices.Index(b[first+2:], sos)
	}
	next := first + 2
	for b[next] != 0xff || b[next+1] == 0 {
		next++
	}
	return slices.Concat(b[:first], slices.Repeat(b[first:next], maxScans+1))
}

// FuzzDecode: any content is decoded or is an error.
func FuzzDecode(f *testing.F) {
	for _, file := range files(f) {
		f.Add(file.JPEG)
	}
	d := New(kernel.Best())
	small := func(width, height int) error {
		if width*height > 1<<16 {
			return errors.New("large")
		}
		return nil
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		pix, w, h, c, err := d.Decode(content, small, func(n int) []uint8 { return make([]uint8, n) })
		if err == nil && len(pix) != w*h*c {
			t.Errorf("%d bytes for %d by %d", len(pix), w, h)
		}
	})
}

// TestKeepsMemory: a second image allocates no memory, except for its scans.
func TestKeepsMemory(t *testing.T) {
	f := files(t)[0]
	d := New(kernel.Best())
	pix := make([]uint8, 3*f.Width*f.Height)
	check, room := func(int, int) error { return nil }, func(int) []uint8 { return pix }
	if n := testing.AllocsPerRun(20, func() { d.Decode(f.JPEG, check, room) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
