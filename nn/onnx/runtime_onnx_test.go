//go:build onnx

package onnx

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// TestONNXRuntime writes every case of Deeplearning4j as an ONNX model, and lets ONNX's checker and ONNX Runtime have
// it.
func TestONNXRuntime(t *testing.T) {
	python := os.Getenv("DL4GO_PYTHON")
	if python == "" {
		t.Fatal("DL4GO_PYTHON is not set: make test-onnx sets it")
	}
	dir := t.TempDir()
	for _, c := range oracleCases(t) {
		net, err := nn.LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := writeCase(filepath.Join(dir, c.name), net, c.data(t)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			os.RemoveAll(filepath.Join(dir, c.name))
		}
		net.Close()
	}
	out, err := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "tools", "onnx", "check.py"),
		dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("%s", out)
}

// array is an array of a run in case.json.
type array struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	File  string `json:"file"`
}

type run struct {
	Inputs  []array `json:"inputs"`
	Outputs []array `json:"outputs"`
}

// writeCase writes the model and its outputs for the data, and for its first example alone.
func writeCase(dir string, net *nn.Network, m *data.MultiDataSet) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	var shapes [][]int
	for i, f := range m.Features {
		s := append([]int{}, f.Shape[1:]...)
		if len(s) == 2 {
			axis := 1
			if net.InputTypes()[i].Format == inputtype.NWC {
				axis = 0
			}
			s[axis] = -1
		}
		shapes = append(shapes, s)
	}
	o := Options{InputShapes: shapes, Masks: m.FeatureMasks != nil}
	model, err := export(net, o)
	if err != nil && strings.Contains(err.Error(), "length of the sequences") || err != nil &&
		strings.Contains(err.Error(), "(inputSize)") {
		for i, f := range m.Features {
			o.InputShapes[i] = f.Shape[1:]
		}
		model, err = export(net, o)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := model.Write(&b); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "model.onnx"), b.Bytes(), 0o666); err != nil {
		return err
	}
	for i, f := range m.Features { // only sequences have an input for a mask
		if len(f.Shape) != 3 && m.FeatureMasks != nil {
			m.FeatureMasks[i] = nil
		}
	}
	var runs []run
	for k, some := range []*data.MultiDataSet{m, m.Slice(0, 1)} {
		some = &data.MultiDataSet{Features: some.Features, FeatureMasks: some.FeatureMasks}
		out, err := net.Output(some, false)
		if err != nil {
			return err
		}
		var r run
		save := func(name string, a *tensor.Dense) (array, error) {
			file := strconv.Itoa(k) + "-" + name + ".f32"
			return array{name, a.Shape, file}, os.WriteFile(filepath.Join(dir, file), floatBytes(a.Data), 0o666)
		}
		at := 0
		for i, f := range some.Features {
			a, err := save(model.Graph.Inputs[at].Name, f)
			if err != nil {
				return err
			}
			at++
			r.Inputs = append(r.Inputs, a)
			if !o.Masks || len(f.Shape) != 3 {
				continue
			}
			mask := some.FeatureMask(i)
			if mask == nil {
				mask = tensor.New(f.Shape[0], f.Shape.Size()/f.Shape[0]/width(net, i, f))
				for i := range mask.Data {
					mask.Data[i] = 1
				}
			}
			if a, err = save(model.Graph.Inputs[at].Name, mask); err != nil {
				return err
			}
			at++
			r.Inputs = append(r.Inputs, a)
		}
		for i, x := range out {
			a, err := save(model.Graph.Outputs[i].Name, x)
			if err != nil {
				return err
			}
			r.Outputs = append(r.Outputs, a)
		}
		runs = append(runs, r)
	}
	text, err := json.Marshal(runs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "case.json"), text, 0o666)
}

// width is the size of a step of sequences.
func width(net *nn.Network, i int, f *tensor.Dense) int {
	if net.InputTypes()[i].Format == inputtype.NWC {
		return f.Shape[2]
	}
	return f.Shape[1]
}
