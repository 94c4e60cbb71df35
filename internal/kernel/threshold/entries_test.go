package threshold

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// TestPackEntries compares the streams of bits with the definition, at many offsets of signs and lengths of the rest.
func TestPackEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		for _, density := range []float64{0, 0.02, 0.1, 0.5, 1} {
			var entries []int32
			places, signs := make([]byte, (n+7)/8), make([]byte, (n+7)/8)
			for i := range n {
				if r.Float64() >= density {
					continue
				}
				k, e := len(entries), int32(i+1)
				places[i/8] |= 1 << (i % 8)
				if r.IntN(2) == 0 {
					e = -e
					signs[k/8] |= 1 << (k % 8)
				}
				entries = append(entries, e)
			}
			signs = signs[:(len(entries)+7)/8]
			gotPlaces, gotSigns := make([]byte, len(places)), make([]byte, len(signs))
			PackEntries(gotPlaces, gotSigns, entries)
			if !bytes.Equal(gotPlaces, places) || !bytes.Equal(gotSigns, signs) {
				t.Fatalf("%d elements: packed %v as %x and %x, want %x and %x", n, entries, gotPlaces, gotSigns, places, signs)
			}
			for _, v := range kernel.Available() {
				unpacked(t, v, places, signs, entries)
			}
		}
	}
}

// unpacked unpacks entries with a kernel.
func unpacked(t *testing.T, v kernel.Variant, places, signs []byte, want []int32) {
	t.Helper()
	guarded := make([]int32, len(want)+32)
	for i := range guarded {
		guarded[i] = 77
	}
	got := guarded[:len(want)]
	if n := For(v).UnpackEntries(got, places, signs); n != len(want) || !slices.Equal(got, want) {
		t.Fatalf("%v: unpacked %d entries %v of %x, want %v", v, n, got, places, want)
	}
	if len(want) > 0 {
		if n := For(v).UnpackEntries(got[1:], places, signs); n < len(want) {
			t.Fatalf("%v: unpacked %d entries of %x, want no fewer than %d", v, n, places, len(want))
		}
	}
	for i, e := range guarded[len(want):] {
		if e != 77 {
			t.Fatalf("%v: wrote entry %d of %d", v, len(want)+i, len(want))
		}
	}
}

// TestUnpackFewSigns reads zeros beyond the end of the signs.
func TestUnpackFewSigns(t *testing.T) {
	for _, v := range kernel.Available() {
		for size := range 8 {
			signs := bytes.Repeat([]byte{0xff}, size)
			want := make([]int32, 64)
			for i := range want {
				if want[i] = int32(i + 1); i < 8*size {
					want[i] = int32(-i - 1)
				}
			}
			unpacked(t, v, bytes.Repeat([]byte{0xff}, 8), signs, want)
		}
	}
}
