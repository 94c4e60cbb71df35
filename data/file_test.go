package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// floats reads a file of little-endian float32.
func floats(t testing.TB, path string) []float32 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// TestFilesOfDeeplearning4j reads files of DataSet.save and MultiDataSet.save, and writes the same bytes.
func TestFilesOfDeeplearning4j(t *testing.T) {
	files, _ := filepath.Glob("testdata/datasets/*.bin")
	if len(files) != 8 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{int64(len(b)), -1} {
			m, err := Read(bytes.NewReader(b), size)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			var again bytes.Buffer
			if strings.Contains(path, "multi") {
				err = WriteMultiDataSet(&again, m)
			} else {
				var d *DataSet
				if d, err = m.Single(); err == nil {
					err = WriteDataSet(&again, d)
				}
			}
			if err != nil || !bytes.Equal(again.Bytes(), b) {
				t.Errorf("%s is written differently: %v", path, err)
			}
			row, err := DecodeRow(AppendRow(nil, m))
			if err != nil || !same(m, row) {
				t.Errorf("%s differs after it has been a row: %v", path, err)
			}
		}
		shape, err := PeekShape(t.Context(), path)
		if m, _ := ReadFile(t.Context(), path); err != nil || !shape.Equal(m.Features[0].Shape) {
			t.Errorf("%s: the shape is peeked as %v, %v", path, shape, err)
		}
	}
}

// TestPeekAtForeignFiles: peeking at a file of another kind is the same error as reading it.
func TestPeekAtForeignFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bin")
	for _, text := range []string{"hello", "{}", "\x02", ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, want := ReadFile(t.Context(), path)
		_, err := PeekShape(t.Context(), path)
		if err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%q: a peek says %v, reading %v", text, err, want)
		}
	}
}

func same(a, b *MultiDataSet) bool {
	lists := func(m *MultiDataSet) [][]*tensor.Dense {
		return [][]*tensor.Dense{m.Features, m.Labels, m.FeatureMasks, m.LabelMasks}
	}
	for i, l := range lists(a) {
		if !slices.EqualFunc(l, lists(b)[i], func(x, y *tensor.Dense) bool {
			return x == nil && y == nil || x != nil && y != nil && x.Shape.Equal(y.Shape) && slices.Equal(x.Data, y.Data)
		}) {
			return false
		}
	}
	return slices.Equal(a.Meta, b.Meta) && slices.Equal(a.LabelNames, b.LabelNames)
}

func TestContentsOfDeeplearning4jsFiles(t *testing.T) {
	m, err := ReadFile(t.Context(), "testdata/datasets/dataset_masks.bin")
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*tensor.Dense{"features": m.Features[0], "labels": m.Labels[0],
		"fmask": m.FeatureMask(0), "lmask": m.LabelMask(0)} {
		if want := floats(t, "testdata/datasets/dataset_masks."+name+".f32"); !slices.Equal(a.Data, want) {
			t.Errorf("%s are %v, want %v", name, a.Data, want)
		}
	}
	if m, err = ReadFile(t.Context(), "testdata/datasets/multidataset_masks.bin"); err != nil {
		t.Fatal(err)
	}
	if m.FeatureMask(0) != nil && m.FeatureMask(1) != nil {
		t.Error("the mask that is not there is read as one")
	}
	if want := floats(t, "testdata/datasets/multidataset_masks.f1.f32"); !slices.Equal(m.Features[1].Data, want) {
		t.Errorf("features 1 are %v, want %v", m.Features[1].Data, want)
	}
	if m, err = ReadFile(t.Context(), "testdata/datasets/dataset_metadata.bin"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Meta, []string{"meta0", "meta1"}) || !slices.Equal(m.LabelNames, []string{"a", "b"}) {
		t.Errorf("metadata %q, names %q", m.Meta, m.LabelNames)
	}
}

func TestSaveFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.bin")
	two := &MultiDataSet{
		Features: []*tensor.Dense{tensor.New(2, 3), tensor.New(2, 1, 4)}, Labels: []*tensor.Dense{tensor.New(2, 2)},
		FeatureMasks: []*tensor.Dense{nil, tensor.New(2, 4)}, Meta: []string{"x", "y"},
	}
	for _, m := range []*MultiDataSet{two, {Features: two.Features[:1], Labels: two.Labels,
		LabelNames: []string{"no", "yes"}}} {
		if err := m.SaveFile(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(t.Context(), path); err != nil || !same(got, m) {
			t.Errorf("saved %v, read %v, %v", m, got, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	good, err := os.ReadFile("testdata/datasets/dataset_masks.bin")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bad.bin")
	for name, b := range map[string][]byte{
		"empty": nil, "text": []byte("features,labels\n"), "truncated": good[:len(good)-1],
		"longer":  append(bytes.Clone(good), 1),
		"nothing": {0}, "zip": []byte("PK\x03\x04"), "no labels": {1}, "counts": {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0},
	} {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(t.Context(), path)
		var f *dl4j.FormatError
		if !errors.As(err, &f) || f.Path != path || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherListsOfStrings: Deeplearning4j users set metadata and label names as lists of any class, such as ArrayList
// and List.of.
func TestOtherListsOfStrings(t *testing.T) {
	m, err := ReadFile(t.Context(), "testdata/lists/arraylist.bin")
	if err != nil || !slices.Equal(m.Meta, []string{"a", "bé", "a"}) || !slices.Equal(m.LabelNames, []string{"x", "y"}) {
		t.Errorf("%v, %v", m, err)
	}
	if m, err = ReadFile(t.Context(), "testdata/lists/listof.bin"); err != nil || m.Meta != nil ||
		!slices.Equal(m.LabelNames, []string{"x", "y"}) {
		t.Errorf("%v, %v", m, err)
	}
}
