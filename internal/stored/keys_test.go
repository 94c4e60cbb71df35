package stored

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKeys: the n-th key is that of the sorted list, in memory and in a file, with and without keys that are left out.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() (high, low uint64){
		"of one value":     func() (uint64, uint64) { return 7, 7 },
		"close together":   func() (uint64, uint64) { return 1 << 40, r.Uint64N(1000) },
		"far apart":        func() (uint64, uint64) { return r.Uint64(), r.Uint64() },
		"with an odd part": func() (uint64, uint64) { return 0, r.Uint64N(1 << 56) },
	} {
		for _, n := range []int{1, 2, 5000} {
			k := NewKeys()
			k.memory, k.few, k.dir = 100*keyBytes, 20, t.TempDir()
			var list []Key
			for range n {
				var key Key
				high, low := draw()
				binary.BigEndian.PutUint64(key[:], high)
				binary.BigEndian.PutUint64(key[8:], low)
				list = append(list, key)
				if err := k.Add(key); err != nil {
					t.Fatal(err)
				}
			}
			if (k.file != nil) != (n >= 100) || k.Len() != n {
				t.Errorf("%s: %d keys, a file: %v", name, k.Len(), k.file != nil)
			}
			if err := k.Each(func(i int, key Key) error {
				if key != list[i] {
					t.Errorf("%s: key %d of %d differs", name, i, n)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			third := func(i int) bool { return i%3 == 0 }
			for _, in := range []func(int) bool{func(int) bool { return true }, third} {
				var sorted []Key
				for i, key := range list {
					if in(i) {
						sorted = append(sorted, key)
					}
				}
				slices.SortFunc(sorted, Key.Compare)
				for _, at := range []int{0, len(sorted) / 3, len(sorted) - 1} {
					if got, err := k.Nth(at, in); err != nil || got != sorted[at] {
						t.Errorf("%s: key %d of %d is %x, want %x, error %v", name, at, len(sorted), got, sorted[at], err)
					}
				}
			}
			k.Close()
		}
	}
}
