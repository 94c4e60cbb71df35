package picture

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"
)

// pillow returns Pillow's pixels for the pictures in testdata.
func pillow(t *testing.T) (of map[string][]uint8) {
	var numbers map[string][]int
	b, err := os.ReadFile("testdata/pillow.json")
	if err == nil {
		err = json.Unmarshal(b, &numbers)
	}
	if err != nil {
		t.Fatal(err)
	}
	of = map[string][]uint8{}
	for name, list := range numbers {
		for _, n := range list {
			of[name] = append(of[name], uint8(n))
		}
	}
	return of
}

func read(t testing.TB, name string) []byte {
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDecode: each format gives Pillow's pixels, bit for bit.
func TestDecode(t *testing.T) {
	want := pillow(t)
	for _, c := range []struct {
		file, as string
	}{
		{"rgb.png", "rgb"}, {"opaque.png", "rgb"}, {"rgb.bmp", "rgb"}, {"lossless.webp", "rgb"},
		{"grey.png", "grey"}, {"palette.gif", "gif"}, {"photo.jpg", "jpeg"},
	} {
		m, err := NewDecoder().Decode(read(t, c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if m.Width != 23 || m.Height != 19 || apart(m.Pix, want[c.as]) > 0 {
			t.Errorf("%s: %d by %d, and pixels are up to %d off", c.file, m.Width, m.Height, apart(m.Pix, want[c.as]))
		}
	}
}

// apart returns the largest difference between two pictures; 256 if their sizes differ.
func apart(a, b []uint8) int {
	if len(a) != len(b) {
		return 256
	}
	most := 0
	for i := range a {
		most = max(most, int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return most
}

// TestResized: larger and smaller sizes agree with Pillow, bit for bit.
func TestResized(t *testing.T) {
	m, err := NewDecoder().Decode(read(t, "rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range pillow(t) {
		var h, w int
		if n, _ := fmt.Sscanf(size, "%dx%d", &h, &w); n != 2 {
			continue
		}
		if got := NewDecoder().Resized(m, w, h); !slices.Equal(got.Pix, want) {
			t.Errorf("%s: up to %d off", size, apart(got.Pix, want))
		}
	}
}

// TestFitted checks the crop, and a picture that is too small for one.
func TestFitted(t *testing.T) {
	m := &Image{4, 2, 1, []uint8{1, 2, 3, 4, 5, 6, 7, 8}}
	for _, c := range []struct {
		width, height int
		crop          bool
		want          []uint8
	}{
		{2, 2, true, []uint8{2, 3, 6, 7}},
		{4, 2, true, m.Pix},
		{4, 1, false, []uint8{3, 4, 5, 6}},
	} {
		if got := NewDecoder().Fitted(m, c.width, c.height, c.crop); !slices.Equal(got.Pix, c.want) {
			t.Errorf("%dx%d: %v, want %v", c.height, c.width, got.Pix, c.want)
		}
	}
	if got := m.Cropped(-1, 1, 3, 2); !slices.Equal(got.Pix, []uint8{0, 5, 6, 0, 0, 0}) {
		t.Errorf("outside: %v", got.Pix)
	}
	if got := m.Cropped(9, 0, 2, 1); !slices.Equal(got.Pix, []uint8{0, 0}) {
		t.Errorf("far outside: %v", got.Pix)
	}
}

// TestPlanes checks the channels of each mode, for pictures in colour and in grey.
func TestPlanes(t *testing.T) {
	colour := &Image{2, 1, 3, []uint8{10, 20, 30, 40, 50, 60}}
	grey := &Image{2, 1, 1, []uint8{7, 8}}
	for _, c := range []struct {
		of   *Image
		mode Mode
		want []uint8
	}{
		{colour, RGB, []uint8{10, 40, 20, 50, 30, 60}},
		{colour, BGR, []uint8{30, 60, 20, 50, 10, 40}},
		{colour, Grey, []uint8{18, 48}},
		{grey, RGB, []uint8{7, 8, 7, 8, 7, 8}},
		{grey, Grey, []uint8{7, 8}},
	} {
		out := make([]uint8, len(c.want))
		if c.of.Planes(c.mode, out); !slices.Equal(out, c.want) {
			t.Errorf("%s: %v, want %v", c.mode, out, c.want)
		}
	}
	want := pillow(t)["grey"]
	m, err := NewDecoder().Decode(read(t, "rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint8, len(want))
	if m.Planes(Grey, out); !slices.Equal(out, want) {
		t.Errorf("grey is up to %d off Pillow's", apart(out, want))
	}
}

// TestBombs: pictures that lie about their size are refused before memory is allocated.
func TestBombs(t *testing.T) {
	huge := slices.Clone(read(t, "rgb.png"))
	binary.BigEndian.PutUint32(huge[16:], 60_000)
	binary.BigEndian.PutUint32(huge[20:], 60_000)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	large := slices.Clone(read(t, "rgb.bmp"))
	binary.LittleEndian.PutUint32(large[18:], 8000)
	binary.LittleEndian.PutUint32(large[22:], 8000)
	vast := slices.Clone(read(t, "photo.jpg"))
	size := bytes.Index(vast, []byte{0xff, 0xc0}) + 5
	binary.BigEndian.PutUint32(vast[size:], 8000<<16+8000)
	huger := slices.Clone(vast)
	binary.BigEndian.PutUint32(huger[size:], 60_000<<16+60_000)
	for want, content := range map[string][]byte{
		"at most":   huge,
		"jpeg that": vast,
		"a jpeg of": huger,
		"claims":    large,
		"broken":    read(t, "rgb.png")[:40],
		"not an":    []byte("GIB89a nonsense"),
		"not an im": nil,
	} {
		if _, err := NewDecoder().Decode(content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	for n := range len(read(t, "photo.jpg")) {
		NewDecoder().Decode(read(t, "photo.jpg")[:n]) // any error, but no panic
	}
}

// FuzzDecode: any content gives an image or an error.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"rgb.png", "palette.gif", "rgb.bmp", "lossless.webp", "photo.jpg", "grey.jpg"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := NewDecoder().Decode(content)
		if err == nil && len(m.Pix) != m.Width*m.Height*m.Channels {
			t.Errorf("%d bytes for %d by %d", len(m.Pix), m.Width, m.Height)
		}
	})
}
