package threshold

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
)

// TestSumInParts checks that several threads give a sum the bytes of one thread, in both codings.
func TestSumInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, threads := range []int{1, 2, 3} {
		c := NewCoder(threads)
		defer c.Close()
		for range campaign.Count(1, 4, 4) {
			for _, length := range []int{100, block - 1, block, 3*block + 1001, 5 * block} {
				for _, density := range []float64{0.001, 0.1, 0.39, 0.7, 1} {
					m := scaledMessage(r, length, density)
					got, want := m.AppendOn(c, []byte("a"), false), m.AppendWire([]byte("a"))
					if !bytes.Equal(got, want) {
						t.Fatalf("%d threads, %d of %d values: other bytes than one thread's, %d and %d", threads, m.Count, length,
							len(got), len(want))
					}
					if got, want := m.AppendOn(c, []byte("bc"), true), m.AppendDense([]byte("bc")); !bytes.Equal(got, want) {
						t.Fatalf("%d threads, %d of %d values: other dense bytes than one thread's, %d and %d", threads, m.Count,
							length, len(got), len(want))
					}
				}
			}
		}
	}
}

// TestFullSums checks that a sum with many values takes no more bytes than gaps would.
func TestFullSums(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, density := range []float64{0.1, 0.39, 0.41, 0.6, 0.95} {
		m := sparseMessage(r, 100_003, density)
		m.Form, m.Threshold, m.Sections = Scaled, 0, []Section{{m.Length, m.Count, 1}}
		for range m.Count {
			m.Multiples = append(m.Multiples, int32(1+r.IntN(3)))
		}
		if got, want := len(m.AppendWire(nil)), len(appendWire(nil, m, codeMultiples)); got > want+want/500 {
			t.Errorf("a sum of %d values takes %d bytes, its gaps %d", m.Count, got, want)
		}
	}
}
