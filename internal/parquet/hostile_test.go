package parquet

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/mutate"
)

// readAny reads everything in a file that can be read, in both forms. It returns the error, and fails the test if the
// error does not name the file.
func readAny(t *testing.T, b []byte) error {
	t.Helper()
	const path = "dir/x.parquet"
	_, err := read(path, b, 500, nil)
	if err == nil {
		err = readFloats(path, b)
	}
	if err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n")) {
		t.Errorf("the error is %q", err)
	}
	return err
}

func readFloats(path string, b []byte) error {
	f, err := Open(path, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	for i, c := range f.Columns {
		if c.Problem != "" || !c.Numeric() {
			continue
		}
		r, err := f.Reader([]int{i})
		if err != nil {
			return err
		}
		for {
			n, err := r.Next(300)
			if err != nil {
				return err
			}
			if n == 0 || r.First() > 5000 {
				break
			}
			width, err := r.Width(0)
			if err != nil {
				break // a null, which is no damage
			}
			if n*width > 1<<22 { // of vectors with many zeros
				break
			}
			if err := r.Float32s(0, width, make([]float32, n*width), width); err != nil {
				if strings.Contains(err.Error(), "runtime error") {
					return err
				}
				break
			}
		}
	}
	return nil
}

func samples(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) < 15 {
		t.Fatal(paths, err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = b
	}
	return all
}

// TestDamaged: damaged files are an error with the file's name, or give other values. They cause no panic, and take no
// more memory than their size justifies. A third of the damage is in the footer, where the sizes are.
func TestDamaged(t *testing.T) {
	for path, b := range samples(t) {
		failed := 0
		for seed := range uint64(160) {
			damaged := mutate.Bytes(b, seed)
			if footer := int(le.Uint32(b[len(b)-8:])); seed%3 == 0 {
				at := len(b) - 8 - footer
				damaged = append(bytes.Clone(b[:at]), mutate.Bytes(b[at:len(b)-8], seed)...)
				damaged = le.AppendUint32(damaged, uint32(len(damaged)-at))
				damaged = append(damaged, magic...)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if readAny(t, damaged) != nil {
				failed++
			}
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 200<<20 {
				t.Errorf("%s, seed %d: %d bytes of memory for a file of %d", path, seed, taken, len(b))
			}
		}
		if failed == 0 {
			t.Errorf("%s: no damage was found", path)
		}
	}
}

// TestTruncated: every truncated file is an error.
func TestTruncated(t *testing.T) {
	b := samples(t)["testdata/vectors.parquet"]
	for n := range len(b) {
		if readAny(t, b[:n]) == nil {
			t.Errorf("the first %d bytes of %d are read", n, len(b))
		}
	}
}

// TestChecksum: if pages have checksums, no changed value is accepted.
func TestChecksum(t *testing.T) {
	b := samples(t)["testdata/types-plain.parquet"]
	footer := len(b) - 8 - int(le.Uint32(b[len(b)-8:]))
	f, err := Open("x", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.groups[0].chunks {
		damaged := bytes.Clone(b)
		damaged[min(c.data+c.size, int64(footer))-1] ^= 1
		if err := readAny(t, damaged); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("field %d: %v", i, err)
		}
	}
}

func FuzzParquet(f *testing.F) {
	for _, b := range samples(f) {
		f.Add(b)
	}
	for seed := range uint64(100) {
		f.Add(smallFile(seed, testZstd))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkDamaged(t, "an input", 0, b) })
}
