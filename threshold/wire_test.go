package threshold

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func randomSparse(r *rand.Rand, length int, density float64) *Message {
	m := &Message{Form: Sparse, Length: length, Threshold: 1e-3}
	for i := range length {
		if r.Float64() < density {
			e := int32(i + 1)
			if r.IntN(2) == 0 {
				e = -e
			}
			m.Entries = append(m.Entries, e)
		}
	}
	m.Count = len(m.Entries)
	return m
}

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n int
		d float64
	}{{10_000_000, 1e-3}, {400_000, 1e-3}, {1000, .5}, {1000, 1}, {100000, 1e-2}, {10000000, 1e-5}, {20, 0.1}} {
		m := randomSparse(r, c.n, c.d)
		b := m.AppendWire(nil)
		var got Message
		if err := got.ReadWire(b, c.n); err != nil {
			t.Fatal(c, err)
		}
		if !reflect.DeepEqual(got.Entries, m.Entries) {
			t.Fatal("differs")
		}
		t.Log(c, m.Count, float64(len(b))*8/float64(m.Count))
	}
}
