package source

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// TestNPY reads arrays that NumPy wrote, of all types and orders, as a table and as a stream.
func TestNPY(t *testing.T) {
	x := make([]float32, 40)
	for i := range x {
		x[i] = float32(i - 7)
	}
	b, u := []float32{1, 0, 1, 1, 0}, []float32{1, 2, 3, 4, 5}
	oneHot := []float32{1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0}
	files, err := filepath.Glob("testdata/npy/x-*.npy")
	if err != nil || len(files) < 13 {
		t.Fatal(files, err)
	}
	type want struct {
		features [][]float32
		labels   []float32
		classes  []string
	}
	wants := map[string]want{
		"testdata/npy/b.npy,testdata/npy/x-f4.npy?labels=npy:testdata/npy/y.npy&classes=3": {[][]float32{b, x}, oneHot, nil},
		"testdata/npy/x-f4.npy?labels=testdata/npy/y.npy&names=a,b,c": {[][]float32{x}, oneHot,
			[]string{"a", "b", "c"}},
		"testdata/npy/x-f4.npy?labels=testdata/npy/onehot.npy": {[][]float32{x}, oneHot, nil},
		"testdata/npy/x-f4.npy?labels=testdata/npy/y.npy&regression=true": {[][]float32{x}, []float32{0,
			2, 1, 2, 0}, nil},
		"testdata/npy/x-f4.npy?labels=testdata/npy/price.npy": {[][]float32{x}, []float32{.5,
			1.5, 2.5, 3.5, 4.5}, nil},
		"testdata/npy/all.npz":                               {[][]float32{x}, oneHot, nil},
		"testdata/npy/all.npz?inputs=b,x&labels=y&classes=3": {[][]float32{u, x}, oneHot, nil},
	}
	for _, f := range files {
		wants[f+"?labels=testdata/npy/y.npy"] = want{[][]float32{x}, oneHot, nil}
	}
	for name, want := range wants {
		n, err := Parse("npy:" + name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenName(t.Context(), n, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		m := s.(Table).Range(0, 5)
		for i, f := range want.features {
			if !slices.Equal(m.Features[i].Data, f) {
				t.Errorf("%s: features %v", name, m.Features[i].Data)
			}
		}
		if last := m.Features[len(m.Features)-1]; !last.Shape.Equal(tensor.Shape{5, 2, 4}) ||
			!slices.Equal(m.Labels[0].Data, want.labels) ||
			!slices.Equal(s.Info().LabelNames, want.classes) {
			t.Errorf("%s: %v %v %v", name, last.Shape, m.Labels[0].Data, s.Info())
		}
		if Streams(n, Options{}) {
			if got := readStream(t, n); !bytes.Equal(data.AppendRow(nil, got), data.AppendRow(nil, m)) {
				t.Errorf("%s: the stream has %v", name, got.Features[0].Data)
			}
		}
	}
}

// readStream returns the examples of a stream.
func readStream(t *testing.T, n Name) *data.MultiDataSet {
	t.Helper()
	s, err := OpenStream(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []*data.MultiDataSet
	for {
		m, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	m, err := data.Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNPYMistakes: errors name the file.
func TestNPYMistakes(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile("testdata/npy/all.npz")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.npz")
	if err := os.WriteFile(cut, whole[:len(whole)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	const x = "npy:testdata/npy/x-f4.npy"
	for name, want := range map[string]string{
		x + "?labels=testdata/npy/all.npz":             "all.npz: it is no .npy file",
		x + ",testdata/npy/missing.npy":                "missing.npy",
		x + "?labels=testdata/npy/y.npy&classes=2":     "y.npy: row 2: the label 2 is none of 2 classes",
		x + "?labels=testdata/npy/price.npy&classes=5": "price.npy: row 1: the label 0.5 is none of 5 classes",
		x + "?inputs=a":                                                 "inputs=a",
		"npy:testdata/npy/all.npz?inputs=z":                             "there is no array z: there are x, y, b",
		"npy:testdata/npy/all.npz?inputs=x,x_test":                      "array x_test: it has 2 rows, and",
		"npy:" + cut:                                                    "cut.npz: it is no .npz file",
		"npy:testdata/npy/all.npz,testdata/npy/y.npy":                   ".npy files, or one .npz",
		"npy:testdata/npy/y.npy?labels=testdata/npy/x-i4.npy&classes=2": "",
	} {
		_, err := Open(t.Context(), name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
