package npy

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// file makes a file as NumPy does.
func file(descr, order, shape string, elements ...byte) []byte {
	text := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }"
	text += strings.Repeat(" ", 118-1-len(text)) + "\n"
	return append(append([]byte("\x93NUMPY\x01\x00\x76\x00"), text...), elements...)
}

func TestWritesWhatNumPyWrites(t *testing.T) {
	a := tensor.MustOf([]float32{1, 2, 3, -1.5, 0, 6}, 2, 3)
	want := file("<f4", "False", "2, 3", 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 192, 191, 0, 0, 0, 0, 0, 0, 192, 64)
	var b bytes.Buffer
	if err := Write(&b, a); err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%v\n%q\n%q", err, b.Bytes(), want)
	}
}

func TestRowByRow(t *testing.T) {
	a := tensor.New(7, 2, 3)
	for i := range a.Data {
		a.Data[i] = float32(i)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "a.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := NewWriter(f, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range [][2]int{{0, 3}, {3, 3}, {3, 7}} {
		if err := w.Rows(a.Slice(cut[0], cut[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Rows(tensor.New(1, 3)); err == nil {
		t.Error("rows of another shape are written")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	got, err := Read(f)
	if err != nil || !got.Shape.Equal(a.Shape) || !slices.Equal(got.Data, a.Data) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReadsTypesAndOrders(t *testing.T) {
	for name, c := range map[string]struct {
		file  []byte
		shape tensor.Shape
		data  []float32
	}{
		"f8":       {file("<f8", "False", "1,", 0, 0, 0, 0, 0, 0, 0xf8, 0x3f), tensor.Shape{1}, []float32{1.5}},
		"big f4":   {file(">f4", "False", "1,", 0x3f, 0xc0, 0, 0), tensor.Shape{1}, []float32{1.5}},
		"i4":       {file("<i4", "False", "1, 1", 0xfe, 0xff, 0xff, 0xff), tensor.Shape{1, 1}, []float32{-2}},
		"i8":       {file("<i8", "False", "", 3, 0, 0, 0, 0, 0, 0, 0), tensor.Shape{}, []float32{3}},
		"bool":     {file("|b1", "False", "3,", 1, 0, 1), tensor.Shape{3}, []float32{1, 0, 1}},
		"fortran":  {file("|u1", "True", "2, 3", 1, 4, 2, 5, 3, 6), tensor.Shape{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
		"fortran3": {file("|u1", "True", "2, 2, 2", 0, 4, 2, 6, 1, 5, 3, 7), tensor.Shape{2, 2, 2}, []float32{0, 1, 2, 3, 4, 5, 6, 7}},
		"empty":    {file("<f4", "True", "0, 3"), tensor.Shape{0, 3}, nil},
	} {
		got, err := Read(bytes.NewReader(c.file))
		if err != nil || !got.Shape.Equal(c.shape) || !slices.Equal(got.Data, c.data) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := file("|u1", "False", "3,", 1, 2, 3)
	for name, b := range map[string][]byte{
		"empty": nil, "text": []byte("a,b\n1,2\n"), "header": good[:40], "short": good[:len(good)-1], "long": append(slices.Clone(good), 1),
		"type": file("<c8", "False", "1,"), "huge": file("<f8", "False", "2000000000,"), "shape": file("<f8", "False", "99999999999,"),
	} {
		if a, err := Read(bytes.NewReader(b)); err == nil {
			t.Errorf("%s is read as %v", name, a)
		}
	}
}
