package normalizer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/mutate"
	"github.com/dl4go/dl4go/tensor"
)

// checkRead reads a file, and uses and writes what could be read.
func checkRead(t *testing.T, b []byte) {
	n, err := Read(bytes.NewReader(b), int64(len(b)))
	var f *dl4j.FormatError
	if err != nil {
		if !errors.As(err, &f) {
			t.Errorf("an error of another type: %T %v", err, err)
		}
		return
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3)}, Labels: []*tensor.Dense{tensor.New(2, 1)}}
	if n.Transform(m) == nil {
		n.Revert(m)
	}
	if err := Write(&bytes.Buffer{}, n); err != nil {
		t.Errorf("a normalizer is read and can't be written: %v", err)
	}
}

func files(t testing.TB) [][]byte {
	var all [][]byte
	paths, _ := filepath.Glob("testdata/*/normalizer.bin")
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func TestMutatedNormalizers(t *testing.T) {
	all := files(t)
	n, _ := hybrid(t)
	var b bytes.Buffer
	if err := Write(&b, n); err != nil {
		t.Fatal(err)
	}
	all = append(all, b.Bytes())
	for i := range 1000 {
		checkRead(t, mutate.Bytes(all[i%len(all)], uint64(i)))
	}
}

func FuzzRead(f *testing.F) {
	for _, b := range files(f) {
		f.Add(b)
	}
	f.Fuzz(checkRead)
}
