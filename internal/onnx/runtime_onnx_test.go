//go:build onnx

package onnx

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// TestPythonRunsModels writes every case of Deeplearning4j, the built-in networks and others. ONNX's checker must
// accept the models, and ONNX Runtime must compute dl4go's results, also for other batches and lengths.
func TestPythonRunsModels(t *testing.T) {
	python := os.Getenv("DL4GO_PYTHON")
	if python == "" {
		t.Fatal("DL4GO_PYTHON is not set: make test-onnx sets it")
	}
	dir := t.TempDir()
	write := func(name string, net *nn.Network, m *data.MultiDataSet) {
		defer net.Close()
		if err := writeCase(t.Context(), filepath.Join(dir, name), net, m); err != nil {
			t.Errorf("%s: %v", name, err)
			os.RemoveAll(filepath.Join(dir, name))
		}
	}
	for _, c := range oracleCases(t) {
		net, err := nn.LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		write(c.name, net, c.data(t))
	}
	for name, make := range madeNetworks() {
		net, m, err := make()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		write("made-"+name, net, m)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "tools", "onnx", "check.py"), dir)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
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

// optionsFor returns options for a model with open lengths of sequences, and for one with fixed lengths.
func optionsFor(net *nn.Network, m *data.MultiDataSet) (open, fixed Options) {
	for i, f := range m.Features {
		s := append([]int{}, f.Shape[1:]...)
		fixed.InputShapes = append(fixed.InputShapes, f.Shape[1:])
		if len(s) == 2 {
			s[timeOf(net, i)-1] = -1
		}
		open.InputShapes = append(open.InputShapes, s)
	}
	open.Masks, fixed.Masks = m.FeatureMasks != nil, m.FeatureMasks != nil
	return open, fixed
}

// timeOf returns the time dimension of an input of sequences.
func timeOf(net *nn.Network, i int) int {
	if net.InputTypes()[i].Format == inputtype.NWC {
		return 1
	}
	return 2
}

// writeCase writes the model, and its outputs for the data, for its first example only, and without its last step.
func writeCase(ctx context.Context, dir string, net *nn.Network, m *data.MultiDataSet) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for i, f := range m.Features { // only sequences have a mask input
		if len(f.Shape) != 3 && m.FeatureMasks != nil {
			m.FeatureMasks[i] = nil
		}
	}
	o, fixed := optionsFor(net, m)
	open := true
	model, err := export(net, o)
	if err != nil {
		open = false
		if model, err = export(net, fixed); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := model.Write(&b); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "model.onnx"), b.Bytes(), 0o666); err != nil {
		return err
	}
	p, err := serve.New(net, serve.Options{Concurrency: 1, AllowNaN: true})
	if err != nil {
		return err
	}
	defer p.Close()
	var runs []run
	some := []*data.MultiDataSet{m, m.Slice(0, 1)}
	if open && m.FeatureMasks == nil {
		if less := shorter(net, m); less != nil {
			some = append(some, less)
		}
	}
	for k, some := range some {
		some = &data.MultiDataSet{Features: some.Features, FeatureMasks: some.FeatureMasks}
		out, err := p.PredictData(ctx, some)
		if err != nil {
			return err
		}
		r, err := files(dir, strconv.Itoa(k), net, some, out, model.Graph.Inputs, model.Graph.Outputs)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	text, err := json.Marshal(runs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "case.json"), text, 0o666)
}

// shorter returns the data without the last step of each sequence; nil if there are no sequences, or only one step.
func shorter(net *nn.Network, m *data.MultiDataSet) *data.MultiDataSet {
	out, some := &data.MultiDataSet{}, false
	for i, f := range m.Features {
		if len(f.Shape) != 3 {
			out.Features = append(out.Features, f)
			continue
		}
		at := timeOf(net, i)
		if f.Shape[at] < 2 {
			return nil
		}
		some = true
		s := f.Shape.Clone()
		s[at]--
		x := tensor.New(s...)
		for i := range x.Data {
			a, b, c := i/(s[1]*s[2]), i/s[2]%s[1], i%s[2]
			x.Data[i] = f.Data[(a*f.Shape[1]+b)*f.Shape[2]+c]
		}
		out.Features = append(out.Features, x)
	}
	if !some {
		return nil
	}
	if _, err := net.Output(out, false); err != nil { // the network needs this length
		return nil
	}
	return out
}
