package parquet

import (
	"os"
	"runtime"
	"testing"
)

// taken returns the memory that a function takes, with what it gives back.
func taken(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestDamagedMemory: some damaged files take no more memory than their size justifies. In window.parquet, frames of
// Zstandard have a window of 128 MB. In vector.parquet, sparse vectors have millions of zeros.
func TestDamagedMemory(t *testing.T) {
	for name, limit := range map[string]uint64{"window": 32 << 20, "vector": 520 << 20} {
		b, err := os.ReadFile("testdata/damaged/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		if n := taken(func() { readAny(t, b); passOver(b) }); n > limit {
			t.Errorf("%s: %d MB for a file of %d bytes", name, n>>20, len(b))
		} else {
			t.Logf("%s: %d MB for a file of %d bytes", name, n>>20, len(b))
		}
	}
}
