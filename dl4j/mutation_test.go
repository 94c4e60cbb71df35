package dl4j

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

// readModel reads everything that a user of a model zip reads, for a configuration with 200 parameters.
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

// checkRead fails unless reading succeeds or returns a FormatError, and allocates at most 64 MiB plus four times the
// size.
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

func mutations(t *testing.T) int {
	n := campaign.Count(1_000, 4_000, 100_000)
	campaign.Record(t).Add(n)
	return n
}

// stored returns a zip without compression, which would take most of the test's time.
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

// TestMutatedModels damages model zips: the zip itself, and the entries in an undamaged zip.
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
	n := mutations(t)
	for i := range n {
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
	if sound > n*3/4 || sound == 0 {
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
	for _, b := range oldArrays(f) {
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

// yamls returns YAML files of the real Deeplearning4j.
func yamls(t testing.TB) [][]byte {
	var all [][]byte
	for _, pattern := range []string{"testdata/yaml/*.yaml", "../testdata/oracle/saved/*/*/conf.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
	}
	return all
}

// readYAML reads a YAML, prints it and reads that.
func readYAML(b []byte) error {
	tree, err := ParseYAML(string(b))
	if err != nil {
		return err
	}
	text, err := FormatYAML(tree)
	if err != nil {
		return fmt.Errorf("it is read and can't be written: %w", err)
	}
	again, err := ParseYAML(string(text))
	if err == nil && !sameTree(tree, again) {
		return fmt.Errorf("it is read back as another one: %s", text)
	}
	return err
}

func TestMutatedYAML(t *testing.T) {
	all := yamls(t)
	sound := 0
	n := mutations(t)
	for i := range n {
		if checkRead(t, "mutant", mutate.Bytes(all[i%len(all)], uint64(i)), readYAML) {
			sound++
		}
	}
	if sound > n*9/10 || sound == 0 {
		t.Errorf("%d of %d damaged YAMLs are read: the damage does not test much", sound, n)
	}
	many := strings.Repeat("- 0\n", 1<<20)
	checkRead(t, "a long list", []byte(many), readYAML)
	checkRead(t, "a deep list", []byte(strings.Repeat("[", 100_000)), readYAML)
}

func FuzzYAML(f *testing.F) {
	for _, b := range yamls(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkRead(t, "YAML", b, readYAML) })
}

// oldArrays returns files of Nd4j.write with the headers of 0.9.1, which has ints, and of 1.0.0-beta2.
func oldArrays(t testing.TB) [][]byte {
	var all [][]byte
	for _, version := range []string{"0.9.1", "1.0.0-beta2"} {
		m, err := OpenModel(context.Background(), "../testdata/oracle/saved/"+version+"/mlp/model.zip")
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Bytes(CoefficientsEntry, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
		m.Close()
	}
	return all
}

func TestMutatedOldArrays(t *testing.T) {
	all := oldArrays(t)
	n := mutations(t)
	for i := range n {
		checkRead(t, "mutant", mutate.Bytes(all[i%len(all)], uint64(i)), func(b []byte) error {
			size := int64(len(b))
			if i%3 == 0 {
				size = -1
			}
			_, _, err := ReadArray(bytes.NewReader(b), size)
			return err
		})
	}
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
