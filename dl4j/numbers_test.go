package dl4j

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// The counts of two bins of three classes, as written by Nd4j 1.0.0-M2.1, of type LONG and of type DOUBLE.
func TestNumbers(t *testing.T) {
	shape, data := tensor.Shape{2, 3}, []float64{0, 1, 1 << 53, 3, -4, 5}
	for _, kind := range []DataType{Long, Double} {
		var b bytes.Buffer
		w := NewWriter(&b)
		w.Numbers(shape, data, kind)
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		r := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		s, got, k, err := r.Numbers()
		if err != nil || r.End() != nil || !s.Equal(shape) || !slices.Equal(got, data) || k != kind {
			t.Errorf("%s: %v %v %v, error %v", kind, s, got, k, err)
		}
		for n := range b.Len() {
			if _, _, _, err := NewReader(bytes.NewReader(b.Bytes()[:n]), int64(n)).Numbers(); err == nil {
				t.Errorf("%s: the first %d bytes of %d are read", kind, n, b.Len())
			}
		}
		a, _, err := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())).Array()
		if err != nil || a.Data[5] != 5 {
			t.Errorf("%s: as an array of parameters: %v, error %v", kind, a, err)
		}
	}
	var b bytes.Buffer
	if err := WriteArray(&b, tensor.New(2, 3)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())).Numbers(); err == nil {
		t.Error("an array of type FLOAT is read as one of statistics")
	}
	const columns = "ABBNSVhFRF9EQVRBX1RZUEVTAAAAAAAAAAgABExPTkc" +
		"AAAAAAAAAAgAAAAAAAAADAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAADAAAAAAAEAAAAAAAAAAAAAQAAAAAAAABm"
	f, err := base64.StdEncoding.DecodeString(columns)
	if err != nil {
		t.Fatal(err)
	}
	f = append(f, b.Bytes()[bytes.LastIndex(b.Bytes(), []byte("\x00\x10MIXED")):]...)
	if _, _, _, err := NewReader(bytes.NewReader(f), int64(len(f))).Numbers(); err == nil ||
		!strings.Contains(err.Error(), "C order") {
		t.Errorf("an array in 'f' order gives the error %v", err)
	}
}
