package dl4go_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/near"
)

// A model written to safetensors and read has the same bits; with ONNX it is equal up to rounding.
func TestExportAndImport(t *testing.T) {
	m := trained(t, configured(t))
	row := []float64{21, 4000}
	want, err := m.Predict(t.Context(), row)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, most := range map[string]float64{"model.safetensors": 0, "model.onnx": 1e-5} {
		path := filepath.Join(dir, name)
		if err := m.Export(t.Context(), path, dl4go.ExportOptions{}); err != nil {
			t.Fatal(name, err)
		}
		again, err := dl4go.Load(t.Context(), path)
		if err != nil {
			t.Fatal(name, err)
		}
		defer again.Close()
		got, err := again.Predict(t.Context(), row)
		if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return near.Equal(a, b, most, 0) }) {
			t.Errorf("%s: %v, want %v: %v", name, got, want, err)
		}
		net, err := dl4go.File(path)(t.Context(), source.Info{}, 7)
		if err != nil || net.Base().Seed() != 7 {
			t.Errorf("%s as a network to train further: %v", name, err)
		}
	}
}

// A model of Keras can be loaded directly.
func TestLoadKeras(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.keras")
	archive, err := zip.OpenReader("internal/keras/testdata/oracle.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	from, err := archive.Open("activations/model.keras")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(from)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := dl4go.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// Names with the extension of another format are refused, and so are parameters without a network.
func TestInterchangeRefuses(t *testing.T) {
	m := trained(t, configured(t))
	dir := t.TempDir()
	for name, err := range map[string]error{
		"Save writes model zips: use Export": m.Save(t.Context(), filepath.Join(dir, "m.onnx")),
		"Export writes .onnx and .safetensors files;": m.Export(t.Context(), filepath.Join(dir, "m.zip"),
			dl4go.ExportOptions{}),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v was written: %v", left, err)
	}
	header := `{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	path := filepath.Join(dir, "other.safetensors")
	content := string(rune(len(header))) + "\x00\x00\x00\x00\x00\x00\x00" + header + "abcd"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dl4go.Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "set ImportOptions.Like") {
		t.Errorf("a file of another program: %v", err)
	}
}
