package threshold

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestGapsOneByOne compares the body of messages with writing each value by itself. Some gaps need an escape.
func TestGapsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	escapes := 0
	for _, n := range []int{1, 2, 15, 63, 64, 65, 333, 4097, 70_001} {
		for _, density := range []float64{1e-3, 0.01, 0.1, 0.3, 0.7, 1} {
			for range 6 {
				m := scaledMessage(r, n, density)
				if len(m.Entries) > 70 && r.IntN(2) == 0 { // leave all but the first and the last
					m = sparseMessage(r, n, density)
					m.Entries = append(m.Entries[:60], m.Entries[len(m.Entries)-1])
					m.Count = len(m.Entries)
				}
				if m.Form == Empty || full(m) && len(m.Multiples) > 0 {
					continue
				}
				w, g, last := newBitWriter(nil), newGaps(m.Length, m.Count), -1
				k := 0
				for i, by := range m.All() {
					down, gap := uint64(0), i-last-1
					if by < 0 {
						down = 1
					}
					if gap>>g.K() >= escape {
						escapes++
					}
					w.value(&g, gap, down, 1)
					if len(m.Multiples) > 0 {
						w.gamma(uint32(m.Multiples[k]))
					}
					last, k = i, k+1
				}
				want, got := w.end(), m.AppendWire(nil)
				if got = got[:len(got)-checksumSize]; !bytes.HasSuffix(got, want) {
					t.Fatalf("%v of %d values for %d parameters: %x, want %x at its end", m.Form, m.Count, n, got, want)
				}
			}
		}
	}
	if escapes == 0 {
		t.Error("no gap needed an escape")
	}
}
