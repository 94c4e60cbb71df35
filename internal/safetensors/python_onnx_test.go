//go:build onnx

package safetensors

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// TestPythonReadsTensors: the format's own library reads our files, with each parameter in the shape of the summary,
// and we read its files.
func TestPythonReadsTensors(t *testing.T) {
	python := os.Getenv("DL4GO_PYTHON")
	if python == "" {
		t.Fatal("DL4GO_PYTHON is not set: make test-onnx sets it")
	}
	for _, name := range trained {
		net := load(t, name)
		ours, theirs := filepath.Join(t.TempDir(), "ours"), filepath.Join(t.TempDir(), "theirs")
		if err := os.WriteFile(ours, written(t, net), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "tools", "onnx", "tensors.py"), ours,
			theirs)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var read map[string]struct {
			Dtype string
			Shape []int
			Data  []float32
		}
		if err := json.Unmarshal(out, &read); err != nil {
			t.Fatal(err)
		}
		for _, p := range net.ParamTable() {
			got := read[p.Key]
			if !tensor.Shape(got.Shape).Equal(p.Shape) || got.Dtype != "float32" {
				t.Errorf("%s: %s is %v of %s in Python, want %v", name, p.Key, got.Shape, got.Dtype, p.Shape)
				continue
			}
			for i, x := range got.Data {
				if want := net.Params()[p.Offset+placeOf(p, i)]; x != want {
					t.Errorf("%s: element %d of %s is %v in Python, want %v", name, i, p.Key, x, want)
					break
				}
			}
		}
		b, err := os.ReadFile(theirs)
		if err != nil {
			t.Fatal(err)
		}
		blank := net.Copy()
		clear(blank.Params())
		if err := ReadInto(blank, bytes.NewReader(b), int64(len(b))); err != nil || !slices.Equal(blank.Params(),
			net.Params()) {
			t.Errorf("%s: what Python wrote was not read as it is: %v", name, err)
		}
		blank.Close()
	}
}
