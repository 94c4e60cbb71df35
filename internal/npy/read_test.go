package npy

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typed makes a file of two rows of three elements.
func typed(version byte, descr, fortran, shape string, elements ...any) []byte {
	text := "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (" + shape + "), }          \n"
	b := append([]byte(magic), version, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	if version > 1 {
		b = append(b, 0, 0)
	}
	b = append(b, text...)
	for _, x := range elements {
		if strings.HasPrefix(descr, ">") {
			b, _ = binary.Append(b, binary.BigEndian, x)
		} else {
			b, _ = binary.Append(b, binary.LittleEndian, x)
		}
	}
	return b
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	want := []float32{0, 1, 2, 3, 4, 5}
	f8 := []any{0., 1., 2., 3., 4., 5.}
	for name, b := range map[string][]byte{
		"f4":          file("2, 3", want),
		"f8":          typed(1, "<f8", "False", "2, 3", f8...),
		"big-endian":  typed(1, ">f8", "False", "2, 3", f8...),
		"i8":          typed(2, "<i8", "False", "2, 3", int64(0), int64(1), int64(2), int64(3), int64(4), int64(5)),
		"i4":          typed(3, "<i4", "False", "2, 3", []int32{0, 1, 2, 3, 4, 5}),
		"u1":          typed(1, "|u1", "False", "2, 3", []byte{0, 1, 2, 3, 4, 5}),
		"f2":          typed(1, "<f2", "False", "2, 3", []uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500}),
		"column-wise": typed(1, "<f4", "True", "2, 3", []float32{0, 3, 1, 4, 2, 5}),
	} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := ReadFile(t.Context(), path)
		if err != nil || !slices.Equal(a.Data, want) || !slices.Equal(a.Shape, []int{2, 3}) {
			t.Errorf("%s: %v, error %v", name, a, err)
		}
		for n := range len(b) {
			if err := os.WriteFile(path, b[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: of the first %d bytes of %d there is the error %v", name, n, len(b), err)
			}
		}
	}
	for what, b := range map[string][]byte{
		"text":               []byte("a,b\n1,2\n1,2\n"),
		"floats of 16 bytes": typed(1, "<f16", "False", "2, 3", make([]byte, 96)),
		"complex numbers":    typed(1, "<c8", "False", "2, 3", f8...),
		"more elements":      typed(1, "<f8", "False", "2, 2", f8...),
		"beyond float32":     typed(1, "<f8", "False", "2, 3", 0., 1., 2., -1e39, 4., 5.),
		"empty rows":         typed(1, "<f8", "False", "2, 0"),
		"huge":               typed(1, "<f8", "False", "4611686018427387904, 8", f8...),
		"beyond int":         typed(1, "<f8", "False", "1"+strings.Repeat("0", 30)+", 3", f8...),
		"version 4":          typed(4, "<f8", "False", "2, 3", f8...),
	} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := ReadFile(t.Context(), path); err == nil {
			t.Errorf("%s: it is read as %v", what, a)
		}
	}
	for _, b := range [][]byte{file("3,", []float32{float32(math.Inf(1)), float32(math.NaN()), 2}),
		typed(1, "<f8", "False", "3,", math.Inf(1), math.NaN(), 2.)} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := ReadFile(t.Context(), path); err != nil || len(a.Shape) != 1 || !math.IsInf(float64(a.Data[0]),
			1) || a.Data[2] != 2 {
			t.Errorf("of one dimension: %v, error %v", a, err)
		}
	}
}
