package tensor

import (
	"math"
	"slices"
	"testing"
)

func TestBytesAndFloats(t *testing.T) {
	x := append(make([]float32, 0, 20), 1, -2.5, float32(math.Inf(1)), 0, 3e-45)
	b := AppendBytes([]byte{9}, x)
	if len(b) != 1+4*len(x) || b[1] != 0 || b[4] != 0x3f {
		t.Fatalf("bytes %v", b)
	}
	y := make([]float32, len(x))
	if FromBytes(y, b[1:]); !slices.Equal(x, y) {
		t.Errorf("read back %v", y)
	}
	// the first is not aligned
	for _, from := range [][]byte{b[1:], slices.Clone(b[1:]), append(slices.Clone(b[1:]), 7, 7, 7)} {
		if got := Floats(from); !slices.Equal(got, x) {
			t.Errorf("elements %v", got)
		}
	}
	got := Bytes(x)
	if !slices.Equal(got, b[1:]) {
		t.Errorf("bytes %v", got)
	}
	if grown := append(got, 1, 2, 3, 4); !slices.Equal(grown[:len(got)], b[1:]) {
		t.Error("appending to the bytes changed them")
	}
}
