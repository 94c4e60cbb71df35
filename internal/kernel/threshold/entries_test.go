package threshold

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPackEntries compares the streams of bits with the definition, at all offsets of signs and lengths of the rest.
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
			got := make([]int32, len(entries))
			if values := UnpackEntries(got, places, signs); values != len(entries) || !slices.Equal(got, entries) {
				t.Fatalf("%d elements: unpacked %d entries %v, want %v", n, values, got, entries)
			}
			if len(entries) > 0 && UnpackEntries(got[1:], places, signs) < len(entries) {
				t.Fatalf("%d elements: no more values than there is room for", n)
			}
		}
	}
}

// TestUnpackFewSigns reads zeros beyond the end of the signs.
func TestUnpackFewSigns(t *testing.T) {
	got := make([]int32, 12)
	if n := UnpackEntries(got, []byte{0xff, 0x0f}, []byte{0xfe}); n != 12 ||
		!slices.Equal(got, []int32{1, -2, -3, -4, -5, -6, -7, -8, 9, 10, 11, 12}) {
		t.Errorf("%d entries %v", n, got)
	}
}
