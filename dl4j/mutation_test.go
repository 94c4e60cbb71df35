package dl4j

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

// readModel reads all that a user of a model zip reads, where its configuration justifies 200 parameters.
func readModel(b []byte) error {
	m, err := ReadModel(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	text, err := m.Configuration()
	if err != nil {
		return err
	}
	if _, err := Parse(string(text)); err != nil {
		return err
	}
	for _, entry := range []string{CoefficientsEntry, UpdaterStateEntry} {
		if _, _, err := m.Array(entry, 400); err != nil {
			return err
		}
	}
	return nil
}

// checkRead fails unless reading gives no error or a FormatError, and takes no more than 64 MiB and four times the size.
func checkRead(t *testing.T, what string, b []byte, read func([]byte) error) (ok bool) {
	t.Helper()
	before := allocated()
	err := read(b)
	if used := allocated() - before; used > 64<<20+4*uint64(len(b)) {
		t.Errorf("%s: reading %d bytes took %d bytes", what, len(b), used)
	}
	var f *FormatError
	if err != nil && !errors.As(err, &f) {
		t.Errorf("%s: an error of another type: %T %v", what, err, err)
	}
	return err == nil
}

func mutations() int { return campaign.Count(1_000, 10_000, 100_000) }

// stored is a zip without compression, which would take most of the test's time.
func stored(t *testing.T, names []string, contents [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(contents[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMutatedModels damages model zips: the zip itself, and the entries within a zip that is sound.
func TestMutatedModels(t *testing.T) {
	file, err := os.ReadFile("testdata/model.zip")
	if err != nil {
		t.Fatal(err)
	}
	if err := readModel(file); err != nil {
		t.Fatal(err)
	}
	m, err := ReadModel(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{ConfigurationEntry, CoefficientsEntry, UpdaterStateEntry}
	var contents [][]byte
	for _, name := range names {
		b, err := m.Bytes(name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, b)
	}
	sound := 0
	for i := range mutations() {
		b := file
		if k := i % 4; k == 3 {
			b = mutate.Bytes(file, uint64(i))
		} else {
			damaged := append([][]byte(nil), contents...)
			damaged[k] = mutate.Bytes(contents[k], uint64(i))
			b = stored(t, names, damaged)
		}
		if checkRead(t, "mutant", b, readModel) {
			sound++
		}
	}
	if n := mutations(); sound > n*3/4 || sound == 0 {
		t.Errorf("%d of %d damaged models are read: the damage does not test much", sound, n)
	}
}

func FuzzArray(f *testing.F) {
	for _, name := range []string{"mat_f", "double", "empty", "scalar", "bool"} {
		b, err := os.ReadFile("testdata/arrays/" + name + ".bin")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, size := range []int64{int64(len(b)), -1} {
			checkRead(t, "array", b, func(b []byte) error {
				a, _, err := ReadArray(bytes.NewReader(b), size)
				if err == nil && a.Shape.Size() != len(a.Data) {
					t.Errorf("%d elements of shape %v", len(a.Data), a.Shape)
				}
				return err
			})
		}
	})
}

func FuzzModel(f *testing.F) {
	b, err := os.ReadFile("testdata/model.zip")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { checkRead(t, "model", b, readModel) })
}

func FuzzStringList(f *testing.F) {
	var b bytes.Buffer
	NewWriter(&b).StringList([]string{"a", "é😀"})
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		checkRead(t, "list", b, func(b []byte) error {
			_, err := NewReader(bytes.NewReader(b), int64(len(b))).StringList()
			return err
		})
	})
}

func FuzzConfiguration(f *testing.F) {
	f.Add([]byte(drawn))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkRead(t, "configuration", b, func(b []byte) error {
			tree, err := Parse(string(b))
			if err != nil {
				return err
			}
			text, err := Format(tree)
			if err != nil {
				t.Errorf("%s is read and can't be written: %v", b, err)
			}
			if _, err := Parse(string(text)); err != nil {
				t.Errorf("%s is read, and written as %s: %v", b, text, err)
			}
			var d drawing
			return Unmarshal(b, &d)
		})
	})
}
