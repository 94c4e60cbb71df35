package dl4j

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// TestArraysOfDeeplearning4j reads arrays of every type and order written by Nd4j.write, and writes those of float32
// again.
func TestArraysOfDeeplearning4j(t *testing.T) {
	text, err := os.ReadFile("testdata/arrays/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		Shape  tensor.Shape
		Dtype  DataType
		Order  string
		Values []float64 `json:"values_c_order"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/arrays/*.bin")
	if len(files) < 15 {
		t.Fatalf("only %d files", len(files))
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".bin")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{int64(len(b)), -1} {
			a, dataType, err := ReadArray(bytes.NewReader(b), size)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if name == "empty" {
				if len(a.Data) != 0 || !a.Shape.Equal(tensor.Shape{0}) {
					t.Errorf("the empty array is read as %v", a)
				}
				continue
			}
			w, listed := want[name]
			if !listed { // arrays that were added to test the parts around the elements
				w.Shape, w.Dtype, w.Order = a.Shape, Float, "c"
				if strings.HasPrefix(name, "ones_f") {
					w.Order = "f"
				}
				if name == "zero_rows" && !a.Shape.Equal(tensor.Shape{0, 3}) {
					t.Errorf("an array of no rows and 3 columns is read as %v", a.Shape)
				}
			}
			if !a.Shape.Equal(w.Shape) || dataType != w.Dtype {
				t.Errorf("%s: shape %v and type %s, want %v and %s", name, a.Shape, dataType, w.Shape, w.Dtype)
				continue
			}
			for i, v := range w.Values {
				if !near.Equal(float64(a.Data[i]), v, 0, 1e-7) {
					t.Errorf("%s: element %d is %v, want %v", name, i, a.Data[i], v)
				}
			}
			if dataType != Float {
				continue
			}
			var again bytes.Buffer
			writer := NewWriter(&again)
			writer.Array(a, Order(w.Order[0]))
			if writer.Err() != nil || !bytes.Equal(again.Bytes(), b) {
				t.Errorf("%s is written differently:\n%x\n%x", name, again.Bytes(), b)
			}
		}
	}
}

// Images that were permuted from [batch, height, width, channels] are written in memory order, with their strides.
func TestPermutedArray(t *testing.T) {
	b, err := os.ReadFile("testdata/permuted.bin")
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := ReadArray(bytes.NewReader(b), int64(len(b)))
	if err != nil || !a.Shape.Equal(tensor.Shape{2, 2, 2, 3}) {
		t.Fatalf("%v, %v", a, err)
	}
	for i, v := range a.Data {
		n, c, y, x := i/12, i/6%2, i/3%2, i%3
		if want := float32(12*n + 6*y + 2*x + c); v != want {
			t.Errorf("element %d is %g, want %g", i, v, want)
		}
	}
}

func TestHalfPrecision(t *testing.T) {
	for h, want := range map[uint16]float32{
		0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 1.0 / (1 << 24), 0x0400: 1.0 / (1 << 14), 0x3555: 0.33325195,
		0x7c00: float32(math.Inf(1)), 0x83ff: -1023.0 / (1 << 24),
	} {
		if got := FromHalf(h); got != want {
			t.Errorf("%#x is %v, want %v", h, got, want)
		}
	}
	if x := FromHalf(0x7e00); x == x {
		t.Errorf("%v is a number", x)
	}
}

func vectorBytes(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteVector(&b, make([]float32, n)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadArrays(t *testing.T) {
	good := vectorBytes(t, 3)
	change := func(at int, to ...byte) []byte { b := bytes.Clone(good); copy(b[at:], to); return b }
	for name, c := range map[string]struct {
		bytes []byte
		want  string
	}{
		"empty":        {nil, "not an Nd4j array"},
		"text":         {[]byte("hello, this is no array at all"), "not an Nd4j array"},
		"truncated":    {good[:len(good)-1], "bytes follow"},
		"trailing":     {append(bytes.Clone(good), 0), "more bytes follow"},
		"rank":         {change(32, 0, 0, 0, 0, 0, 0, 0, 99), "for 99 dimensions"},
		"extent":       {change(40, 0xff), "the extent -"},
		"huge":         {change(44, 0x7f), "elements"},
		"stride":       {change(55, 2), "not dense"},
		"order":        {change(79, 'x'), "unknown order"},
		"length":       {change(105, 4), "with 4 elements"},
		"no such type": {change(108, 'X'), `unknown type "XLOAT"`},
	} {
		_, _, err := ReadArray(bytes.NewReader(c.bytes), int64(len(c.bytes)))
		var f *FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a FormatError with %q", name, err, c.want)
		}
	}
}

// TestLongVectors: an array written with more than 2³¹ elements, such as an updater's state, can be read again: its
// header is right, and only the number of following bytes limits it. Extents whose product overflows are refused.
func TestLongVectors(t *testing.T) {
	for _, c := range []struct {
		shape tensor.Shape
		want  string // of the error
	}{
		{tensor.Shape{1<<31 - 1}, ""}, {tensor.Shape{1 << 31}, ""}, {tensor.Shape{1, 5 << 31}, ""},
		{tensor.Shape{1 << 62}, "extent"}, {tensor.Shape{1 << 40, 1 << 40}, "more than"},
		{tensor.Shape{1 << 32, 1 << 32}, "more than"},
	} {
		var b bytes.Buffer
		w := NewWriter(&b)
		w.shapeInfo(c.shape, C, 0x2000)
		got, err := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())).Shape()
		if c.want == "" && (err != nil || !got.Equal(c.shape)) {
			t.Errorf("%v is read as %v: %v", c.shape, got, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v is read as %v: %v, want %q", c.shape, got, err, c.want)
		}
		w.UTF(allocationMode)
		w.Int64(int64(c.shape.Size()))
		w.UTF(string(Float))
		for _, size := range []int64{int64(b.Len()), -1} {
			before := allocated()
			if _, _, err := ReadArray(bytes.NewReader(b.Bytes()), size); err == nil {
				t.Errorf("%v without elements is read", c.shape)
			}
			if taken := allocated() - before; taken > 2<<20 {
				t.Errorf("%v without elements takes %d bytes", c.shape, taken)
			}
		}
	}
}

// An array that claims more elements than follow is read without allocating memory for them.
func TestClaimsTakeNoMemory(t *testing.T) {
	b := vectorBytes(t, 3)
	claim := func(n uint32) {
		for i := range 4 {
			b[44+i], b[102+i] = byte(n>>(24-8*i)), byte(n>>(24-8*i))
		}
	}
	claim(1 << 30)
	for _, size := range []int64{int64(len(b)), -1} {
		got := testing.AllocsPerRun(1, func() { ReadArray(bytes.NewReader(b), size) })
		before := allocated()
		if _, _, err := ReadArray(bytes.NewReader(b), size); err == nil {
			t.Error("an array of a billion elements is read from 200 bytes")
		}
		if used := allocated() - before; used > 2<<20 {
			t.Errorf("%d bytes taken, in %v allocations", used, got)
		}
	}
}
