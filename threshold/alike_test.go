package threshold

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSubtractAll compares messages and outliers that are subtracted at once with values that are subtracted one after
// the other, bit for bit. Some messages have no values in a section, others have other sections or another form.
func TestSubtractAll(t *testing.T) {
	const n = 3*block + 1001
	r := rand.New(rand.NewPCG(5, 6))
	for _, threads := range []int{1, 3} {
		c := NewCoder(threads)
		defer c.Close()
		layers := [][]int{{33, block + 5, 2*block + 7, n}, {33, block + 5, 2*block + 7, n}, {block, n}}
		var all []*Message
		for i, ends := range layers {
			e := encoder(t, c, n, Largest{Share: 0.1}, nil, Options{Mean: true, Layers: ends})
			u := make([]float32, n)
			for k := range u {
				if i != 1 || k < 33 || k >= block+5 {
					u[k] = float32(r.NormFloat64() * r.NormFloat64())
				}
			}
			for i := range 3 {
				m, err := e.Encode(i, 0, u)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, copied(m), copied(e.Outliers()))
			}
		}
		if all[1].Count == 0 || all[6].Sections[1].Count != 0 || all[6].Count == 0 {
			t.Fatal("there are no outliers, or no section is empty")
		}
		sparse := &Message{Form: Sparse, Length: n, Count: 2, Threshold: 0.3, Entries: []int32{-7, block}}
		for range 4 {
			got := make([]float32, n)
			for i := range got {
				got[i] = float32(r.NormFloat64())
			}
			want := slices.Clone(got)
			some := slices.Insert(slices.Clone(all), r.IntN(len(all)), sparse)
			r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			for _, m := range some {
				for i, v := range m.All() {
					want[i] -= v
				}
			}
			if err := c.SubtractAll(some, got); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("parameter %d: %g, want %g", i, got[i], want[i])
				}
			}
		}
	}
}

// copied returns a copy that an encoder doesn't write to.
func copied(m *Message) *Message {
	own := *m
	own.Entries, own.Multiples = slices.Clone(m.Entries), slices.Clone(m.Multiples)
	own.Words, own.Sections = slices.Clone(m.Words), slices.Clone(m.Sections)
	return &own
}
