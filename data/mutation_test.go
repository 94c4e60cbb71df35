package data

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

func checkRead(t *testing.T, what string, b []byte) (ok bool) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Read(bytes.NewReader(b), int64(len(b)))
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+4*uint64(len(b)) {
		t.Errorf("%s: reading %d bytes took %d bytes", what, len(b), used)
	}
	var f *dl4j.FormatError
	if err != nil && !errors.As(err, &f) {
		t.Errorf("%s: an error of another type: %T %v", what, err, err)
	}
	if err == nil && m.Validate() != nil {
		t.Errorf("%s: what was read is not valid: %v", what, m.Validate())
	}
	return err == nil
}

// savedFiles returns files of DataSets and MultiDataSets, including older versions and other types.
func savedFiles(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/datasets/*.bin")
	more, err2 := filepath.Glob("../testdata/oracle/saved/*/*/dataset.bin")
	if err != nil || err2 != nil || len(paths) == 0 || len(more) < 25 {
		t.Fatalf("%d and %d files", len(paths), len(more))
	}
	return append(paths, more...)
}

func TestMutatedDataSets(t *testing.T) {
	n := campaign.Count(1_000, 10_000, 100_000)
	campaign.Record(t).Add(n)
	paths := savedFiles(t)
	sound := 0
	for i := range n {
		path := paths[i%len(paths)]
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if checkRead(t, path, mutate.Bytes(b, uint64(i))) {
			sound++
		}
	}
	if sound > n/2 || sound == 0 {
		t.Errorf("%d of %d damaged files are read: the damage does not test much", sound, n)
	}
}

func FuzzRead(f *testing.F) {
	paths := savedFiles(f)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkRead(t, "file", b) })
}

func FuzzDecodeRow(f *testing.F) {
	f.Add(AppendRow(nil, series(0, 2, 2, 3, true)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := DecodeRow(b); err == nil && m.Validate() != nil {
			t.Errorf("what was decoded is not valid: %v", m.Validate())
		}
	})
}
