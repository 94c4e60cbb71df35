package data

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
	"github.com/dl4go/dl4go/tensor"
)

// checkReadNormalizer reads a file, and uses and writes the normalizer if that succeeds.
func checkReadNormalizer(t *testing.T, b []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := ReadNormalizer(bytes.NewReader(b), int64(len(b)))
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20+4*uint64(len(b)) {
		t.Errorf("reading %d bytes took %d bytes", len(b), used)
	}
	var f *dl4j.FormatError
	if err != nil {
		if !errors.As(err, &f) {
			t.Errorf("an error of another type: %T %v", err, err)
		}
		return
	}
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3)}, Labels: []*tensor.Dense{tensor.New(2, 1)}}
	if n.Transform(m) == nil {
		n.Revert(m)
	}
	if err := WriteNormalizer(&bytes.Buffer{}, n); err != nil {
		t.Errorf("a normalizer is read and can't be written: %v", err)
	}
}

func files(t testing.TB) [][]byte {
	var all [][]byte
	paths, _ := filepath.Glob("testdata/normalizers/*/*.bin")
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b[:min(16, len(b))], []byte(normalizerMark)) {
			all = append(all, b)
		}
	}
	for _, of := range []string{"normalized", "graph-normalized"} { // with arrays in the form of 0.9.1
		m, err := dl4j.OpenModel(context.Background(), filepath.Join("..", "testdata", "oracle", "saved",
			"0.9.1", of, "model.zip"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Bytes(dl4j.NormalizerEntry, 1<<20)
		m.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	if len(all) < 8 {
		t.Fatalf("only %d normalizers", len(all))
	}
	return all
}

func TestMutatedNormalizers(t *testing.T) {
	all := files(t)
	n, _ := hybrid(t)
	var b bytes.Buffer
	if err := WriteNormalizer(&b, n); err != nil {
		t.Fatal(err)
	}
	all = append(all, b.Bytes())
	mutants := campaign.Count(1_000, 10_000, 100_000)
	campaign.Record(t).Add(mutants)
	for i := range mutants {
		checkReadNormalizer(t, mutate.Bytes(all[i%len(all)], uint64(i)))
	}
}

func FuzzReadNormalizer(f *testing.F) {
	for _, b := range files(f) {
		f.Add(b)
	}
	f.Fuzz(checkReadNormalizer)
}
