package npy

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// file makes a file of float32 as NumPy does.
func file(shape string, elements []float32) []byte {
	text := "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }"
	text += strings.Repeat(" ", 118-1-len(text)) + "\n"
	b := []byte("\x93NUMPY\x01\x00\x76\x00" + text)
	for _, x := range elements {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func TestRowByRow(t *testing.T) {
	for want, row := range map[string][]int{"7, 2, 3": {2, 3}, "7, 1": {1}, "7,": {}} {
		a := tensor.New(append([]int{7}, row...)...)
		for i := range a.Data {
			a.Data[i] = float32(i) - 1.5
		}
		path := filepath.Join(t.TempDir(), "a.npy")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := NewWriter(f, row...)
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
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, file(want, a.Data)) {
			t.Errorf("%v\n%q\n%q", err, b, file(want, a.Data))
		}
	}
}
